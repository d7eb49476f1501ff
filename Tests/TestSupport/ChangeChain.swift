import ObservationController

/// The deliveries of one observation, checked one by one.
///
/// - Each change begins where the previous one has ended, and no two are delivered at once (C21).
/// - The first is the initial one, if there is one (C3), and a prior delivery comes before its
///   change (C4).
///
/// Deliberately without a lock: ThreadSanitizer sees two deliveries at once, or in no order.
package class ChangeChain: @unchecked Sendable {
  private let name: String
  private let failures: Failures

  // Unchecked because its state is accessed only by deliveries, of which there is one at a time,
  // and afterwards.
  package private(set) var last: Int?
  package private(set) var initials = 0
  package private(set) var deliveries = 0
  private var prior: Int?
  private var hasBegun = false
  private var isDelivering = false

  /// - Parameters:
  ///   - name: Precedes each failure.
  ///   - first: The old value of the first change; nil if it may be any.
  package init(_ name: String = "", from first: Int?, _ failures: Failures = Failures()) {
    self.name = name
    self.failures = failures
    last = first
  }

  /// The failures found by this chain, or by another one with a shared list.
  package var breaks: [String] { failures.all }

  package func startOver(from value: Int) {
    last = value
  }

  package func follow(_ change: ObservedChange<Int>) {
    check(!isDelivering, "two deliveries at once")
    isDelivering = true
    defer { isDelivering = false }
    if change.isInitial {
      check(!hasBegun, "initially \(change.newValue), late")
      initials += 1
    } else if change.isPrior {
      check(prior == nil, "prior twice")
      check(continues(change.newValue), "\(last ?? 0), then prior \(change.newValue)")
      prior = change.newValue
    } else {
      check(continues(change.oldValue), "\(last ?? 0), then \(change)")
      check(prior.map { $0 == change.oldValue } ?? true, "prior \(prior ?? 0), then \(change)")
      prior = nil
      deliveries += 1
    }
    hasBegun = true
    last = change.newValue
  }

  private func continues(_ value: Int?) -> Bool {
    last.map { $0 == value } ?? true
  }

  package func check(_ isRight: Bool, _ failure: @autoclosure () -> String) {
    if !isRight { failures.add(name.isEmpty ? failure() : "\(name): \(failure())") }
  }
}

/// An observer that checks its deliveries, from 0 on.
package final class ChainObserver: ChangeChain, @unchecked Sendable {
  // Unchecked because the controller is made before any thread can use it.
  package private(set) lazy var observations = ObservationController(observer: self)

  package init(from first: Int = 0) {
    super.init(from: first)
    _ = observations
  }
}
