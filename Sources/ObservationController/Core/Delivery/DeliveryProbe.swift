/// Way of changes and deliveries as diagnostics see it. Costs one relaxed load unless a trace
/// records.
enum DeliveryProbe: Sendable {
  /// Whether a trace records.
  @inline(__always)
  static var isInstalled: Bool { ThreadActivity.isAnyTracing }

  /// By a cast, since only a layer above knows of the conformance.
  static let diagnostics = DeliveryProbe.self as Any.Type as? any DeliveryProbe.Diagnostics.Type

  /// Services of Diagnostics for Core, where nothing refers to it.
  protocol Diagnostics: Sendable {
    /// Records an event for traces.
    ///
    /// Called on the thread that the event happens on, possibly under the lock of an atomic
    /// property: calls no user code, and retains no object beyond the call. A thread that has found
    /// that a trace records may call it when none does.
    ///
    /// - Returns: Number of the event; 0 if it is not recorded.
    static func add(_ event: DeliveryProbe.Event) -> UInt64

    /// Records that an event has ended, with everything that it led to; nothing if it is 0.
    static func finish(_ event: UInt64)

    /// Records that a delivery hands the change over to a queue or an actor.
    static func handOver(_ delivery: UInt64, to info: ObservationInfo)

    /// Learns the key path by which a getter has reported its property.
    static func learn(_ keyPath: AnyKeyPath?, of subject: Subject)

    /// Class and name of the property whose storage holds a subject, a node, or an atomic property;
    /// `nil` if there is none. Of `owner` only the library's own storage is read.
    static func name(of storage: AnyObject, in owner: AnyObject) -> String?

    /// Remembers the class and the name of a property.
    static func learn(name: String, of subject: Subject)

    /// Finds out the names of the properties of `owner`. Not under a lock. Of `owner` only the
    /// library's own storage is read.
    static func learnNames(in owner: AnyObject)

    /// Finds out the names in the key path of an observation, unless they are known. Not under a
    /// lock.
    ///
    /// Of the object only the library's own storage is read: the user's properties may be in use
    /// on other threads.
    static func learnNames(of info: ObservationInfo)

    /// Finds out the names of derived properties of `owner`, unless they are known. Not under a
    /// lock. Of `owner` only the library's own storage is read.
    static func learnNames(of keyPaths: [AnyKeyPath], in owner: AnyObject)
  }
}

extension DeliveryProbe {
  /// Event on the way of a change.
  enum Event {
    /// A property was set, or an array edited. `waits` says that its delivery comes later.
    case set(Subject, of: AnyObject, waits: Bool)

    /// An event, which has a subject as a property has one, was sent.
    case send(Subject, of: AnyObject)

    /// A hook was asked.
    case question(AnyObject)

    /// A notification was posted.
    case post(name: String)

    case transaction

    /// A handler is called. The caller retains the observer.
    case delivery(ObservationInfo, of: AnyObject, ObservationDelivery.Kind)

    /// A handler is not called.
    case skip(ObservationInfo, SkipReason)

    /// A path follows other properties from now on.
    case rehook(ObservationInfo)

    case issue(ObservationIssue)

    enum SkipReason {
      case ended
      case observerGone
      case equal
    }
  }
}

// MARK: - Recording

extension DeliveryProbe {
  /// Records an event.
  ///
  /// - Returns: Number of the event; 0 if no trace records.
  @discardableResult
  static func record(_ event: @autoclosure () -> Event) -> UInt64 {
    isInstalled ? diagnostics?.add(event()) ?? 0 : 0
  }

  /// Records an event, and runs `body` as what it leads to.
  static func record<Result>(
    _ event: @autoclosure () -> Event, around body: () throws -> Result
  ) rethrows -> Result {
    try within(record(event()), body)
  }

  /// Records that a property was set, unless it has no observers, and nothing observed derives from
  /// it.
  ///
  /// - Parameters:
  ///   - isNotified: Whether something observed derives from the property.
  ///   - waits: Whether the delivery comes later.
  static func set(
    _ subject: Subject, of object: AnyObject, isNotified: Bool = false, waits: Bool = false
  ) -> UInt64 {
    guard isInstalled else { return 0 }
    let paths = subject.directPaths
    guard subject.isObserved || isNotified || !paths.isEmpty else { return 0 }
    let event = record(.set(subject, of: object, waits: waits))
    ObservationTransaction.current?.noteCause(
      event, of: Dependents(derived: [subject], paths: paths))
    return event
  }
}

// MARK: - Causes

extension DeliveryProbe {
  /// Runs `body` as what a recorded event leads to, and has the event end with it. Only runs `body`
  /// if the thread is inside of the event already.
  static func within<Result>(_ event: UInt64, _ body: () throws -> Result) rethrows -> Result {
    guard isInstalled, event != current else { return try body() }
    defer { diagnostics?.finish(event) }
    return try resume(event, depth: event == 0 ? 0 : 1, body)
  }

  /// Runs `body` as what an event leads to that was recorded earlier, or on another thread.
  ///
  /// - Parameters:
  ///   - event: 0 if it is not known: it is not the event that the thread is inside of either.
  ///   - depth: Number of events that begin with `body`.
  static func resume<Result>(
    _ event: UInt64, depth: Int = 0, _ body: () throws -> Result
  ) rethrows -> Result {
    guard isInstalled else { return try body() }
    let depth = ThreadContext.current.event.depth + depth
    return try ThreadContext.with(\.event, .init(number: event, depth: depth), body)
  }

  /// Event that this thread is inside of; 0 for none.
  static var current: UInt64 { ThreadContext.current.event.number }

  /// Event that leads to a delivery to `info`, as far as this thread knows; 0 if it does not.
  static func cause(for info: ObservationInfo) -> UInt64 {
    guard isInstalled else { return 0 }
    return ObservationTransaction.current?.causes?[info.serial] ?? current
  }
}
