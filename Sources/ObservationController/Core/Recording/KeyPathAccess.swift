/// A key path, behind the only closure that refers to it.
///
/// The compiler replaces reading and setting a literal key path by direct access, which takes a
/// tenth of the time, where a single closure captures the key path and nothing else uses it. So
/// this closure names its key path too, and functions that receive one consume it.
@usableFromInline
struct KeyPathAccess {
  /// Operation on the value of an object.
  @usableFromInline
  enum Use {
    /// Sets the optional in the memory to it.
    case reading

    /// Initializes the memory with a box that holds it.
    case boxing

    /// Sets it to the value in the memory.
    case setting
  }

  /// Returns the key path if there is no object. The object is no payload of the use, which would
  /// be retained.
  @usableFromInline typealias Closure = (Use, AnyObject?, UnsafeMutableRawPointer?) -> AnyKeyPath?

  @usableFromInline let keyPath: AnyKeyPath

  let use: Closure

  /// A key path that is a name alone, as of an event, and is not read.
  @usableFromInline
  init(naming keyPath: AnyKeyPath) { (self.keyPath, use) = (keyPath, { _, _, _ in nil }) }

  @usableFromInline
  init(_ use: @escaping Closure) {
    keyPath = Self.keyPath(of: use)
    self.use = use
  }

  /// Out of line, and known to this module alone: a compiler that saw through it would find the key
  /// path used twice.
  @inline(never)
  private static func keyPath(of use: Closure) -> AnyKeyPath {
    use(.reading, nil, nil).unsafelyUnwrapped
  }

  // The casts below are safe: the registrations and bindings that hold an access pass the objects
  // that they were made for, and memory of the type of its values.

  @inlinable @inline(__always)
  static func reading<Object: AnyObject, Value>(
    _ keyPath: consuming KeyPath<Object, Value>
  ) -> KeyPathAccess {
    KeyPathAccess { [keyPath = consume keyPath] use, object, place in
      guard let object, let place else { return keyPath }
      put(unsafeDowncast(object, to: Object.self)[keyPath: keyPath], to: use, at: place)
      return nil
    }
  }

  @inlinable @inline(__always)
  static func setting<Object: AnyObject, Value>(
    _ keyPath: consuming ReferenceWritableKeyPath<Object, Value>
  ) -> KeyPathAccess {
    KeyPathAccess { [keyPath = consume keyPath] use, object, place in
      guard let object, let place else { return keyPath }
      let owner = unsafeDowncast(object, to: Object.self)
      if use == .setting {
        owner[keyPath: keyPath] = place.load(as: Value.self)
      } else {
        put(owner[keyPath: keyPath], to: use, at: place)
      }
      return nil
    }
  }

  /// Sets by a closure in place of a key path. Never read.
  @inlinable
  static func calling<Object: AnyObject, Value>(
    _ set: @escaping (Object, Value) -> Void
  ) -> KeyPathAccess {
    KeyPathAccess { _, object, place in
      guard let object, let place else { return \Object.self }
      set(
        unsafeDowncast(object, to: Object.self), place.load(as: Value.self))
      return nil
    }
  }

  /// Puts the value of an object into the memory of whoever reads it.
  @inlinable @inline(__always)
  static func put<Value>(_ value: Value, to use: Use, at place: UnsafeMutableRawPointer) {
    if use == .reading {
      place.assumingMemoryBound(to: Value?.self).pointee = value
    } else {
      place.initializeMemory(as: ValueBox.self, to: ValueBox(value))
    }
  }
}

extension KeyPathAccess {
  /// The value of an object.
  @usableFromInline
  func box(_ object: AnyObject) -> ValueBox { Self.box(object, by: use) }

  /// The value of an object.
  static func box(_ object: AnyObject, by use: Closure) -> ValueBox {
    LockRank.assertNoneIsHeld()
    return withUnsafeTemporaryAllocation(of: ValueBox.self, capacity: 1) {
      let place = $0.baseAddress.unsafelyUnwrapped
      _ = use(.boxing, object, place)
      return place.move()
    }
  }

  /// Sets the value of an object.
  func set(_ object: AnyObject, to value: ValueBox) {
    LockRank.assertNoneIsHeld()
    value.withAddress { _ = use(.setting, object, UnsafeMutableRawPointer(mutating: $0)) }
  }
}
