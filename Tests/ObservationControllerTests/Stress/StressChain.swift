import ObservationController
import Synchronization
import TestSupport

/// What one observation is told, checked delivery by delivery.
///
/// - Each change begins where the one before has ended, and no two are told at once (C21).
/// - The first is the initial one, if there is one (C3), and a prior delivery comes before its change (C4).
/// - Nothing comes on a thread on which the observation was ended (C19), to an observer that has begun
///   to go (C12), or under a lock (C22).
///
/// Deliberately without a lock: ThreadSanitizer sees two deliveries at once, or in no order.
final class StressChain: @unchecked Sendable {
  private let name: String
  private let failures: Failures
  private let isGoing: Flag

  // Only touched while it is told.
  private(set) var last: Int?
  private var prior: Int?
  private var isBeingTold = false

  /// A bit for each thread on which it has ended.
  private let ends = Atomic<Int>(0)

  init(_ name: String, _ observer: Visitor, _ failures: Failures) {
    self.name = name
    self.failures = failures
    isGoing = observer.isGoing
  }

  /// Whether nothing more comes, since the observer has gone.
  var isOver: Bool { isGoing.isSet }

  /// To be called when the end of the observation has returned.
  func noteEnd() {
    guard let thread = StressThread.running else { return }
    ends.bitwiseOr(1 << thread.index, ordering: .relaxed)
  }

  func follow(_ change: ObservedChange<Int>) {
    check(!isBeingTold, "two deliveries at once")
    isBeingTold = true
    defer { isBeingTold = false }
    checkPlace()
    if change.isInitial {
      check(last == nil, "initially \(change.newValue), after \(last ?? 0)")
    } else if change.isPrior {
      check(prior == nil, "prior twice")
      check(
        last.map { $0 == change.newValue } ?? true, "\(last ?? 0), then prior \(change.newValue)")
      prior = change.newValue
    } else {
      check(last.map { $0 == change.oldValue } ?? true, "\(last ?? 0), then \(change)")
      check(prior.map { $0 == change.oldValue } ?? true, "prior \(prior ?? 0), then \(change)")
      prior = nil
    }
    last = change.newValue
  }

  private func checkPlace() {
    check(!isGoing.isSet, "told while the observer goes")
    guard let thread = StressThread.running else { return }
    check(ends.load(ordering: .relaxed) & 1 << thread.index == 0, "told after its end")
    #if DEBUG
      let held = thread.locks.entries.map { "\($0.guarded) of \($0.place)" }
      check(held.isEmpty, "told under a lock: \(held)")
    #endif
  }

  private func check(_ isRight: Bool, _ failure: @autoclosure () -> String) {
    if !isRight { failures.add("\(name): \(failure())") }
  }
}
