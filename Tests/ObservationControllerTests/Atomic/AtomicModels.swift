import Foundation
import ObservationController
import TestSupport

/// Atomic properties in the form of wrappers, what is computed and derived from them.
final class Meter: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable; nobody replaces it but where a test
  // says so.
  @AtomicObserved var count = 0
  @AtomicObserved var other = 0
  @AtomicObserved var usesOther = false
  @AtomicObserved var values: [Int] = []

  var doubled: Int { count * 2 }
  var sum: Int { count + other }
  var selected: Int { usesOther ? other : count }
  @Derived({ (meter: Meter) in meter.count * 3 }) var tripled: Int
  @Derived({ (meter: Meter) in meter.count + meter.other }) var total: Int

  func replaceCount(by count: Int) {
    _count = AtomicObserved(wrappedValue: count)
  }

  /// Uses the atomic of another object from now on.
  func shareCount(of other: Meter) {
    _count = other._count
  }
}

/// An atomic property in a constant.
final class Gauge: Sendable {
  let count = AtomicObserved(wrappedValue: 0)
  let other = AtomicObserved(wrappedValue: 0)

  var doubled: Int { count.wrappedValue * 2 }
  var sum: Int { count.wrappedValue + other.wrappedValue }
}

/// Checks, delivery by delivery, that each change begins where the one before has ended, and that two
/// never overlap.
///
/// Deliberately without a lock: ThreadSanitizer sees two deliveries at once, or in no order.
final class ChainObserver: @unchecked Sendable {
  private(set) var last: Int
  private(set) var deliveries = 0
  private(set) var breaks: [String] = []
  private(set) var initials = 0
  private var isBeingTold = false
  private(set) lazy var observations = ObservationController(observer: self)

  init(from first: Int = 0) {
    last = first
    _ = observations
  }

  func startOver(from value: Int) {
    last = value
  }

  func follow(_ change: ObservedChange<Int>) {
    begin()
    if change.isInitial {
      if deliveries > 0 || initials > 0 { note("initially \(change.newValue), late") }
      initials += 1
    } else {
      if change.oldValue != last { note("\(last), then \(change)") }
      deliveries += 1
    }
    last = change.newValue
    isBeingTold = false
  }

  private func begin() {
    if isBeingTold { note("two deliveries at once") }
    isBeingTold = true
  }

  private func note(_ line: String) {
    if breaks.count < 5 { breaks.append(line) }
  }
}
