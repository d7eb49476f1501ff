/// Whether two values of a property are the same: by `==`, or by identity for instances that are not
/// `Equatable`. Other values never are.
@usableFromInline
enum ValueEquality {
  @usableFromInline typealias Equality = (UnsafeRawPointer, UnsafeRawPointer) -> Bool

  /// Whether values of the type are compared and freed without running code of the user's.
  @inlinable @inline(__always)
  static func isKnown<Value>(_ type: Value.Type) -> Bool {
    type == Int.self || type == Double.self || type == Bool.self || type == String.self
  }

  /// Compares two values, with no lock held. Folded where the type is known, so that values of usual types
  /// are compared at once.
  ///
  /// - Parameter equality: How values of other types are compared.
  @inlinable @inline(__always)
  static func areEqual<Value>(
    _ old: Value, _ new: Value, orBy equality: () -> Equality
  ) -> Bool {
    // Each cast is of a type to itself.
    if Value.self == Int.self {
      return unsafeBitCast(old, to: Int.self) == unsafeBitCast(new, to: Int.self)
    }
    if Value.self == Double.self {
      return unsafeBitCast(old, to: Double.self) == unsafeBitCast(new, to: Double.self)
    }
    if Value.self == Bool.self {
      return unsafeBitCast(old, to: Bool.self) == unsafeBitCast(new, to: Bool.self)
    }
    if Value.self == String.self {
      return unsafeBitCast(old, to: String.self) == unsafeBitCast(new, to: String.self)
    }
    let areEqual = equality()
    return withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { areEqual(old, $0) }
    }
  }

  /// How values of a type are compared that is only known at run time.
  static func equality(of type: Any.Type) -> Equality {
    func open<Value>(_ type: Value.Type) -> Equality { ObservationSite.equality(of: type) }
    return open(type)
  }
}
