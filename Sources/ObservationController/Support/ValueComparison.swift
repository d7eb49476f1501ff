/// Comparison of two values of one type, which is known at run time alone. Found once per type.
///
/// An equal value may be another one: an instance with properties of its own, a struct whose `==`
/// looks at an id alone, a text in another spelling. So there are two answers. Whoever has read a
/// value may keep what came of it only if the new one *cannot be told apart* from the old one:
/// the bits are the same, or the type is one whose parts are known here, and each part cannot be
/// told apart. Observers of a derived value are not notified where `==` says that nothing has
/// changed, unless the type is one of those.
final class ValueComparison {
  typealias Test = ValueEquality.Equality

  /// Whether two values cannot be told apart. `false` also where that is not known, as for equal
  /// values of a user's type.
  let areSame: Test

  /// Whether observers of a derived value take both for one.
  let areUnchanged: Test

  /// Whether two values that are not the same can be told apart, so that both answers are one.
  let isExact: Bool

  /// Whether two values are the same if their bits are, and only then.
  let isBitwise: Bool

  private init(_ areSame: @escaping Test, _ areUnchanged: @escaping Test, isExact: Bool) {
    (self.areSame, self.areUnchanged) = (areSame, areUnchanged)
    (self.isExact, isBitwise) = (isExact, false)
  }

  /// - Parameters:
  ///   - areSame: Says so of values whose bits differ.
  ///   - areUnchanged: Likewise; `nil` if it is the same answer.
  convenience init<Value>(
    of type: Value.Type, isExact: Bool, _ areSame: @escaping Test, _ areUnchanged: Test? = nil
  ) {
    let (same, unchanged) = (
      Self.byBits(of: type, or: areSame), areUnchanged.map { Self.byBits(of: type, or: $0) }
    )
    self.init(same, unchanged ?? same, isExact: isExact)
  }

  /// Comparison of values that are the same only if their bits are: no bit is left unused.
  init<Value>(ofBitsOf type: Value.Type) {
    let areSame = Self.byBits(of: type)
    (self.areSame, areUnchanged, isExact, isBitwise) = (areSame, areSame, true, true)
  }
}

// MARK: - Finding

extension ValueComparison {
  private static let known = Locked<[ObjectIdentifier: ValueComparison]>([:])

  /// The comparison of values of a type.
  static func of(_ type: Any.Type) -> ValueComparison {
    if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    // Not under the lock: the comparison of a container asks for that of what it contains. A second
    // one that another thread makes meanwhile gives the same answers.
    func opened<Value>(_ type: Value.Type) -> ValueComparison { make(type) }
    let new = opened(type)
    known.withLock { $0[ObjectIdentifier(type)] = new }
    return new
  }

  private static func make<Value>(_ type: Value.Type) -> ValueComparison {
    let anyType: Any.Type = type
    if let type = anyType as? any ComparedByParts.Type { return type.comparison }
    if anyType is AnyObject.Type { return ValueComparison(ofBitsOf: type) }
    let integer = anyType as? any FixedWidthInteger.Type
    if anyType is Bool.Type || _isPOD(type) && integer?.bitWidth == 8 * MemoryLayout<Value>.size {
      return ValueComparison(ofBitsOf: type)
    }
    if let type = anyType as? any BinaryFloatingPoint.Type { return byBitPattern(type) }
    if ValueEquality.isExistential(type) {
      return ValueComparison(
        of: type, isExact: false, inside(type) { $0.areSame }, inside(type) { $0.areUnchanged })
    }
    let equatable = anyType as? any Equatable.Type
    return ValueComparison(
      of: type, isExact: false, { _, _ in false }, equatable.map { ValueEquality.byOperator($0) })
  }
}

// MARK: - Tests

extension ValueComparison {
  /// Compares bits first. Equal ones are the same value: references in them lead to the same
  /// objects, which the values keep alive. Unequal ones may only differ where no value is stored.
  ///
  /// Not of values with weak references, whose bits another thread may change meanwhile.
  private static func byBits<Value>(of type: Value.Type, or test: Test? = nil) -> Test {
    guard _isBitwiseTakable(type) else { return test ?? { _, _ in false } }
    let size = MemoryLayout<Value>.size
    guard let test else { return { haveEqualBits($0, $1, count: size) } }
    return { haveEqualBits($0, $1, count: size) || test($0, $1) }
  }

  /// Distinguishes 0.0 from -0.0, and one nan from another.
  private static func byBitPattern<Value: BinaryFloatingPoint>(
    _ type: Value.Type
  ) -> ValueComparison {
    ValueComparison(of: type, isExact: true) { left, right in
      let left = left.load(as: Value.self)
      let right = right.load(as: Value.self)
      return left.sign == right.sign && left.exponentBitPattern == right.exponentBitPattern
        && left.significandBitPattern == right.significandBitPattern
    }
  }

  /// Compares what two existentials hold, by the type of that.
  private static func inside<Value>(
    _ type: Value.Type, _ test: @escaping (ValueComparison) -> Test
  ) -> Test {
    { left, right in
      let left: Any = left.load(as: Value.self)
      let right: Any = right.load(as: Value.self)
      let content = Swift.type(of: left)
      guard content == Swift.type(of: right), content != Value.self else { return false }
      func opened<Content>(_ type: Content.Type) -> Bool {
        guard let left = left as? Content, let right = right as? Content else { return false }
        return areEqual(left, right, by: test(of(type)))
      }
      return opened(content)
    }
  }

  /// Lends the addresses of two values to a test.
  static func areEqual<Value>(_ left: Value, _ right: Value, by test: Test) -> Bool {
    withUnsafePointer(to: left) { left in withUnsafePointer(to: right) { test(left, $0) } }
  }
}

/// Immutable; the tests capture nothing but types and other tests.
extension ValueComparison: @unchecked Sendable {}
