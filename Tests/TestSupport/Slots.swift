/// A place where threads exchange objects.
package final class Slots<Element>: Sendable where Element: Sendable {
  private let elements: Guarded<[Element?]>

  package init(_ elements: [Element?]) {
    self.elements = Guarded(elements)
  }

  package subscript(index: Int) -> Element? { elements.withLock { $0[index % $0.count] } }

  /// Stores `element`; the previous one is released outside of the lock.
  package func replace(_ index: Int, by element: Element?) {
    let old = elements.withLock { elements in
      defer { elements[index % elements.count] = element }
      return elements[index % elements.count]
    }
    withExtendedLifetime(old) {}
  }

  package func take(_ index: Int) -> Element? {
    elements.withLock { elements in
      defer { elements[index % elements.count] = nil }
      return elements[index % elements.count]
    }
  }

  package var all: [Element] { elements.withLock { $0.compactMap { $0 } } }

  package func clear() {
    let old = elements.withLock { elements in
      defer { elements = Array(repeating: nil, count: elements.count) }
      return elements
    }
    withExtendedLifetime(old) {}
  }
}
