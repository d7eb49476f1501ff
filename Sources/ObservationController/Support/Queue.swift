/// A queue in which elements are seldom inserted anywhere but at the end.
struct Queue<Element> {
  /// Those before `head` have been removed.
  private var elements: ContiguousArray<Element?> = []
  private var head = 0
}

extension Queue {
  var isEmpty: Bool { head == elements.count }

  var count: Int { elements.count - head }

  var first: Element? { isEmpty ? nil : elements[head] }

  /// The element that is wanted, of which there is one at most.
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

  /// Inserts an element before those at the end that belong behind it.
  ///
  /// - Parameter belongsBehind: `nil` for an element that has no place in the order.
  /// - Complexity: O(k), k being the number of elements that belong behind it: mostly none.
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

  /// Removes the last element, if it is wanted.
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
