/// Batches: many edits as one change.
extension ObservableArray {
  /// Runs `body`, and delivers all edits that it makes as one ``ArrayChange/Kind/batch``, which
  /// leads from the array before to the array after.
  ///
  ///     list.performBatchUpdates {
  ///       list.removeAll { $0.isDone }
  ///       list.append(contentsOf: arrived)
  ///     }
  ///
  /// Nothing is delivered if `body` edits nothing. Batches inside a batch are part of it. If `body`
  /// throws, the edits before that are delivered. Changes of elements that `body` makes are
  /// delivered after the batch. An observation that begins inside of `body` receives later edits;
  /// the others receive the earlier ones at that moment. A transaction inside of `body` delivers
  /// changes of paths that read the array at its own end, and leaves the edits to the end of the
  /// batch. Handlers with ``ObservationOptions/prior`` and getters, which run before an edit, may
  /// edit the array too; their edits are part of the batch.
  ///
  /// - Parameter body: Runs at once, on this thread, with no lock held.
  /// - Complexity: O(n) plus what the edits cost, if the array is observed.
  public func performBatchUpdates(_ body: () throws -> Void) rethrows {
    // A transaction holds its edits back from the first on.
    guard batch == nil, ObservationTransaction.current == nil else { return try body() }
    batch = ArrayBatch(of: self)
    defer { deliverBatch() }
    try body()
  }

  /// Begins a batch that lasts as long as the transaction of this thread, if there is one; nothing
  /// happens if the array has a batch, or no observers.
  @usableFromInline
  func joinTransaction() {
    guard batch == nil, let subject, let transaction = ObservationTransaction.current,
      // Removed elements live until the delivery of the edit, to paths too.
      subject.isObserved || subject.isRead && !subject.directPaths.isEmpty
    else { return }
    let batch = ArrayBatch(of: self, isOfTransaction: true)
    self.batch = batch
    transaction.add(batch)
  }

  /// Delivers the edits of the batch so far; nothing happens if there is no batch.
  ///
  /// Those of a transaction are delivered at its end, once to each observation: then observations
  /// that exist now receive another batch than later ones.
  ///
  /// - Returns: Whether there was something.
  @discardableResult @usableFromInline
  func flushBatch() -> Bool {
    // Asked before all elements are read.
    checkNotLent(for: .reading)
    guard let batch, batch.hasUndelivered else { return false }
    if batch.isOfTransaction {
      batch.split()
    } else {
      deliverBatch()
      self.batch = ArrayBatch(of: self)
    }
    return true
  }

  /// Has a change of an element wait for the end of the batch.
  @usableFromInline
  func hold(_ change: ElementChange, of element: AnyObject, at property: ElementProperty?) {
    guard let property else { return }
    batch?.waiting.append(WaitingChange(change, of: element, at: property, in: property.sink))
  }

  /// Has a live view follow a change of an element with all others of the transaction.
  func hold(_ element: AnyObject, for view: ArraySink) {
    joinTransaction()
    batch?.hold(element, for: view)
  }

  /// Ends the batch and delivers it. A handler's edits are changes of their own, as are those of
  /// deinits of what was removed.
  private func deliverBatch() {
    guard let batch else { return }
    // Numbered now: after changes that were stored, and delivered, in the middle of the batch.
    batch.id = Subject.nextChangeID()
    // Also if only changes of elements wait: a handler's edits would begin a batch of the
    // transaction, in place of this one.
    if let transaction = ObservationTransaction.current { return batch.join(transaction) }
    self.batch = nil
    // Without a subject no element is followed, whose changes might wait.
    guard let subject else { return }
    let edit = batch.recordings.last?.change(leadingTo: storage)
    let isChanged = edit != nil || !batch.dependents.isEmpty
    subject.didEdit(self, edit, after: isChanged ? batch : nil, with: batch.waiting)
  }
}

/// Edits of `performBatchUpdates`, or of a transaction, which holds back their delivery from the
/// first edit to the end.
@usableFromInline
final class ArrayBatch<Element>: HeldChange {
  private let array: ObservableArray<Element>

  /// Recordings that begin at different edits, for observers that came at different times.
  private(set) var recordings: [Recording] = []

  /// Changes of elements, which wait until the array is delivered.
  @usableFromInline var waiting: [WaitingChange] = []

  /// Those of live views, by their sinks, which they retain.
  private var viewChanges: [ObjectIdentifier: WaitingChange] = [:]

  /// Whether it is delivered at the end of a transaction.
  let isOfTransaction: Bool

  @usableFromInline
  init(of array: ObservableArray<Element>, isOfTransaction: Bool = false) {
    (self.array, self.isOfTransaction) = (array, isOfTransaction)
    super.init()
  }

  private var isRecording: Bool { recordings.last.map { $0.observers == nil } ?? false }

  /// Whether there are changes that an observation which begins now must not receive.
  var hasUndelivered: Bool { isRecording || !waiting.isEmpty && !isOfTransaction }

  /// Ends the recording, which is for those who observe the array now; others get the next one.
  func split() {
    guard isRecording, let infos = array.subject?.latestInfos else { return }
    recordings[recordings.count - 1].observers = Set(infos.all.map(\.order))
  }

