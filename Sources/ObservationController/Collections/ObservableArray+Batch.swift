/// Many edits as one change.
extension ObservableArray {
  /// Runs `body`, and tells of all edits that it makes at once, in one ``ArrayChange/Kind/batch``
  /// that leads from the array before to the array after.
  ///
  ///     list.performBatchUpdates {
  ///       list.removeAll { $0.isDone }
  ///       list.append(contentsOf: arrived)
  ///     }
  ///
  /// Nobody is told if `body` edits nothing. Batches inside a batch are part of it. What was done
  /// before `body` throws is told. Changes of elements that `body` makes are told after the batch.
  /// Whoever begins to observe the array inside of `body` is told of what comes from then on; the
  /// others are told what came before at that moment.
  ///
  /// - Complexity: O(n) plus what the edits cost, if the array is observed.
  public func performBatchUpdates(_ body: () throws -> Void) rethrows {
    guard batch == nil else { return try body() }
    batch = ArrayBatch()
    isPlain = false
    defer { endBatch() }
    try body()
  }

  private func endBatch() {
    guard let batch else { return }
    self.batch = nil
    isPlain = handle == nil && link == nil
    tell(of: batch)
  }

  /// Tells what the batch under way has done so far; nothing happens if there is none.
  func flushBatch() {
    guard let batch, batch.hasNews else { return }
    // Told as if the batch were over: a handler's edits are changes of their own, as are those of
    // deinits of what was removed.
    self.batch = nil
    tell(of: batch)
    self.batch = batch
  }

  private func tell(of batch: ArrayBatch<Element>) {
    let (recording, waiting) = batch.takeNews()
    guard let recording, let subject = handle?.subject else {
      for change in waiting { change.note() }
      for change in waiting { change.deliver() }
      return
    }
    let edit = recording.isEdited ? recording.edit(leadingTo: storage) : nil
    tell(
      edit, announced: Announcement(transition: recording.transition, old: recording.old),
      on: subject, with: waiting)
  }
}

/// The edits of `performBatchUpdates`.
@usableFromInline
final class ArrayBatch<Element> {
  /// Since the first edit of the array while somebody observes it.
  var recording: Recording?

  /// Changes of elements, which wait until the array is told.
  var waiting: [WaitingChange] = []

  init() {}

  var hasNews: Bool { recording != nil || !waiting.isEmpty }

  func takeNews() -> (Recording?, [WaitingChange]) {
    defer { (recording, waiting) = (nil, []) }
    return (recording, waiting)
  }
}

extension ArrayBatch {
  /// Where each element came from.
  struct Recording {
    var transition: Subject.Transition?

    /// Whether everybody who acts before the edits has done so; else they are doing it.
    var isAnnounced = false

    /// The elements before the first edit, if somebody asked for them.
    let old: [Element]?

    /// Whether there was an edit, if only one that was taken back.
    private(set) var isEdited = false

    /// For each element its index before the first edit; -1 if it is new.
    private var origins: [Int]

    private let oldCount: Int

    /// What was there before the first edit and has been removed, by its index then.
    private var removed: [Int: Element] = [:]

    init(_ elements: [Element], keepsOld: Bool) {
      old = keepsOld ? elements : nil
      oldCount = elements.count
      origins = Array(elements.indices)
    }
  }
}

extension ArrayBatch.Recording {
  /// - Parameter elements: Those after the edit.
  /// - Complexity: As that of the edit.
  mutating func record(_ edit: ArrayEdit<Element>, in elements: [Element]) {
    isEdited = true
    guard let replaced = edit.replaced else { return record(edit.entries(in: elements)) }
    for (origin, element) in zip(origins, replaced) { note(element, removedFrom: origin) }
    origins = [Int](repeating: -1, count: elements.count)
  }

  private mutating func record(_ entries: [ArrayChange<Element>.Entry]) {
    var moves: [ArrayChange<Int>.Entry] = []
    moves.reserveCapacity(entries.count)
    for entry in entries {
      var origin = -1
      if let index = entry.oldIndex {
        origin = origins[index]
        if entry.newIndex == nil { note(entry.element, removedFrom: origin) }
      }
      moves.append(
        ArrayChange.Entry(
          element: entry.oldIndex == nil ? -1 : origin, oldIndex: entry.oldIndex,
          newIndex: entry.newIndex))
    }
    if IndexEdit(moves).isInPlace {
      // Nothing shifts.
      for move in moves {
        if let index = move.newIndex { origins[index] = move.element }
      }
    } else {
      origins.apply(moves)
    }
  }

  private mutating func note(_ element: Element, removedFrom origin: Int) {
    if origin >= 0 { removed[origin] = element }
  }

  /// What all edits together did.
  func edit(leadingTo elements: [Element]) -> ArrayEdit<Element> {
    ArrayEdit(
      .batch,
      ArrayChange.Entry.leading(oldCount: oldCount, new: elements, origins: origins) {
        removed[$0]!
      })
  }
}
