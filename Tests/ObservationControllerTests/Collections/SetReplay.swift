import ObservationController
import TestSupport
import XCTest

/// Applies each change of a set to a copy, and checks what it says of itself.
final class SetReplay<Element: Hashable> {
  private(set) var elements: Set<Element>
  private(set) var flaws: [String] = []
  private(set) var kinds: [SetChange<Element>.Kind] = []
  private lazy var observations = ObservationController(observer: self)

  init(_ elements: Set<Element> = []) { self.elements = elements }

  convenience init(of set: ObservableSet<Element>) {
    self.init(set.elements)
    observations.observeSet(set, options: .old) { $0.receive($2) }
  }

  func follow<Object: AnyObject>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableSet<Element>>,
    elements: [PartialKeyPath<Element>] = []
  ) {
    observations.observeSet(object, keyPath, elements: elements, options: .initial) {
      $0.receive($2)
    }
  }

  func receive(_ change: SetChange<Element>) {
    kinds.append(change.kind)
    let new = change.applying(to: elements)
    expect(new == change.elements, "\(change) leads from \(elements) to \(new)")
    expect(change.oldElements ?? elements == elements, "\(change) has other old elements")
    if change.kind != .initial, change.kind != .setting {
      expect(change.inserted == change.elements.subtracting(elements), "\(change) inserts else")
      expect(change.removed == elements.subtracting(change.elements), "\(change) removes else")
    }
    elements = change.elements
  }

  func takeKinds() -> [SetChange<Element>.Kind] {
    defer { kinds = [] }
    return kinds
  }

  private func expect(_ condition: Bool, _ flaw: @autoclosure () -> String) {
    if !condition { flaws.append(flaw()) }
  }
}
