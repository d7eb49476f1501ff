/// A change of an element that was made inside of a batch, or while a plain array was being changed,
/// and waits until the array is told.
@usableFromInline
final class WaitingChange {
  private let follower: ArrayFollower
  private let element: AnyObject
  private let property: ElementProperty
  private let old: ValueBox?
  private let new: ValueBox

  /// What traces have recorded that it is because of; 0 if they have not.
  private let cause: UInt64

  /// The number that the change has in the queue of the follower, once it has been noted.
  private var id: UInt64?

  init(
    _ delivery: ObservationDelivery, of element: AnyObject, at property: ElementProperty,
    for follower: ArrayFollower
  ) {
    self.follower = follower
    self.element = element
    self.property = property
    old = delivery.old.map(property.box)
    new = property.box(delivery.new)
    cause = Tracer.cause(for: follower.token)
  }

  /// Queues the change behind that of the array, with the places that the element has then.
  ///
  /// - Parameter id: The number of the change that it is delivered with; a new one if it is not.
  func note(id: UInt64 = Subject.nextChangeID()) {
    self.id = id
    withExtendedLifetime((old, new)) {
      Tracer.resume(cause) {
        follower.queue(
          ObservationDelivery(old: old?.address, new: new.address, kind: .change), of: element,
          at: property, id: id)
      }
    }
  }

  /// Whether it is told to a live view.
  var isOfView: Bool { follower.token.isOfView }

  func deliver() {
    guard let id else { return }
    var recipient = ObservationRecipient()
    follower.deliverQueue(through: id, recipient: &recipient)
  }
}
