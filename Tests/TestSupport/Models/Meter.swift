import ObservationController

/// Atomic properties in the form of wrappers, what is computed and derived from them.
package final class Meter: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable; nobody replaces it but where a test
  // says so.
  @AtomicObserved package var count = 0
  @AtomicObserved package var other = 0
  @AtomicObserved package var usesOther = false
  @AtomicObserved package var values: [Int] = []

  package init() {}

  package var doubled: Int { count * 2 }
  package var sum: Int { count + other }
  package var selected: Int { usesOther ? other : count }
  @Derived({ (meter: Meter) in meter.count * 3 }) package var tripled: Int
  @Derived({ (meter: Meter) in meter.count + meter.other }) package var total: Int

  package func replaceCount(by count: Int) {
    _count = AtomicObserved(wrappedValue: count)
  }

  /// Uses the atomic of another object from now on.
  package func shareCount(of other: Meter) {
    _count = other._count
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
