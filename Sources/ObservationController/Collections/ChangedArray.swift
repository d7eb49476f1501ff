/// An array that is edited in a transaction: all of it is one batch.
final class ChangedArray<Element> {
  private let array: ObservableArray<Element>

  /// What has been noted.
  private var edits: [NotedEdit] = []

  init(_ array: ObservableArray<Element>) {
    self.array = array
  }
}

extension ChangedArray: ChangedInTransaction {
  var viewDepth: Int { array.link?.depth ?? 0 }

  func note(id: UInt64) {
    guard let batch = array.takeBatch(), let subject = array.subject else { return }
    let cause = Tracer.isOn && batch.hasNews ? Tracer.set(subject, of: array, waits: true) : 0
    for part in batch.takeParts(for: subject.latestInfos) {
      guard let edit = array.edit(of: part.recording) else { continue }
      let change = ArrayChangeDetails(
        edit, elements: array.storage, oldElements: part.recording.old)
      if cause == 0 {
        subject.note(change, to: part.infos, id: id)
      } else {
        Tracer.resume(cause) { subject.note(change, to: part.infos, id: id) }
      }
      edits.append(
        NotedEdit(
          subject: subject, array: array, change: change, infos: part.infos, waiting: [],
          cause: cause))
    }
    let waiting = batch.takeWaiting()
    for change in waiting { change.note() }
    if !waiting.isEmpty {
      edits.append(
        NotedEdit(subject: subject, array: array, change: nil, infos: .none, waiting: waiting))
    }
  }

  func updateViews(id: UInt64) {
    for edit in edits { edit.updateViews(id: id) }
  }

  func enqueue(id: UInt64) -> AnyObject? {
    for edit in edits { _ = edit.enqueue(id: id) }
    return self
  }

  func deliver(of object: AnyObject) {
    for edit in edits { edit.deliver(of: array) }
  }
}

/// An edit that has been noted in a transaction by all who follow the array.
final class NotedEdit: ChangedInTransaction {
  let subject: Subject
  let array: AnyObject

  /// The details of an `ArrayChange`.
  let change: AnyObject?

  /// Those who are told.
  let infos: InfoList

  /// Changes of elements, to be told after it.
  let waiting: [WaitingChange]

  /// What it is recorded as by traces; 0 if it is not.
  var cause: UInt64 = 0

  /// Whether queuing it has begun a delivery of the subject.
  private var hasTurn = false

  init(
    subject: Subject, array: AnyObject, change: AnyObject?, infos: InfoList,
    waiting: [WaitingChange], cause: UInt64 = 0
  ) {
    (self.subject, self.array, self.change) = (subject, array, change)
    (self.infos, self.waiting, self.cause) = (infos, waiting, cause)
  }

  func updateViews(id: UInt64) {
    var recipient = ObservationRecipient()
    infos.visit { info in
      if info.isOfView, let sink = info.sink as? ArraySink {
        sink.deliverQueue(through: id, recipient: &recipient)
      }
    }
    for change in waiting where change.isOfView { change.deliver() }
  }

  func enqueue(id: UInt64) -> AnyObject? {
    guard let change else { return self }
    let pending = PendingChange(id: id, new: ValueBox(change), cause: cause)
    pending.infos = infos
    hasTurn = subject.enqueue(pending)
    return self
  }

  func deliver(of object: AnyObject) {
    if hasTurn { subject.deliverQueued(of: array) }
    for change in waiting { change.deliver() }
  }
}
