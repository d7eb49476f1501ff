/// Owner of a `DeliveryQueue`, which its lock guards: a stored or derived property, a path, an
/// array, the changes before an initial delivery.
///
/// The drain is the one loop by which changes that wait are delivered:
///
///     the turn is free ── begin ──▶ take, under the lock ──▶ deliver, under none ──┐
///                                     ▲   │ nothing waits: give the turn back      │
///                                     └───┼────────────────────────────────────────┘
///                                         └──▶ report the cycles that were cut off
///
/// Whoever takes the turn drains the queue. A change that comes while another thread, or a frame
/// below, has the turn is left to that. The owner says what taking one means and what a delivery
/// does.
protocol QueueOwner {
  associatedtype Change: PendingChange

  /// What a drain carries from one delivery to the next.
  associatedtype Drain

  /// Takes the next change under the lock. If there is none, gives the turn back.
  ///
  /// - Parameter cutOff: Receives, in place of the next change, those of a chain that has had too
  ///   many rounds; then this is called again.
  func takeNext(in drain: inout Drain, cutOff: inout [Change]) -> Change?

  /// Delivers a change. With no lock held.
  func deliver(_ change: Change, in drain: inout Drain)

  /// Delivers the value that a cycle has led to, if others than those that keep it going are to be
  /// notified (C8). With no lock held.
  func deliverLast(of cutOff: [Change], in drain: inout Drain)

  /// Reports cycles, each once. With no lock held; the turn may have been given back, and the
  /// object be gone.
  func report(_ cutOff: [Change], in drain: inout Drain)
}

extension QueueOwner {
  /// Delivers what waits, oldest first, and gives the turn back, which the caller has.
  @inline(__always)
  func drain(_ drain: inout Drain) {
    var reported: [Change] = []
    while true {
      var cutOff: [Change] = []
      let change = takeNext(in: &drain, cutOff: &cutOff)
      guard cutOff.isEmpty else {
        deliverLast(of: cutOff, in: &drain)
        reported += cutOff
        continue
      }
      if !reported.isEmpty { report(exchange(&reported, with: []), in: &drain) }
      guard let change else { return }
      deliver(change, in: &drain)
    }
  }

  /// What its own handler keeps changing is not delivered to it once more.
  func deliverLast(of cutOff: [Change], in drain: inout Drain) {}
}
