/// Stages of an edit: the array is edited, observers are notified.
///
///     append ─▶ prior deliveries of paths ─▶ storage ─▶ observations record the change ─▶ dispatcher
///
/// The edit itself runs no user code. What comes before and after it may edit the array again: that
/// is stored at once, and delivered in its turn. Inlinable, so that it is compiled for the type of
/// the elements where the array is edited: that makes an observed `append` twenty times as fast.
extension ObservableArray {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  /// Makes one edit.
  ///
  /// - Parameters:
  ///   - count: How many elements there have to be for the places that the edit names.
  ///   - isByView: Whether a live view follows its source; other edits of one are reported.
  ///   - body: Edits `storage`, and says how; `nil` if it did nothing.
  @inlinable
  func edit(
    needing count: Int = 0, isByView: Bool = false, _ body: () throws -> ArrayEdit<Element>?
  ) rethrows {
    if let link, !isByView { return link.reportEdit() }
    checkNotLent(for: .edit)
    if ThreadActivity.isAnyInTransaction { joinTransaction() }
    defer { version &+= 1 }
    if batch != nil {
      try editInBatch(needing: count, body)
    } else if let subject, subject.isFollowedUp {
      let acts = subject.has(Subject.Phase.actsOnSet)
      let change = acts ? announce(on: subject, needing: count) : nil
      // Read after handlers that run before the edit, which may have edited the array. A second
      // reference makes the edit copy them.
      let old = subject.needsOld ? storage : nil
      var edit: ValueBox?
      defer { subject.didEdit(self, edit, after: change) }
      edit = try body().map { ValueBox(ArrayChange($0, elements: storage, before: old)) }
    } else {
      _ = try body()
    }
  }

  @usableFromInline
  func editInBatch(needing count: Int, _ body: () throws -> ArrayEdit<Element>?) rethrows {
    if let subject, subject.has(Subject.Phase.actsOnSet) {
      _ = announce(on: subject, needing: count)
    }
    // Behind handlers, which may make edits that are part of the batch, and begin observations.
    batch?.beginRecording()
    if let edit = try body() { recordInBatch(edit) }
  }

  /// Records an edit that has been stored, and holds back what depends on it.
  @usableFromInline
  func recordInBatch(_ edit: ArrayEdit<Element>) {
    guard let batch else { return }
    // Removed elements are freed when no reader is served a stale value any more.
    defer { withExtendedLifetime(edit) {} }
    batch.record(edit)
    guard let subject, subject.isRead else { return }
    batch.holdBack(subject.markAndCollect(), of: subject)
  }

  /// Makes prior deliveries of paths before an edit, unless an earlier one of the batch has. Their
  /// handlers may edit the array too: the places that the edit names are those that it finds then;
  /// traps if they have been removed.
  ///
  /// - Returns: The change; `nil` if no path had a prior delivery, or in a batch.
  @usableFromInline
  func announce(on subject: Subject, needing needed: Int) -> SubjectChange? {
    let count = storage.count
    var change: SubjectChange?
    // Again if the edits of the batch so far have been delivered meanwhile: this edit will be
    // delivered after them.
    for _ in 0..<ThreadContext.maximumRounds {
      let before = batch
      if let before, ObservationTransaction.current == nil {
        // Observations that begin meanwhile, and edits that they make, find them recorded. Without
        // the turn to deliver: the user's code runs until the batch ends.
        subject.notifyObservation()
        subject.deliverPriorOfPaths(before: before)
      } else {
        // The value is not read: paths have kept theirs, and arrays have no prior deliveries.
        change = withUnsafePointer(to: self) {
          subject.willChange(of: self, current: $0, next: nil)
        }
      }
      if batch === before { break }
    }
    if storage.count < needed, needed <= count {
      fatalError(
        """
        An edit of an ObservableArray names a place that is gone: there were \(count) elements, and what \
        ran before the edit has left \(storage.count). Don't remove elements of an array in what is \
        called before it changes: a .prior handler
        """)
    }
    return change
  }

