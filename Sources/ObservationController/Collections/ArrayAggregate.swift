/// Follows an array for an aggregate of its elements, before any observer is notified.
///
///     user ─▶ value ─▶ aggregate ─▶ controller ─▶ source      strong
///                         ▲             ┊
///                         └┄┄┄┄┄┄┄┄┄┄┄┄┄┘                      weak: its users alone keep it
///
/// The value is a derived one, which reads the aggregate. Of edits it depends on the array itself,
/// so that its observers have their place among those of the array; `revision` stands for changes
/// of elements, which are none of the array.
@usableFromInline
final class ArrayAggregate<Element, Parts: ElementParts> {
  let source: ObservableArray<Element>

  @usableFromInline let part: (Element) -> Parts.Part

  /// With a check of exclusivity: `+` and `<` may be the user's.
  @usableFromInline var parts: Parts

  private let revision = AggregateRevision()

  /// Ends with the aggregate.
  private var token: ObservationToken?
  private var observations: AnyObject?

  /// - Parameter parts: Without any.
  @usableFromInline
  init(
    of source: ObservableArray<Element>, _ parts: Parts, part: @escaping (Element) -> Parts.Part
  ) {
    (self.source, self.parts, self.part) = (source, parts, part)
  }

  /// Begins to follow the array.
  ///
  /// - Parameter follow: That of the aggregate, compiled for its types.
  @usableFromInline
  func begin(
    on keyPaths: [PartialKeyPath<Element>], _ file: String, _ line: UInt,
    follow: @escaping (ArrayAggregate, ArrayChange<Element>) -> Void
  ) {
    AccessTracker.withoutTracking {
      // Edits of a batch are delivered before, so that the aggregate begins with the array as it
      // is.
      source.flushBatch()
      parts.set(source.elements.map(part))
      let controller = ObservationController(observer: self)
      observations = controller
      // Safe: the array is the observed object itself.
      token = controller.observeArray(
        source, \ObservableArray<Element>.elements,
        .array(.root) { unsafeDowncast($0, to: ObservableArray<Element>.self) }, keyPaths, [], nil,
        nil, file, line, isEarly: true
      ) { aggregate, _, change in follow(aggregate, change) }
    }
  }

  /// Follows a change of the array; see `ElementParts` for its costs.
  @inlinable
  func follow(_ change: ArrayChange<Element>) {
    if change.kind == .element, case let index = change.edit.index, index >= 0 {
      let new = part(change.elements[index])
      parts.replace(at: index, with: new)
      return noteElements()
    }
    switch change.kind {
    case .initial, .setting:
      parts.set(change.elements.map(part))
    case .insertion where change.edit.index >= 0:
      let new = part(change.elements[change.edit.index])
      parts.insert(new, at: change.edit.index)
    default:
      followEntries(of: change)
    }
    switch change.kind {
    // These have marked what depends on the array.
    case .insertion, .removal, .replacement, .move: break
    default: noteElements()
    }
  }

  @inlinable
  func followEntries(of change: ArrayChange<Element>) {
    let entries = change.entries.map { entry in
      // The part of an element that only moves, or leaves, is there.
      let old = change.kind == .element ? nil : entry.oldIndex.map { parts.parts[$0] }
      return entry.with(old ?? part(entry.element))
    }
    if let entry = entries.first, entries.count == 1, entry.newIndex == nil,
      let index = entry.oldIndex
    {
      parts.remove(at: index)
    } else {
      parts.apply(entries)
    }
  }

  /// Has the value computed anew after changes of elements.
  @usableFromInline
  func noteElements() { revision.number = revision.number &+ 1 }

  /// Notes that the value depends on the array and on its elements, and brings the parts up to
  /// date.
  ///
  /// - Returns: The elements, if edits of a batch or of a transaction have yet to be followed;
  ///   `nil` if the parts are those of the array as it is.
  @usableFromInline
  func elementsToComputeFrom() -> [Element]? {
    source.noteAccess()
    _ = revision.number
    return AccessTracker.withoutTracking {
      guard source.batch == nil else { return source.elements }
      // What the array has had recorded, if this is read before the turn of the aggregate.
      token?.arraySink?.deliver(through: .max)
      // Changes wait where an observer of the value has made them, further up the stack; or have
      // been dropped, as a cycle or with the source of a view, until the next one makes up for
      // them.
      let isOutOfStep =
        token?.arraySink?.state.withLock { $0.isOutOfStep || !$0.queue.isEmpty } ?? false
      return isOutOfStep ? source.elements : nil
    }
  }
}

extension ArrayAggregate {
  /// Whether elements may be objects, whose properties change.
  @usableFromInline
  static var mayFollowElements: Bool { ValueEquality.mayBeInstance(Element.self) }
}

/// Counts the changes of elements that an aggregate has followed. Not generic, so that the
/// accessors of the property are compiled for it.
private final class AggregateRevision {
  @Observed var number: UInt64 = 0
}
