import ObservationController
import Synchronization
import TestSupport

/// The deliveries of one observation of a stress program, checked for their thread too.
///
/// Nothing is delivered on a thread on which the observation was ended (C19), or to an observer
/// whose `deinit` has begun (C12).
final class StressChain: Sendable {
  private let changes: ChangeChain
  private let isInDeinit: Flag

  /// A bit for each thread on which it has ended.
  private let ends = Atomic<Int>(0)

  init(_ name: String, _ observer: Visitor, _ failures: Failures) {
    changes = ChangeChain(name, from: nil, failures)
    isInDeinit = observer.isInDeinit
  }

  var last: Int? { changes.last }

  /// Whether nothing more may be delivered, since the observer is deallocated.
  var isOver: Bool { isInDeinit.isSet }

  /// To be called when the end of the observation has returned.
  func noteEnd() {
    guard let thread = StressThread.running else { return }
    ends.bitwiseOr(1 << thread.index, ordering: .relaxed)
  }

  func follow(_ change: ObservedChange<Int>) {
    checkPlace()
    changes.follow(change)
  }

  private func checkPlace() {
    changes.check(!isInDeinit.isSet, "delivered during the observer's deinit")
    guard let thread = StressThread.running else { return }
    changes.check(ends.load(ordering: .relaxed) & 1 << thread.index == 0, "delivered after its end")
  }
}
