import Synchronization

/// Receiver of the changes of a subject in place of a handler: a path, or an array.
///
///     subject ──▶ info ──▶ sink     strong
///
/// An info whose sink is `nil` observes the property itself. A sink may serve several infos, so
/// that each call names the info.
protocol Sink: AnyObject {
  /// See `ObservationInfo.token`. Guarded by the lock of the store.
  var separateToken: ObservationToken? { get set }

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
  ///
  /// - Returns: The observation that ends with the object, and references to be released outside of
  ///   every lock.
  func subjectWillDeallocateLocked(_ subject: Subject, of info: ObservationInfo)
    -> (ended: ObservationInfo?, freed: [Any])

  /// Ends the observation, if the object that it is of is being deallocated or is gone. With no
  /// lock held, after an info was removed from the subject of another object.
  func endIfRootIsGone(_ info: ObservationInfo)

  /// Removes an info that has ended from its subjects. Under the lock of the store.
  ///
  /// - Returns: References to be released outside of every lock.
  func detachLocked(_ info: ObservationInfo) -> Any

  /// Has a live view follow a change of an element with all others of the transaction, at its end.
  func gather(_ element: AnyObject)

  /// Has an aggregate depend on the elements themselves, since a transaction holds back the change
  /// of one.
  func noteHeld()

  /// The array that changes of its elements are joined for at the end of a transaction; `nil` for
  /// what is notified of them one by one.
  var joiner: (any Sink)? { get }

  /// Has the array join the changes of elements that are delivered to it from now on.
  ///
  /// - Returns: The info to notify in place of those that the changes reach; `nil`, and nothing
  ///   happens, if changes can't be joined now.
  func beginJoining() -> ObservationInfo?

  /// Records what has been joined as one change, with the edit of the transaction, if there is one.
  ///
  /// - Parameter id: The number of all changes of the transaction.
  func endJoining(as id: UInt64)

  /// Has a live view wait, since a property that it follows is going to be mutated in place; and an
  /// array with the element, should that come.
  ///
  /// - Parameter owner: The object of the property.
  func beginMutation(of owner: ObjectIdentifier)

  /// Ends the waiting, before the mutation is delivered.
  func endMutation(of owner: ObjectIdentifier)

  /// Delivers what has waited for the end of a mutation.
  func deliverPostponed()

  #if DEBUG
    /// What is wrong with the sink while nothing is going on.
    func _checkInvariants() -> [String]
  #endif
}

/// Defaults: only arrays have elements.
extension Sink {
  func gather(_ element: AnyObject) {}
  func noteHeld() {}
  var joiner: (any Sink)? { nil }
  func beginJoining() -> ObservationInfo? { nil }
  func endJoining(as id: UInt64) {}
  func beginMutation(of owner: ObjectIdentifier) {}
  func endMutation(of owner: ObjectIdentifier) {}
  func deliverPostponed() {}
}
