/// Follows the key path to an array: notes its changes with the array's own, and leaves delivering
/// them to the follower.
final class ArrayPath: PathObservation {
  /// Receives old and new value of the path, and the number of the change.
  typealias Note = (_ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ id: UInt64) -> Void

  private let follower: ArrayFollower
  private let note: Note

  init(
    of object: AnyObject, _ accesses: PropertyAccesses, follower: ArrayFollower,
    read: @escaping (AnyObject) -> ValueBox, note: @escaping Note
  ) {
    self.follower = follower
    self.note = note
    super.init(
      dependencies: accesses.all.map { $0.dependency(of: object) }, keepsQueue: false, read: read)
  }

  override func rootWillGoLocked(_ info: ObservationInfo) -> SinkLoss { SinkLoss(ended: follower.token) }

  override func enqueue(_ change: PendingChange, for info: ObservationInfo) {
    // `nil` if the observation began or ended in between.
    guard let old = change.old, let new = change.new else { return }
    withExtendedLifetime((old, new)) { note(old.address, new.address, change.id) }
  }

  override func deliver(
    _ info: ObservationInfo, through id: UInt64, to recipient: inout ObservationRecipient
  ) {
    follower.deliverQueue(through: id, recipient: &recipient)
  }

  override func discard(through id: UInt64) {
    follower.discard(through: id)
  }
}
