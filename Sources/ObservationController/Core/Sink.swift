/// Receiver of the changes of a subject in place of a handler: a path, or an array.
///
///     subject ──▶ info ──▶ sink     strong
///
/// An info whose sink is `nil` observes the property itself. A sink may serve several infos, so
/// that each call names the info.
protocol Sink: AnyObject {
  /// Whether it acts before a property is stored.
  var actsBeforeStore: Bool { get }

  /// Needs of the subject that lists the info, beyond being notified; see `Phase`.
  func needs(isAtomic: Bool) -> Phase.RawValue

  /// Prepares for a change: notes the value before it, and delivers that where `.prior` asks for
  /// it.
  func willChange(_ info: ObservationInfo, to recipient: inout ObservationRecipient)

  /// Notes the value before a change in a transaction, which delivers `.prior` at its end.
  func noteBefore(_ info: ObservationInfo)

  /// Evaluates what depends on a change that has been stored, and queues the result.
  func didChange(_ info: ObservationInfo, id: UInt64)

  /// Evaluates what depends on a derived property, if that has changed, and queues the result.
  ///
  /// - Parameter version: That of the value now.
  func derivedDidChange(_ info: ObservationInfo, of subject: Subject, version: UInt32, id: UInt64)

  /// Evaluates what depends on a change that has been stored, and delivers the result, where no
  /// other info is notified of the change.
  ///
  /// - Returns: `false` if it has to wait for something.
  func didChangeAlone(
    _ info: ObservationInfo, id: UInt64, to recipient: inout ObservationRecipient
  ) -> Bool

  /// Whether the change is queued.
  func hasQueued(_ id: UInt64) -> Bool

  /// Delivers queued changes up to a number.
  func deliver(
    _ info: ObservationInfo, through id: UInt64, to recipient: inout ObservationRecipient)

  /// Delivers queued changes, when the delivery of the subject reaches the info.
  ///
  /// - Parameters:
  ///   - delivery: Delivery of the subject.
  ///   - id: Number up to which changes are delivered.
  func deliver(
    _ info: ObservationInfo, _ delivery: ObservationDelivery, of object: AnyObject,
    through id: UInt64, to recipient: inout ObservationRecipient
  )

  /// Drops queued changes up to a number, which a cycle kept from being delivered.
  func discard(through id: UInt64)

  /// Removes an info from a subject whose object is being deallocated. Under the lock of the store.
  func subjectWillGoLocked(_ subject: Subject, of info: ObservationInfo) -> SinkLoss

  /// Adds an info to its subjects, which the caller retains. Under the lock of the store.
  func attachLocked(_ info: ObservationInfo)

  /// Removes an info that has ended from its subjects. Under the lock of the store.
  ///
  /// - Returns: References to be released outside of every lock.
  func detachLocked(_ info: ObservationInfo) -> Any

  /// Records an edit of the array that has been stored.
  func noteEdit(_ change: AnyObject, id: UInt64)

  /// Attaches to elements that have joined the array.
  func hookJoined()

  /// Reads the property that an info of the sink's own observes; `nil` if `object` does not have
  /// it.
  func read(_ info: ObservationInfo, of object: AnyObject) -> ValueBox?

  /// Notes a change of an element, to follow all such changes of a transaction together.
  ///
  /// - Returns: `false` if the change has to be delivered by itself.
  func gather(_ object: AnyObject) -> Bool

  /// Delivers the changes that it has gathered.
  ///
  /// - Returns: `false` if that has to wait for another edit of the array.
  func deliverGathered(id: UInt64) -> Bool
}

/// Consequences of the end of an object for a sink.
struct SinkLoss {
  /// The observation that ends with it.
  var ended: ObservationInfo?

  /// To be released outside of every lock.
  var freed: [Any] = []
}

/// Defaults: most sinks act only after a store, and only arrays record edits.
extension Sink {
  var actsBeforeStore: Bool { false }

  func needs(isAtomic: Bool) -> Phase.RawValue { 0 }

  func willChange(_ info: ObservationInfo, to recipient: inout ObservationRecipient) {}

  func noteBefore(_ info: ObservationInfo) {}

  func didChange(_ info: ObservationInfo, id: UInt64) {}

  func derivedDidChange(
    _ info: ObservationInfo, of subject: Subject, version: UInt32, id: UInt64
  ) {}

  func didChangeAlone(
    _ info: ObservationInfo, id: UInt64, to recipient: inout ObservationRecipient
  ) -> Bool { false }

  func hasQueued(_ id: UInt64) -> Bool { false }

  func deliver(
    _ info: ObservationInfo, through id: UInt64, to recipient: inout ObservationRecipient
  ) {}

  func noteEdit(_ change: AnyObject, id: UInt64) {}

  func hookJoined() {}

  func attachLocked(_ info: ObservationInfo) {}

  func read(_ info: ObservationInfo, of object: AnyObject) -> ValueBox? { nil }

  func gather(_ object: AnyObject) -> Bool { false }

  func deliverGathered(id: UInt64) -> Bool { true }
}
