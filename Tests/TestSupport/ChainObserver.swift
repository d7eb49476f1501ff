import ObservationController

/// Checks, delivery by delivery, that each change begins where the one before has ended, and that two
/// never overlap.
///
/// Deliberately without a lock: ThreadSanitizer sees two deliveries at once, or in no order.
package final class ChainObserver: @unchecked Sendable {
  package private(set) var last: Int
  package private(set) var deliveries = 0
  package private(set) var breaks: [String] = []
  package private(set) var initials = 0
  private var isBeingTold = false
  package private(set) lazy var observations = ObservationController(observer: self)

  package init(from first: Int = 0) {
    last = first
    _ = observations
  }

  package func startOver(from value: Int) {
    last = value
  }

  package func follow(_ change: ObservedChange<Int>) {
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
