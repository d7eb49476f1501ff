/// Comparison of the values that a two-way binding has set with those that its ends have now.
///
/// By their bits and not by `==`, which may hide a part of the value: an equal instance is another
/// one. Values whose bits are the same are one value, since both are held. Those whose bits differ
/// may still be one, as texts in other memory are; where that is not known, they count as two.
enum SameValue {
  /// Whether two values cannot be told apart.
  static func comparison<Value>(of type: Value.Type) -> ValueEquality.Equality {
    if let type = type as? any MadeOfParts.Type { return byParts(type) }
    let size = MemoryLayout<Value>.size
    return { left, right in haveSameBits(left, right, size) }
  }

  private static func byParts<Value: MadeOfParts>(
    _ type: Value.Type
  ) -> ValueEquality.Equality {
    // Safe: a direction of a binding passes the addresses of two boxed values of its type.
    let areSame = Value.comparisonOfParts
    return { left, right in
      haveSameBits(left, right, MemoryLayout<Value>.size)
        || Value.haveSameParts(
          left.assumingMemoryBound(to: Value.self).pointee,
          right.assumingMemoryBound(to: Value.self).pointee, by: areSame)
    }
  }

  /// - Parameter size: Number of bytes that both addresses lead to.
  private static func haveSameBits(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ size: Int
  ) -> Bool {
    UnsafeRawBufferPointer(start: left, count: size)
      .elementsEqual(UnsafeRawBufferPointer(start: right, count: size))
  }
}

/// A type whose values are the same if their parts are.
private protocol MadeOfParts {
  /// Comparison of the parts, found once.
  static var comparisonOfParts: ValueEquality.Equality { get }

  static func haveSameParts(_ left: Self, _ right: Self, by areSame: ValueEquality.Equality) -> Bool
}

extension String: MadeOfParts {
  fileprivate static var comparisonOfParts: ValueEquality.Equality {
    SameValue.comparison(of: UInt8.self)
  }

  fileprivate static func haveSameParts(
    _ left: String, _ right: String, by areSame: ValueEquality.Equality
  ) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }
}

extension Array: MadeOfParts {
  fileprivate static var comparisonOfParts: ValueEquality.Equality {
    SameValue.comparison(of: Element.self)
  }

  fileprivate static func haveSameParts(
    _ left: [Element], _ right: [Element], by areSame: ValueEquality.Equality
  ) -> Bool {
    left.count == right.count
      && left.elementsEqual(right) { left, right in
        withUnsafePointer(to: left) { left in withUnsafePointer(to: right) { areSame(left, $0) } }
      }
  }
}

extension Optional: MadeOfParts {
  fileprivate static var comparisonOfParts: ValueEquality.Equality {
    SameValue.comparison(of: Wrapped.self)
  }

  fileprivate static func haveSameParts(
    _ left: Wrapped?, _ right: Wrapped?, by areSame: ValueEquality.Equality
  ) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return withUnsafePointer(to: left) { left in
      withUnsafePointer(to: right) { areSame(left, $0) }
    }
  }
}
