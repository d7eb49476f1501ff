/// Deliveries for which a thread's stack has no room: they wait until handlers have returned.
///
///     set ─▶ handler ─▶ set ─▶ handler ─▶ … ─▶ set         stored; its delivery waits
///      │ landing                                │
///      └◀───────── handlers return ◀────────────┘
///      delivers what waits, as deep again as there is room, until nothing waits
///
/// The outermost delivery that finds itself deep in the stack becomes the landing of all inside of it. A
/// delivery that waits holds the turn of its property, so that later changes queue behind it, as they
/// do behind a delivery under way: nothing is lost, or told in another order. It is reported once for
/// each landing.
///
/// Used by its thread alone.
final class DeepDeliveries {
  private let stack: ThreadStack

  private var waiting = Queue<() -> Void>()

  /// Where the first one was registered that had to wait.
  private var issue: ObservationIssue?
  private var isReported = false

  private init(on stack: ThreadStack) {
    self.stack = stack
  }

  /// The landing of this thread, if there is one and the stack is nearly full: what is to be delivered
  /// has to wait.
  static var landingToWaitFor: DeepDeliveries? {
    @inline(never) get {
      guard let stack = ThreadStack.current, stack.isNearlyFull else { return nil }
      return stack.landing
    }
  }

  /// Whether a delivery of this thread would have to wait, as far as it is time to look.
  @inline(__always)
  static var haveNoRoom: Bool {
    isLookDue && landingToWaitFor != nil
  }

  /// Each time while somebody records: a level takes more then than lies between two looks.
  @inline(__always)
  private static var isLookDue: Bool { ThreadStack.isLookDue || Tracer.isOn }

  /// Has the caller be the landing, if it is deep in the stack and there is none.
  ///
  /// - Returns: Has to be ended if there is one.
  @inline(__always)
  static func begin() -> DeepDeliveries? {
    isLookDue ? beginIfDeep() : nil
  }

  @inline(never)
  private static func beginIfDeep() -> DeepDeliveries? {
    guard let stack = ThreadStack.current, stack.isDeep, stack.landing == nil else { return nil }
    let landing = DeepDeliveries(on: stack)
    stack.landing = landing
    return landing
  }

  /// Delivers what waits, and what has to wait meanwhile.
  func deliver() {
    while let next = waiting.removeFirst() {
      if let issue {
        self.issue = nil
        // Here, where a reporter has room.
        ObservationDispatcher.report(issue)
      }
      next()
    }
  }

  /// The same at the end of the delivery that is the landing.
  func end() {
    deliver()
    stack.landing = nil
  }

  /// Has a delivery wait, whose turn the caller has begun.
  ///
  /// - Returns: Whether it does; not for an object that is going, which nobody can hold.
  func add(
    _ subject: Subject, of object: AnyObject, _ delivery: @escaping (AnyObject) -> Void
  ) -> Bool {
    guard let object = WeakReference(object).object else { return false }
    // The subject too: the storage of the property may be replaced meanwhile.
    add(subject.firstObservation) { withExtendedLifetime(subject) { delivery(object) } }
    return true
  }

  fileprivate func add(_ info: ObservationInfo?, _ delivery: @escaping () -> Void) {
    if !isReported, let info {
      isReported = true
      issue = .nestedTooDeeply(
        keyPath: info.site.keyPath, file: info.site.file, line: info.site.line)
    }
    waiting.append(delivery)
  }
}

extension ObservationDispatcher {
  /// Delivers what the paths have queued up to the change numbered `id`: now, or when there is room.
  static func deliverPathsInTurn(_ infos: InfoList, through id: UInt64) {
    guard let first = infos.first, let landing = DeepDeliveries.landingToWaitFor else {
      return deliverPaths(infos, through: id)
    }
    landing.add(first) { deliverPaths(infos, through: id) }
  }
}

extension Subject {
  /// Delivers what is queued, and ends the delivery, which the caller has begun; or leaves both for
  /// when there is room.
  func deliverQueued(of object: AnyObject) {
    let isLeft = DeepDeliveries.landingToWaitFor?.add(self, of: object) { [self] in
      deliverQueuedNow(of: $0)
    }
    guard isLeft != true else { return }
    let landing = DeepDeliveries.begin()
    AccessTracker.withoutTracking {
      deliverQueuedNow(of: object)
      landing?.end()
    }
  }
}
