import ObservationController
import Synchronization
import TestSupport

/// An object that any thread may change, which knows what it should hold in the end.
final class Machine: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable; nobody replaces it.
  @AtomicObserved var count = 0
  @AtomicObserved var other = 0
  @AtomicObserved var value: LifetimeCounter.Ticket?
  @AtomicObserved var part: Part?

  var doubled: Int { count * 2 }
  var sum: Int { count + other }
  var partCount: Int { part?.count ?? 0 }
  @Derived({ (machine: Machine) in machine.count * 3 }) var tripled: Int
  @Derived({ (machine: Machine) in machine.count + machine.other }) var total: Int

  /// All that was ever added to `count`, and to `other`.
  let added = Atomic<Int>(0)
  let addedToOther = Atomic<Int>(0)

  private let ticket: LifetimeCounter.Ticket
  private let failures: Failures

  init(_ census: Census, _ failures: Failures) {
    ticket = census.objects.makeTicket()
    self.failures = failures
  }

  /// C21: no update is lost.
  deinit {
    let expected = (added.load(ordering: .relaxed), addedToOther.load(ordering: .relaxed))
    if (count, other) != expected { failures.add("\((count, other)), not \(expected)") }
  }

  func add(_ number: Int) {
    added.wrappingAdd(number, ordering: .relaxed)
    count += number
  }

  func addToOther(_ number: Int) {
    addedToOther.wrappingAdd(number, ordering: .relaxed)
    $other.withLock { $0 += number }
  }

  /// With the names that failures call them by.
  static let keyPaths: [(name: String, path: any KeyPath<Machine, Int> & Sendable)] = [
    ("count", \.count), ("other", \.other), ("doubled", \.doubled), ("sum", \.sum),
    ("tripled", \.tripled), ("total", \.total), ("partCount", \.partCount),
  ]
}

/// The end of a link.
final class Part: @unchecked Sendable {
  // Unchecked as above.
  @AtomicObserved var count: Int
  private let ticket: LifetimeCounter.Ticket

  init(_ count: Int, _ census: Census) {
    _count = AtomicObserved(wrappedValue: count)
    ticket = census.objects.makeTicket()
  }
}

/// An observer, which says when it begins to go.
final class Visitor: Sendable {
  let isGoing: Flag
  private let ticket: LifetimeCounter.Ticket

  init(_ census: Census) {
    isGoing = Flag()
    ticket = census.observers.makeTicket()
  }

  deinit { isGoing.set() }
}

/// Set once.
final class Flag: Sendable {
  private let isRaised = Atomic<Bool>(false)

  var isSet: Bool { isRaised.load(ordering: .relaxed) }

  func set() { isRaised.store(true, ordering: .relaxed) }
}

/// A place where threads leave things for each other, and take them away.
final class Slots<Element>: Sendable where Element: Sendable {
  private let elements: Guarded<[Element?]>

  init(_ elements: [Element?]) {
    self.elements = Guarded(elements)
  }

  subscript(index: Int) -> Element? { elements.withLock { $0[index % $0.count] } }

  /// Puts `element` there; what was there goes outside of the lock.
  func replace(_ index: Int, by element: Element?) {
    let old = elements.withLock { elements in
      defer { elements[index % elements.count] = element }
      return elements[index % elements.count]
    }
    withExtendedLifetime(old) {}
  }

  func take(_ index: Int) -> Element? {
    elements.withLock { elements in
      defer { elements[index % elements.count] = nil }
      return elements[index % elements.count]
    }
  }

  var all: [Element] { elements.withLock { $0.compactMap { $0 } } }

  func clear() {
    let old = elements.withLock { elements in
      defer { elements = Array(repeating: nil, count: elements.count) }
      return elements
    }
    withExtendedLifetime(old) {}
  }
}
