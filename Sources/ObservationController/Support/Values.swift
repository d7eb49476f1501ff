/// Comparison of two values of a property. For derived values: by identity for class instances,
/// also in optionals and arrays, by `==` for other types. Values that can't be compared are never
/// equal.
///
/// Identity also where a class has an `==`: an instance that is equal has properties of its own,
/// and a value that has read those of another one would not follow them. Pinned by
/// DerivedEqualityTests.
@usableFromInline
enum ValueEquality {
  @usableFromInline typealias Equality = (UnsafeRawPointer, UnsafeRawPointer) -> Bool

  /// Whether values of the type are compared and released without running user code.
  @inlinable
  static func isKnown<Value>(_ type: Value.Type) -> Bool {
    type == Int.self || type == Double.self || type == Bool.self || type == String.self
  }

  /// Compares two values, with no lock held. Folded where the type is known, so that values of
  /// usual types are compared at once.
  ///
  /// - Parameter equality: Comparison of other types.
  @inlinable
  static func areEqual<Value>(
    _ old: Value, _ new: Value, orBy equality: () -> Equality
  ) -> Bool {
    func compare<Known: Equatable>(as type: Known.Type) -> Bool? {
      guard Value.self == type else { return nil }
      // Each cast is of a type to itself.
      return unsafeBitCast(old, to: type) == unsafeBitCast(new, to: type)
    }
    let known =
      compare(as: Int.self) ?? compare(as: Double.self) ?? compare(as: Bool.self)
      ?? compare(as: String.self)
    if let known { return known }
    let areEqual = equality()
    return withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { areEqual(old, $0) }
    }
  }

  /// Comparison for derived values, of a type that is only known at run time.
  static func equality(of type: Any.Type) -> Equality {
    if holdsInstance(type) { return haveSameInstance }
    if let array = type as? any (Container & RandomAccessCollection).Type,
      holdsInstance(array.contentType)
    {
      return byInstances(array)
    }
    return forDistinct(of: type)
  }

  /// The addresses lead to arrays of `type`.
  private static func byInstances<Values: RandomAccessCollection>(_ type: Values.Type) -> Equality {
    { left, right in
      let left = left.assumingMemoryBound(to: Values.self).pointee
      let right = right.assumingMemoryBound(to: Values.self).pointee
      return left.count == right.count
        && left.elementsEqual(right) { $0 as AnyObject === $1 as AnyObject }
    }
  }

  /// Comparison for `.distinct`: by `==`, or by identity for class instances, also in optionals and
  /// existentials. Other values are never equal, nor is `nil` in their place.
  static func forDistinct<Value>(of type: Value.Type) -> Equality {
    if let equatable = type as? any Equatable.Type { return byOperator(equatable) }
    if holdsInstance(type) { return haveSameInstance }
    let isNilEqual = mayBeInstance(type)
    return { left, right in
      let left = unwrapped(left.assumingMemoryBound(to: Value.self).pointee)
      let right = unwrapped(right.assumingMemoryBound(to: Value.self).pointee)
      guard let left, let right else { return isNilEqual && left == nil && right == nil }
      return Swift.type(of: left) is AnyClass && Swift.type(of: right) is AnyClass
        && left as AnyObject === right as AnyObject
    }
  }

  /// The addresses lead to values of `type`.
  private static func byOperator<Value: Equatable>(_ type: Value.Type) -> Equality {
    { left, right in
      left.assumingMemoryBound(to: Value.self).pointee
        == right.assumingMemoryBound(to: Value.self).pointee
    }
  }

  private static func holdsInstance(_ type: Any.Type) -> Bool {
    type is AnyObject.Type
      || (type as? any OptionalValue.Type)?.contentType is AnyObject.Type
  }

  /// Whether an optional of this type, which is `nil`, may hold a class instance later: of a class,
  /// or of a protocol, which is only known by the name of its metatype.
  static func mayBeInstance(_ type: Any.Type) -> Bool {
    var type = type
    while let optional = type as? any OptionalValue.Type { type = optional.contentType }
    return type is AnyObject.Type
      || String(describing: Swift.type(of: type)).hasSuffix(".Protocol")
  }

  /// The addresses lead to values of which each is one reference, `nil` a null pointer.
  private static func haveSameInstance(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    one.load(as: UInt.self) == other.load(as: UInt.self)
  }
}

/// Removes all optionals around a value; `nil` if one of them is `nil`.
func unwrapped(_ value: Any) -> Any? {
  guard let optional = value as? any OptionalValue else { return value }
  return optional.wrapped.flatMap(unwrapped)
}

/// A type whose values contain others.
protocol Container {
  static var contentType: Any.Type { get }
}

protocol OptionalValue: Container {
  var wrapped: Any? { get }
}

extension Array: Container {
  static var contentType: Any.Type { Element.self }
}

extension Optional: OptionalValue {
  static var contentType: Any.Type { Wrapped.self }
  var wrapped: Any? { self }
}
