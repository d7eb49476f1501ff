import ObservationController
import Synchronization

/// An object that any thread may change, which knows what it should hold in the end.
package final class Machine: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable; nobody replaces it.
  @AtomicObserved package var count = 0
  @AtomicObserved package var other = 0
  @AtomicObserved package var value: LifetimeCounter.Ticket?
  @AtomicObserved package var part: Part?

  package var doubled: Int { count * 2 }
  package var sum: Int { count + other }
  package var partCount: Int { part?.count ?? 0 }
  @Derived({ (machine: Machine) in machine.count * 3 }) package var tripled: Int
  @Derived({ (machine: Machine) in machine.count + machine.other }) package var total: Int

  /// All that was ever added to `count`, and to `other`.
  package let added = Atomic<Int>(0)
  package let addedToOther = Atomic<Int>(0)

  private let ticket: LifetimeCounter.Ticket
  private let failures: Failures

  package init(_ census: Census, _ failures: Failures) {
    ticket = census.objects.makeTicket()
    self.failures = failures
  }

  /// C21: no update is lost.
  deinit {
    let expected = (added.load(ordering: .relaxed), addedToOther.load(ordering: .relaxed))
    if (count, other) != expected { failures.add("\((count, other)), not \(expected)") }
  }

  package func add(_ number: Int) {
    added.wrappingAdd(number, ordering: .relaxed)
    count += number
  }

  package func addToOther(_ number: Int) {
    addedToOther.wrappingAdd(number, ordering: .relaxed)
    $other.withLock { $0 += number }
  }

  /// With the names that failures call them by.
  package static let keyPaths: [(name: String, path: any KeyPath<Machine, Int> & Sendable)] = [
    ("count", \.count), ("other", \.other), ("doubled", \.doubled), ("sum", \.sum),
    ("tripled", \.tripled), ("total", \.total), ("partCount", \.partCount),
  ]
}

/// The end of a link.
package final class Part: @unchecked Sendable {
  // Unchecked as above.
  @AtomicObserved package var count: Int
  private let ticket: LifetimeCounter.Ticket

  package init(_ count: Int, _ census: Census) {
    _count = AtomicObserved(wrappedValue: count)
    ticket = census.objects.makeTicket()
  }
}
