/// Stack of trivial elements in a raw buffer that is kept, so that a walk allocates, counts and
/// checks nothing. Belongs to one thread.
struct RawStack<Element: BitwiseCopyable>: ~Copyable {
  /// `nil` until the first element; has room for `capacity` elements, of which `count` are
  /// initialized.
  private var buffer: UnsafeMutablePointer<Element>?
  private var capacity = 0
  private(set) var count = 0

  deinit { buffer?.deallocate() }
}

extension RawStack {
  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    // There is room now.
    (buffer.unsafelyUnwrapped + count).initialize(to: element)
    count &+= 1
  }

  @inline(__always)
  @discardableResult
  mutating func removeLast() -> Element {
    count &-= 1
    return self[count]
  }

  mutating func removeAll(from start: Int) { count = start }

  /// The last element; valid until one is appended.
  @inline(__always)
  var last: UnsafeMutablePointer<Element> { buffer.unsafelyUnwrapped + (count &- 1) }

  /// - Parameter index: Of an element that was appended, so that there is a buffer.
  subscript(index: Int) -> Element {
    @inline(__always) get { buffer.unsafelyUnwrapped[index] }
    @inline(__always) nonmutating _modify { yield &buffer.unsafelyUnwrapped[index] }
  }

  @inline(never)
  private mutating func grow() {
    let newCapacity = Swift.max(64, capacity * 2)
    let new = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    if let buffer {
      new.moveInitialize(from: buffer, count: count)
      buffer.deallocate()
    }
    (buffer, capacity) = (new, newCapacity)
  }
}

extension UnsafeBufferPointer where Element: AnyObject {
  /// Visits the elements without retaining one, which the owner of the buffer does.
  @inline(__always)
  func visit(_ body: (Element) -> Void) {
    for index in indices { Unmanaged.passUnretained(self[index])._withUnsafeGuaranteedRef(body) }
  }
}

extension Sequence {
  /// The elements, of those with equal keys the first.
  func unique<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
    var seen: Set<Key> = []
    return filter { seen.insert(key($0)).inserted }
  }
}

extension RandomAccessCollection where Index == Int {
  /// The index of the first element that satisfies `belongsToEnd`, as all elements after it do.
  ///
  /// - Complexity: O(log n).
  @inlinable
  func partitioningIndex(where belongsToEnd: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if belongsToEnd(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
