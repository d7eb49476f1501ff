/// Comparison of two values of a property; see `ValueComparison`.
@usableFromInline
enum ValueEquality {
  @usableFromInline typealias Equality = (UnsafeRawPointer, UnsafeRawPointer) -> Bool

  /// Whether values of the type are compared and released without running user code.
  @inlinable
  static func isKnown<Value>(_ type: Value.Type) -> Bool {
    type == Int.self || type == Double.self || type == Bool.self || type == String.self
  }

  /// Whether two values cannot be told apart, with no lock held. Folded where the type is known, so
  /// that values of usual types are compared at once.
  ///
  /// - Parameter comparison: `ValueComparison.areSame` of other types.
  @inlinable
  static func areSame<Value>(
    _ old: Value, _ new: Value, orBy comparison: () -> Equality
  ) -> Bool {
    func cast<Known>(to type: Known.Type) -> (Known, Known)? {
      guard Value.self == type else { return nil }
      // Each cast is of a type to itself.
      return (unsafeBitCast(old, to: type), unsafeBitCast(new, to: type))
    }
    if let (old, new) = cast(to: Int.self) { return old == new }
    if let (old, new) = cast(to: Double.self) { return old.bitPattern == new.bitPattern }
    if let (old, new) = cast(to: Bool.self) { return old == new }
    if let (old, new) = cast(to: String.self) { return haveSameUTF8(old, new) }
    let areSame = comparison()
    return withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { areSame(old, $0) }
    }
  }

  /// Whether two texts are spelled alike, which `==` does not ask.
  @usableFromInline
  static func haveSameUTF8(_ left: String, _ right: String) -> Bool {
    let (left, right) = (left.utf8, right.utf8)
    guard left.count == right.count else { return false }
    let areSame = left.withContiguousStorageIfAvailable { left in
      right.withContiguousStorageIfAvailable { right in
        guard let start = left.baseAddress, let other = right.baseAddress else { return true }
        return haveEqualBits(start, other, count: left.count)
      }
    }
    // One of Objective-C has its text elsewhere.
    return (areSame ?? nil) ?? left.elementsEqual(right)
  }

  /// Comparison for `.distinct`: values that are equal by `==`, or cannot be told apart.
  ///
  /// Of types that have no `==` and no parts that decide, as class instances are, also in optionals
  /// and existentials, no values are equal, nor is `nil` in their place: the observation has
  /// reported that.
  static func forDistinct<Value>(of type: Value.Type) -> Equality {
    let areSame = ValueComparison.of(type).areSame
    guard !isComparable(type) else {
      guard let equatable = type as? any Equatable.Type else { return areSame }
      let areEqual = byOperator(equatable)
      return { areEqual($0, $1) || areSame($0, $1) }
    }
    let isNilEqual = mayBeInstance(type)
    return { left, right in
      let left = unwrapped(left.load(as: Value.self))
      let right = unwrapped(right.load(as: Value.self))
      guard let left, let right else { return isNilEqual && left == nil && right == nil }
      return Swift.type(of: left) is AnyClass && Swift.type(of: right) is AnyClass
        && left as AnyObject === right as AnyObject
    }
  }

  /// Comparison of elements that a change of an array has to lead to: those that cannot be told
  /// apart, of types that `forDistinct` compares.
  static func forReplaying(of type: Any.Type) -> Equality {
    isComparable(type) ? ValueComparison.of(type).areSame : forDistinct(of: type)
  }

  /// Whether `.distinct` compares values of a type, whatever they hold: by `==`, or by parts.
  static func isComparable(_ type: Any.Type) -> Bool {
    type is any Equatable.Type || ValueComparison.of(type).isExact
  }

  /// The addresses lead to values of `type`.
  static func byOperator<Value: Equatable>(_ type: Value.Type) -> Equality {
    { left, right in
      left.load(as: Value.self)
        == right.load(as: Value.self)
    }
  }

  /// Whether an optional of this type, which is `nil`, may hold a class instance later: of a class,
  /// or of a protocol.
  static func mayBeInstance(_ type: Any.Type) -> Bool {
    var type = type
    while let optional = type as? any OptionalValue.Type { type = optional.contentType }
    return type is AnyObject.Type || isExistential(type)
  }

  /// Whether values of this type hold values of others: of those that conform to a protocol. Only
  /// known by the name of its metatype.
  static func isExistential(_ type: Any.Type) -> Bool {
    String(describing: Swift.type(of: type)).hasSuffix(".Protocol")
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
