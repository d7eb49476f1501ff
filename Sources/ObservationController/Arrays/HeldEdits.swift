/// Edits of one array whose delivery a transaction holds back, from the first edit to the end.
final class HeldEdits: ChangedInTransaction {
  let viewDepth: Int

  private let array: AnyObject

  /// Ends the batch of the array, and adds what it has done.
  private let takeBatch: (HeldEdits, _ id: UInt64) -> Void

  private var edits: [Edit] = []

  /// Changes of elements, delivered after the edits.
  var waiting: [WaitingChange] = []

  /// The subject of which queuing the edits has begun a delivery.
  private var subject: Subject?

  private struct Edit {
    let subject: Subject

    /// The details of an `ArrayChange`.
    let change: AnyObject

    /// The infos that are notified.
    let infos: InfoList

    /// Event that traces have recorded for the edit; 0 if there is none.
    let cause: UInt64
  }

  init(
    of array: AnyObject, viewDepth: Int = 0,
    takeBatch: @escaping (HeldEdits, _ id: UInt64) -> Void = { _, _ in }
  ) {
    (self.array, self.viewDepth, self.takeBatch) = (array, viewDepth, takeBatch)
  }

  /// Adds an edit that all observations of the array have recorded.
  func add(_ change: AnyObject, on subject: Subject, for infos: InfoList, cause: UInt64) {
    edits.append(Edit(subject: subject, change: change, infos: infos, cause: cause))
  }

  func note(id: UInt64) { takeBatch(self, id) }

  func updateViews(id: UInt64, in transaction: ObservationTransaction) {
    var recipient = ObservationRecipient()
    for edit in edits {
      edit.infos.visit { info in
        if info.isOfView {
          info.arraySink?.deliver(through: id, recipient: &recipient)
        }
      }
    }
    for change in waiting where change.isOfView { change.deliver() }
  }

  func enqueue(
    _ entry: inout ObservationTransaction.Entry, id: UInt64, in transaction: ObservationTransaction
  ) -> Bool {
    for edit in edits {
      let latest = edit.subject.latestInfos
      // Not where the path leads to another array by now: that change includes the edit.
      let infos = edit.infos.filter { $0.isPath || latest.contains($0) }
      let change = PendingChange(id: id, new: ValueBox(edit.change), cause: edit.cause)
      (change.infos, change.paths) = (infos, infos.filter(\.isPath))
      if edit.subject.enqueue(change) {
        subject = edit.subject
      } else {
        transaction.leavePaths(among: edit.infos)
      }
    }
    return true
  }

  func deliver(_ entry: inout ObservationTransaction.Entry, id: UInt64) {
    subject?.deliverQueued(of: array)
    for change in waiting { change.deliver() }
  }
}

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
