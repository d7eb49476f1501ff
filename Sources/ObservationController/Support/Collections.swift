/// A queue in which elements are mostly inserted at the end.
struct Queue<Element> {
  /// Elements before `head` have been removed.
  private var elements: ContiguousArray<Element?> = []
  private var head = 0
}

extension Queue {
  var isEmpty: Bool { head == elements.count }

  var count: Int { elements.count - head }

  var first: Element? { isEmpty ? nil : elements[head] }

  /// The element for which `isWanted` returns `true`, of which there is one at most.
  ///
  /// - Complexity: O(1) for the first and the last element, else O(n).
  func only(where isWanted: (Element) -> Bool) -> Element? {
    if !isEmpty, let last = elements[elements.count - 1], isWanted(last) { return last }
    return elements[head...].first { $0.map(isWanted) ?? false } ?? nil
  }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func prepend(_ element: Element) {
    if head > 0 {
      head -= 1
      elements[head] = element
    } else {
      elements.insert(element, at: 0)
    }
  }

  /// Inserts an element before those at the end that belong after it.
  ///
  /// - Parameter belongsBehind: `nil` for an element that has no place in the order.
  /// - Complexity: O(k), k being the number of elements that belong after it: mostly none.
  mutating func insert(_ element: Element, before belongsBehind: (Element) -> Bool?) {
    var place = elements.count
    for index in (head..<elements.count).reversed() {
      guard let other = elements[index], let isBehind = belongsBehind(other) else { continue }
      guard isBehind else { break }
      place = index
    }
    elements.insert(element, at: place)
  }

  /// - Complexity: O(1) amortised.
  mutating func removeFirst() -> Element? {
    guard !isEmpty else { return nil }
    let first = elements[head].take()
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 64, head > elements.count / 2 {
      elements.removeSubrange(..<head)
      head = 0
    }
    return first
  }

  /// Removes the last element, if `isWanted` returns `true` for it.
  mutating func removeLast(where isWanted: (Element) -> Bool) -> Element? {
    guard !isEmpty, elements[elements.count - 1].map(isWanted) ?? false else { return nil }
    return elements.removeLast()
  }

  /// Visits the last elements, or as many as there are.
  func visitLast(_ count: Int, _ body: (Element) -> Void) {
    for index in Swift.max(head, elements.count - count)..<elements.count {
      if let element = elements[index] { body(element) }
    }
  }
}

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
    count += 1
  }

  @inline(__always)
  mutating func removeLast() -> Element {
    count -= 1
    return self[count]
  }

  mutating func removeAll(from start: Int) { count = start }

  /// The last element; valid until one is appended.
  @inline(__always)
  var last: UnsafeMutablePointer<Element> { buffer.unsafelyUnwrapped + (count - 1) }

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
