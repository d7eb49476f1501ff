/// A change of an element that was made inside of a batch, or while a plain array was being
/// changed, and waits until the change of the array is delivered.
@usableFromInline
final class WaitingChange {
  private let sink: ArraySink
  private let element: AnyObject
  private let property: ElementProperty
  private let old: ValueBox?
  private let new: ValueBox

  /// The event that traces have recorded as its cause; 0 if there is none.
  private let cause: UInt64

  /// The number that the change has in the queue of the sink, once it has been recorded.
  private var id: UInt64?

  init(
    _ delivery: ObservationDelivery, of element: AnyObject, at property: ElementProperty
  ) {
    sink = property.sink
    self.element = element
    self.property = property
    old = delivery.old.map(property.box)
    new = property.box(delivery.new)
    cause = DeliveryProbe.cause(for: property.sink.token)
  }

  /// Queues the change behind that of the array, with the places that the element has then.
  ///
  /// - Parameter id: The number of the change that it is delivered with; a new one if it is not.
  func note(id: UInt64 = Subject.nextChangeID()) {
    self.id = id
    ObservationDelivery.withValues(old, new) { delivery in
      DeliveryProbe.resume(cause) { sink.queue(delivery, of: element, at: property, id: id) }
    }
  }

  /// Whether it is delivered to a live view.
  var isOfView: Bool { sink.token.isOfView }

  func deliver() {
    guard let id else { return }
    var recipient = ObservationRecipient()
    sink.deliver(through: id, recipient: &recipient)
  }
}
