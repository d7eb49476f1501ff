/// Tells whether two closures are the same: code and what it captures.
///
/// Swift does not compare closures, but what a closure is made of can be: two with the same bits do the
/// same. Two that do the same may have different ones, and are told apart. In a struct, since a closure
/// by itself would be wrapped in another one where its type is generic.
@usableFromInline
struct ClosureIdentity<Observer: AnyObject, Object: AnyObject, Value> {
  @usableFromInline let call: (Observer, Object, ObservedChange<Value>) -> Void

  @inlinable @inline(__always)
  init(call: @escaping (Observer, Object, ObservedChange<Value>) -> Void) {
    self.call = call
  }

  @inlinable @inline(__always)
  func isSame(as other: Self) -> Bool {
    withUnsafeBytes(of: self) { bits in
      withUnsafeBytes(of: other) { $0.elementsEqual(bits) }
    }
  }
}
