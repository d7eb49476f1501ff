/// A queue that seldom holds more than one element, which it stores without an allocation.
struct SmallQueue<Element> {
  private(set) var first: Element?
  private var others = Queue<Element>()

  /// How many elements have ever been added.
  private(set) var additions = 0
}

extension SmallQueue {
  var isEmpty: Bool { first == nil }

  func last(where isWanted: (Element) -> Bool) -> Element? {
    others.last(where: isWanted) ?? first.flatMap { isWanted($0) ? $0 : nil }
  }

  /// Whether one of the last `count` elements is wanted; there may be fewer.
  func contains(amongLast count: Int, where isWanted: (Element) -> Bool) -> Bool {
    others.contains(amongLast: count, where: isWanted)
      || count > others.count && first.map(isWanted) ?? false
  }

  /// Removes the last element, if it is wanted.
  mutating func removeLast(where isWanted: (Element) -> Bool) -> Element? {
    guard let last = others.last ?? first, isWanted(last) else { return nil }
    if others.removeLast() == nil { first = nil }
    return last
  }

  /// Inserts an element before the first one that belongs behind it.
  mutating func insert(_ element: Element, before belongsBehind: (Element) -> Bool) {
    additions += 1
    if let first, belongsBehind(first) {
      others.prepend(first)
      self.first = element
    } else if first == nil {
      first = element
    } else {
      others.insert(element, before: belongsBehind)
    }
  }

  mutating func append(_ element: Element) {
    additions += 1
    if first == nil { first = element } else { others.append(element) }
  }

  /// - Complexity: O(1) amortised.
  mutating func removeFirst() -> Element? {
    guard !others.isEmpty else { return first.take() }
    var element = others.removeFirst()
    swap(&element, &first)
    return element
  }
}