  /// Makes an edit that a closure of the user's decides on.
  ///
  /// - Parameter plan: Receives the elements, and returns the edit; `nil` for none. Called again if
  ///   a handler that runs before the edit edits the array.
  func editAsPlanned(_ plan: ([Element]) throws -> ArrayEdit<Element>?) rethrows {
    var result: [Element]?
    try editAsPlanned(leadingTo: &result) { before, _ in try plan(before) }
  }

  /// - Parameters:
  ///   - result: The elements after the edit, if the plan knows them; otherwise its entries are
  ///     applied.
  ///   - plan: Receives the elements and `result`.
  func editAsPlanned(
    leadingTo result: inout [Element]?,
    _ plan: ([Element], inout [Element]?) throws -> ArrayEdit<Element>?
  ) rethrows {
    checkNotLent(for: .edit)
    func checkedPlan(_ result: inout [Element]?) throws -> ArrayEdit<Element>? {
      let before = version
      // Edits of an array without observers are counted meanwhile.
      isPlain = false
      defer { isPlain = subject == nil && link == nil }
      let edit = try plan(storage, &result)
      precondition(
        version == before,
        "An ObservableArray was edited by a closure that was passed to an edit of it")
      return edit
    }
    guard let edit = try checkedPlan(&result) else { return }
    let plannedVersion = version
    try self.edit {
      guard let edit = version == plannedVersion ? edit : try checkedPlan(&result) else {
        return nil
      }
      guard let result else {
        storage.apply(edit.stored)
        return edit
      }
      // Released after the access: deinits may read the array.
      withExtendedLifetime(exchange(&storage, with: result)) {}
      return edit
    }
  }
}

// MARK: - Elements

extension ObservableArray {
  // Places that are not given are found in the edit: handlers before it may edit the array.

  /// - Parameters:
  ///   - bounds: `nil` for the end.
  ///   - elements: Runs no code of the user's.
  /// - Returns: The removed elements; none if the array is a live view.
  @inlinable
  @discardableResult
  func replaceElements(
    at bounds: Range<Int>?, with elements: some Collection<Element>
  ) -> [Element] {
    guard !(bounds?.isEmpty ?? true) || !elements.isEmpty else { return [] }
    var removed: [Element] = []
    if isPlain {
      return replaceStorage(at: bounds ?? storage.endIndex..<storage.endIndex, with: elements)
    }
    edit(needing: bounds?.upperBound ?? 0) {
      let bounds = bounds ?? storage.endIndex..<storage.endIndex
      removed = replaceStorage(at: bounds, with: elements)
      if bounds.isEmpty, elements.count == 1 { return ArrayEdit(.insertion, at: bounds.lowerBound) }
      return ArrayEdit(
        removed.isEmpty ? .insertion : elements.isEmpty ? .removal : .replacement,
        Entry.replacing(removed, with: Array(elements), at: bounds.lowerBound))
    }
    return removed
  }

  /// - Returns: The removed elements, released after the access: their deinits may read the array.
  @inlinable
  func replaceStorage(at bounds: Range<Int>, with elements: some Collection<Element>) -> [Element] {
    let removed = bounds.isEmpty ? [] : Array(storage[bounds])
    storage.replaceSubrange(bounds, with: elements)
    return removed
  }

  @inlinable
  func setStorage(
    _ elements: [Element], as kind: ArrayChange<Element>.Kind = .setting
  ) -> ArrayEdit<Element> {
    ArrayEdit(kind, replaced: exchange(&storage, with: elements))
  }

  /// Edits a live view.
  ///
  /// - Parameter kind: `nil` for that of the entries.
  @inlinable
  func apply(_ entries: [Entry], as kind: ArrayChange<Element>.Kind? = nil) {
    let entries = Entry.withoutIdleMoves(entries)
    guard !entries.isEmpty else { return }
    edit(isByView: true) {
      if entries.count > 16 { storage.applyMoving(entries) } else { storage.apply(entries) }
      return ArrayEdit(kind ?? ArrayChange<Element>.Kind(of: entries), entries)
    }
  }

  /// Sets the elements of a live view.
  @inlinable
  func applySetting(_ elements: [Element]) {
    edit(isByView: true) { setStorage(elements) }
  }
}
