/// A collection each edit of which is, for Observation, a change of the ``TrackedObserved``
/// property that holds it; or a source of changes.
///
/// It lists its readers by a subject, and has an `LazyReference` for `trackedContents`.
@usableFromInline
protocol TrackedCollection: AnyObject {
  /// Has the getter that is running depend on the elements.
  func noteAccess()

  /// The elements as a derived value, made by the first tracked property that reads the collection.
  func trackedContents(orBy make: () -> DerivedProperty) -> DerivedProperty
}

/// Elements of collections in tracked properties.
///
///     tracked property ─▶ collection ─▶ contents      strong
///                             ▲┄┄┄┄┄┄┄┄┄┄┄┘           weak
///
/// The contents are a derived value that reads the collection. So edits, batches, transactions and
/// views of views mark it as any other value.
@usableFromInline
enum TrackedContents {
  /// Has Observation note that a property was read, if its value is a collection or an optional
  /// one. Folded where the type is known, so that other values cost nothing.
  @inlinable @inline(__always)
  static func note<Value>(in value: Value) {
    if Value.self is AnyClass {
      note(unsafeBitCast(value, to: AnyObject.self))
    } else if _isOptional(Value.self), MemoryLayout<Value>.size == MemoryLayout<AnyObject>.size {
      noteOptional(value)
    }
  }

  @usableFromInline @inline(never)
  static func noteOptional<Value>(_ value: Value) {
    guard let object = unwrapped(value), type(of: object) is AnyClass else { return }
    note(object as AnyObject)
  }

  @usableFromInline @inline(never)
  static func note(_ object: AnyObject) {
    if let collection = object as? any TrackedCollection { note(of: collection) }
  }

  /// Has Observation note that a collection was read.
  static func note(of collection: any TrackedCollection) {
    let contents = collection.trackedContents {
      let new = DerivedProperty(file: #fileID, line: #line) { owner, contents in
        (owner as? any TrackedCollection)?.noteAccess()
        contents.store(0)
        return true
      }
      new.makeTracked()
      _ = new.isOwned(by: collection) { \AnyTrackedCollection.elements }
      return new
    }
    contents.readIfTracked(of: collection)
  }

  /// Names the elements in issues and descriptions.
  private final class AnyTrackedCollection {
    let elements: Void = ()
  }
}
