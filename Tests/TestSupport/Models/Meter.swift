import ObservationController
import Synchronization

/// Numbers that any thread may change, in the form of wrappers, and computed and derived values of
/// them.
///
/// One that is made with a census is counted by it, and checks in its `deinit` that its numbers are
/// the sums of all calls of `add(_:)` and `addToOther(_:)`.
package final class Meter: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable, which is replaced only where a test
  // says so.
  @AtomicObserved package var count = 0
  @AtomicObserved package var other = 0
  @AtomicObserved package var usesOther = false
  @AtomicObserved package var values: [Int] = []
  @AtomicObserved package var ticket: LifetimeCounter.Ticket?
  @AtomicObserved package var part: Part?

  @Derived({ (meter: Meter) in meter.count * 3 }) package var tripled: Int
  @Derived({ (meter: Meter) in meter.count + meter.other }) package var total: Int

  private let added = Atomic<Int>(0)
  private let addedToOther = Atomic<Int>(0)
  private let failures: Failures?
  private let own: LifetimeCounter.Ticket?

  package init() {
    failures = nil
    own = nil
  }

  package init(_ census: Census, _ failures: Failures) {
    self.failures = failures
    own = census.objects.makeTicket()
  }

  /// C21: no update is lost.
  deinit {
    guard let failures else { return }
    let expected = (added.load(ordering: .relaxed), addedToOther.load(ordering: .relaxed))
    if (count, other) != expected { failures.add("\((count, other)), not \(expected)") }
  }

  package var doubled: Int { count * 2 }
  package var sum: Int { count + other }
  package var selected: Int { usesOther ? other : count }
  package var partCount: Int { part?.count ?? 0 }

  /// The properties that are numbers, with their names in failures.
  package static let keyPaths: [(name: String, path: any KeyPath<Meter, Int> & Sendable)] = [
    ("count", \.count), ("other", \.other), ("doubled", \.doubled), ("sum", \.sum),
    ("tripled", \.tripled), ("total", \.total), ("partCount", \.partCount),
  ]

  package func add(_ number: Int) {
    added.wrappingAdd(number, ordering: .relaxed)
    count += number
  }

  package func addToOther(_ number: Int) {
    addedToOther.wrappingAdd(number, ordering: .relaxed)
    $other.withLock { $0 += number }
  }

  package func replaceCount(by count: Int) {
    _count = AtomicObserved(wrappedValue: count)
  }

  /// Takes the atomic property of another object.
  package func shareCount(of other: Meter) {
    _count = other._count
  }
}

/// The end of a link of a meter.
package final class Part: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable, which is never replaced.
  @AtomicObserved package var count: Int
  private let own: LifetimeCounter.Ticket

  package init(_ count: Int, _ census: Census) {
    _count = AtomicObserved(wrappedValue: count)
    own = census.objects.makeTicket()
  }
}

/// An atomic property in a constant.
package final class Gauge: Sendable {
  package let count = AtomicObserved(wrappedValue: 0)
  package let other = AtomicObserved(wrappedValue: 0)

  package init() {}

  package var doubled: Int { count.wrappedValue * 2 }
  package var sum: Int { count.wrappedValue + other.wrappedValue }
}
