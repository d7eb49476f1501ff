/// A queue that seldom holds more than one element, which it stores without an allocation.
struct SmallQueue<Element> {
  private(set) var first: Element?
  private var others: [Element] = []
}

extension SmallQueue {
  var isEmpty: Bool { first == nil }

  func last(where isWanted: (Element) -> Bool) -> Element? {
    others.last(where: isWanted) ?? first.flatMap { isWanted($0) ? $0 : nil }
  }

  /// Removes the last element, if it is wanted.
  mutating func removeLast(where isWanted: (Element) -> Bool) -> Element? {
    guard let last = others.last ?? first, isWanted(last) else { return nil }
    if others.popLast() == nil { first = nil }
    return last
  }

  /// Inserts an element before the first one that belongs behind it.
  mutating func insert(_ element: Element, before belongsBehind: (Element) -> Bool) {
    if let first, belongsBehind(first) {
      others.insert(first, at: 0)
      self.first = element
    } else if first == nil {
      first = element
    } else {
      others.insert(element, at: others.firstIndex(where: belongsBehind) ?? others.count)
    }
  }

  mutating func append(_ element: Element) {
    if first == nil { first = element } else { others.append(element) }
  }

  mutating func removeFirst() -> Element? {
    guard !others.isEmpty else { return first.take() }
    var element = Optional(others.removeFirst())
    swap(&element, &first)
    return element
  }
}
