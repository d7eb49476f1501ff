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

  /// Whether the closure is code alone, and so keeps nothing alive. One in a wrapper of the compiler's
  /// counts as one that captures something.
  @inlinable
  var capturesNothing: Bool {
    @inline(__always) get { word(1) == 0 }
  }

  @inlinable @inline(__always)
  func isSame(as other: Self) -> Bool {
    word(0) == other.word(0) && word(1) == other.word(1)
  }

  /// The code, then what it captures, if anything.
  @inlinable @inline(__always)
  func word(_ index: Int) -> UInt {
    withUnsafeBytes(of: self) {
      $0.load(fromByteOffset: index * MemoryLayout<UInt>.stride, as: UInt.self)
    }
  }
}