  /// Has the next edit recorded, if anything depends on the array.
  @usableFromInline
  func beginRecording() {
    guard !isRecording, let subject = array.subject, subject.isFollowedUp else { return }
    recordings.append(Recording(array.storage, keepsOld: subject.needsOld))
  }

  func record(_ edit: ArrayEdit<Element>) {
    for index in recordings.indices { recordings[index].record(edit, in: array.storage) }
  }

  /// Adds what depends on an edit, to be evaluated when the batch ends.
  func collect(_ new: Dependents) {
    add(new)
    new.paths.visit { hold($0) }
  }

  /// Has a change of an element wait for a live view, which takes no notice of values, together
  /// with the others.
  func hold(_ element: AnyObject, for view: ArraySink) {
    if let known = viewChanges[ObjectIdentifier(view)] { return known.elements.append(element) }
    let change = WaitingChange(ElementChange(), of: element, at: nil, in: view)
    viewChanges[ObjectIdentifier(view)] = change
    waiting.append(change)
  }

  // MARK: - The end of a transaction

  override var viewDepth: Int { array.link?.depth ?? 0 }

  /// Ends the batch, and has all observations of the array record its edits; nothing happens if it
  /// has ended.
  override func note(id: UInt64) {
    guard array.batch === self else { return }
    array.batch = nil
    guard let subject = array.subject else { return }
    cause = recordings.isEmpty ? 0 : DeliveryProbe.set(subject, of: array, waits: true)
    // Also the cause of what it has held back.
    if let transaction = ObservationTransaction.current {
      for case let held? in [self, transaction.change(of: subject)] {
        transaction.noteCause(cause, of: held.dependents)
      }
    }
    split()
    var rest = subject.latestInfos
    for recording in recordings {
      guard let edits = recording.change(leadingTo: array.storage),
        let observers = recording.observers
      else { continue }
      let infos = rest.filter { observers.contains($0.order) }
      rest = rest.subtracting(infos)
      DeliveryProbe.resume(cause) { subject.note(edits, to: infos, id: id) }
      let change = SubjectChange(new: ValueBox(()))
      change.infos = infos
      later.append(change)
    }
    for change in waiting { change.note() }
    DeliveryProbe.resume(cause) {
      for change in later { change.infos.visit { $0.arraySink?.hookJoined() } }
    }
  }

  override func updateViews(id: UInt64) {
    for change in later {
      change.infos.visit { if $0.isOfView { $0.arraySink?.deliver(through: id) } }
    }
    for change in waiting where change.sink.token.isOfView { change.deliver() }
  }

  override func enqueue(in transaction: ObservationTransaction) -> Bool {
    guard let subject = array.subject else { return false }
    id = transaction.id
    let latest = subject.latestInfos
    for change in later {
      // Not where the path leads to another array by now: that change includes the edit.
      change.infos = change.infos.filter(latest.contains)
    }
    later.first?.dependents = dependents
    dependents.derived.countHolds(by: -1)
    hasTurn = enqueue(later, on: subject, in: transaction)
    return true
  }

  override func deliver() {
    if hasTurn { array.subject?.deliverQueued(of: array) }
    for change in waiting { change.deliver() }
  }

  /// Has a transaction that began inside of the batch deliver it. That holds back what the batch
  /// has noted before it too.
  fileprivate func join(_ transaction: ObservationTransaction) {
    let id = transaction.id > 0 ? transaction.id : id
    note(id: id)
    transaction.hold(dependents.paths)
    endHolds()
    hold(Dependents(derived: exchange(&dependents.derived, with: [])))
    transaction.add(self)
  }
}

extension ArrayBatch {
  /// Origins of the elements of an array since the first edit.
  struct Recording {
    /// The observers that it is for, but for those of earlier ones; `nil` in the last one, which is
    /// for all others. Not the infos: they would keep the handlers of observations that end before
    /// the transaction does. Pinned by ArrayLifetimeEndTests.
    var observers: Set<UInt128>?

    /// The elements before the first edit, if an observation asked for them.
    private let old: [Element]?

    /// Whether there was an edit, if only one that was taken back.
    private var isEdited = false

    /// For each element its index before the first edit; -1 if it is new.
    private var origins: [Int]

    /// Elements that were there before the first edit, and have been removed.
    private var removed: [ArrayChange<Element>.Entry] = []

    init(_ elements: [Element], keepsOld: Bool) {
      old = keepsOld ? elements : nil
      origins = Array(elements.indices)
    }
  }
}

extension ArrayBatch.Recording {
  /// - Parameter elements: Those after the edit.
  /// - Complexity: As that of the edit.
  mutating func record(_ edit: ArrayEdit<Element>, in elements: [Element]) {
    isEdited = true
    let entries = edit.entries(in: elements)
    for entry in entries where entry.newIndex == nil {
      if let index = entry.oldIndex, origins[index] >= 0 {
        removed.append(ArrayChange.Entry(entry.element, removedAt: origins[index]))
      }
    }
    origins.follow(entries)
  }

  /// All edits as one `ArrayChange`; `nil` if there was none.
  func change(leadingTo elements: [Element]) -> ValueBox? {
    guard isEdited else { return nil }
    let entries = ArrayChange.Entry.leading(to: elements, origins: origins, removing: removed)
    return ValueBox(ArrayChange(ArrayEdit(.batch, entries), elements: elements, before: old))
  }
}
