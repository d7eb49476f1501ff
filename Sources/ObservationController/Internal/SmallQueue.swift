/// A queue that seldom holds more than one element, which it stores without an allocation.
struct SmallQueue<Element> {
  private(set) var first: Element?
  private var others: [Element] = []
}

extension SmallQueue {
  var isEmpty: Bool { first == nil }

  mutating func append(_ element: Element) {
    if first == nil { first = element } else { others.append(element) }
  }

  mutating func removeFirst() -> Element? {
    defer { first = others.isEmpty ? nil : others.removeFirst() }
    return first
  }
}
