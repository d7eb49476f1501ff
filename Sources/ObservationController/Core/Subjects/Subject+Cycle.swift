/// The end of a cycle (C8): the last value is delivered once more, to every observer that has
/// neither seen nor set it.
///
///     n = 150 ──▶ handler sets 149 ──▶ … ──▶ 51, the 100th round ──▶ handler sets 50
///                                               cut off: the others are notified of 51 → 50
///
/// The handlers that keep the cycle going are left out: called once more, they would set the next
/// value. They are those whose calls have changed the property in several of the last rounds, which
/// are delivered one call at a time, or in the last delivery itself. That is repeated then for all
/// others, and so ends with the value that is stored.
extension Subject {
  /// Delivers a change in a round whose calls are watched. The caller has the turn.
  func deliver(
    _ delivery: ObservationDelivery, _ change: SubjectChange, of object: AnyObject,
    toEach infos: InfoList, watch: CycleWatch
  ) {
    if needsWillChange, let old = delivery.old {
      (change.needsPrior ? change.infos : change.leftOut).visit { info in
        guard info.traits.contains(.prior), infos.contains(info) else { return }
        var only = InfoList.none
        only.insert(info)
        watch.call(info) {
          ObservationDispatcher.deliverPrior(old, next: delivery.new, of: object, to: only)
        }
      }
    }
    change.dependents.deliver(
      delivery, of: object, toEach: infos, through: change.id, watch: watch)
  }

  /// Delivers the value that a cycle has led to when it was cut off. The caller has the turn.
  func deliverLast(of cutOff: [SubjectChange], of object: AnyObject) {
    guard let first = cutOff.first, let last = cutOff.last else { return }
    for change in cutOff { change.isDelivered.store(true, ordering: .relaxed) }
    // Events have no value.
    guard !(object is any ObservationIssue.CyclicSource), first.beginLastDelivery() else {
      return passOver(cutOff)
    }
    let watch = CycleWatch(last: last, of: self)
    // A deinit of the user's may have stored a later change first.
    let ids = cutOff.reduce(first.id...first.id) {
      min($0.lowerBound, $1.id)...max($0.upperBound, $1.id)
    }
    DeliveryProbe.resume(last.cause) {
      guard let new = last.new else {
        derived?.deliver(toEach: latestInfos, watch: watch)
        return
      }
      for change in cutOff.dropFirst() {
        first.add(exchange(&change.dependents, with: Dependents()))
      }
      first.dependents.paths.visit { path in
        if !watch.leavesOut(path) { path.path?.merge(ids) }
      }
      // From the value that each observer saw last. Nearly always all changes have the same ones.
      var infos = InfoList.none
      for change in cutOff {
        let joined = change.infos.subtracting(infos)
        change.id = ids.upperBound
        guard change === first || !joined.isEmpty else { continue }
        joined.visit { infos.insert($0) }
        ObservationDelivery.withValues(change.old, new) {
          deliver($0, change, of: object, toEach: joined, watch: watch)
        }
      }
    }
    // Kept until the cycle is reported.
    for change in cutOff { (change.old, change.new) = (nil, nil) }
  }

  /// Takes the value for delivered that a cycle has led to.
  private func passOver(_ cutOff: [SubjectChange]) {
    derived?.passOver()
    for change in cutOff {
      // Otherwise they would stay marked, and be collected no more.
      for subject in change.dependents.derived { subject.derived?.passOver() }
      change.dependents.paths.visit { $0.path?.discard(through: change.id) }
      change.infos.visit { $0.sink?.discard(through: change.id) }
      (change.old, change.new) = (nil, nil)
    }
  }
}

/// Calls observers one at a time, and notes which of them change the property again.
struct CycleWatch {
  private let subject: Subject
  private let change: SubjectChange

  /// Whether the cycle has been cut off, so that those that keep it going are left out.
  private let isLast: Bool

  /// - Returns: `nil` long before a cycle would be cut off.
  @inline(__always)
  init?(_ change: SubjectChange, of subject: Subject) {
    guard change.isNearCutOff else { return nil }
    (self.subject, self.change, isLast) = (subject, change, false)
  }

  /// - Parameter change: The last one of the cycle.
  init(last change: SubjectChange, of subject: Subject) {
    (self.subject, self.change, isLast) = (subject, change, true)
  }

  func leavesOut(_ info: ObservationInfo) -> Bool { isLast && change.isContinued(by: info) }

  /// Calls an observer, unless it is left out.
  func call(_ info: ObservationInfo, _ body: () -> Void) {
    guard !leavesOut(info) else { return }
    let added = subject.ifDeferred { $0.queue.added } ?? 0
    body()
    guard subject.ifDeferred({ $0.queue.hasAdded(since: added) }) ?? false else { return }
    if isLast {
      change.noteContinuedAfterCutOff(by: info)
    } else {
      change.noteContinued(by: info)
    }
  }
}
