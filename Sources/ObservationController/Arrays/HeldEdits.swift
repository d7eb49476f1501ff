/// Edits of one array whose delivery a transaction holds back, from the first edit to the end.
final class HeldEdits: ChangedInTransaction {
  let viewDepth: Int

  private let array: AnyObject

  /// Ends the batch of the array, and adds what it has done.
  private let takeBatch: (HeldEdits, _ id: UInt64) -> Void

  private var edits: [Edit] = []

  /// Changes of elements, delivered after the edits.
  private var waiting: [WaitingChange] = []

  /// Where queuing the edits has begun a delivery.
  private var subject: Subject?

  private struct Edit {
    let subject: Subject

    /// The details of an `ArrayChange`.
    let change: AnyObject

    /// Those who are notified.
    let infos: InfoList

    /// What traces have recorded the edit as; 0 if they have not.
    let cause: UInt64
  }

  init(
    of array: AnyObject, viewDepth: Int = 0,
    takeBatch: @escaping (HeldEdits, _ id: UInt64) -> Void = { _, _ in }
  ) {
    (self.array, self.viewDepth, self.takeBatch) = (array, viewDepth, takeBatch)
  }

  /// Adds an edit that has been recorded by all who observe the array.
  func add(_ change: AnyObject, on subject: Subject, for infos: InfoList, cause: UInt64) {
    edits.append(Edit(subject: subject, change: change, infos: infos, cause: cause))
  }

  func add(_ changes: [WaitingChange]) { waiting += changes }

  func note(id: UInt64) { takeBatch(self, id) }

  func updateViews(id: UInt64, in transaction: ObservationTransaction) {
    var recipient = ObservationRecipient()
    for edit in edits {
      edit.infos.visit { info in
        if info.isOfView {
          (info.sink as? ArraySink)?.deliverQueue(through: id, recipient: &recipient)
        }
      }
    }
    for change in waiting where change.isOfView { change.deliver() }
  }

  func enqueue(_ entry: inout HeldEntry, id: UInt64) -> Bool {
    for edit in edits {
      let change = PendingChange(id: id, new: ValueBox(edit.change), cause: edit.cause)
      change.infos = edit.infos
      if edit.subject.enqueue(change) { subject = edit.subject }
    }
    return true
  }

  func deliver(_ entry: inout HeldEntry, id: UInt64) {
    subject?.deliverQueued(of: array)
    for change in waiting { change.deliver() }
  }
}
