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
    try performBatch(body)
  }
}

extension ObservableArray: BatchedCollection {
  /// Removed elements live until the delivery of the edit, to paths too.
  @usableFromInline
  var isDependedOn: Bool {
    guard let subject else { return false }
    return subject.isObserved || subject.isRead && !subject.directPaths.isEmpty
  }

  @usableFromInline var openBatch: CollectionBatch? { batch }

  @usableFromInline
  func beginBatch(isOfTransaction: Bool) -> CollectionBatch {
    let new = ArrayBatch(of: self, isOfTransaction: isOfTransaction)
    batch = new
    return new
  }

  @usableFromInline
  func endBatch() { batch = nil }

  @usableFromInline
  func checkIsWhole() { checkNotLent(for: .reading) }

  /// Has a live view follow a change of an element with all others of the transaction.
  func hold(_ element: AnyObject, for view: ArraySink) {
    joinTransaction()
    batch?.hold(element, for: view)
  }
}

/// The batch of an array, which records the origins of its elements.
@usableFromInline
final class ArrayBatch<Element>: CollectionBatch {
  private let array: ObservableArray<Element>

  private var recordings: [Recording] = []

  /// Changes of elements for live views, by their sinks, which they retain.
  private var viewChanges: [ObjectIdentifier: WaitingChange] = [:]

  @usableFromInline
  init(of array: ObservableArray<Element>, isOfTransaction: Bool = false) {
    self.array = array
    super.init(of: array, isOfTransaction: isOfTransaction)
  }

  override func addRecording(on subject: Subject) {
    recordings.append(Recording(array.storage, keepsOld: subject.needsOld))
  }

  override func change(ofRecording index: Int) -> ValueBox? {
    recordings[index].change(leadingTo: array.storage)
  }

  func record(_ edit: ArrayEdit<Element>) {
    for index in recordings.indices { recordings[index].record(edit, in: array.storage) }
  }

  /// Has a change of an element wait for a live view, which takes no notice of values, together
  /// with the others.
  func hold(_ element: AnyObject, for view: ArraySink) {
    if let known = viewChanges[ObjectIdentifier(view)] { return known.elements.append(element) }
    let change = WaitingChange(ElementChange(), of: element, at: nil, in: view)
    viewChanges[ObjectIdentifier(view)] = change
    waiting.append(change)
  }
}

extension ArrayBatch {
  /// Origins of the elements of an array since the first edit.
  struct Recording {
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
