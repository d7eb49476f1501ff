/// The way of an edit: who acts before it, the edit itself, who is told.
///
///     append ─▶ paths note their old values ─▶ storage ─▶ observations note the change ─▶ dispatcher
///
/// The edit itself runs no user code. What comes before and after it may edit the array again: that
/// is stored at once, and told in its turn. Inlinable, so that it is compiled for the type of the
/// elements where the array is edited: that makes an observed `append` twenty times as fast.
extension ObservableArray {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  /// What has to be carried from before an edit to after it.
  @usableFromInline
  struct Announcement {
    @usableFromInline var transition: Subject.Transition?

    /// The elements before, if somebody asked for them; holding them copies them.
    @usableFromInline let old: [Element]?

    @inlinable
    init(transition: Subject.Transition?, old: [Element]?) {
      self.transition = transition
      self.old = old
    }
  }

  /// Makes one edit, unless the array is a live view.
  ///
  /// - Parameter body: Edits `storage`, and says how; `nil` if it did nothing.
  @inlinable
  func edit(_ body: () throws -> ArrayEdit<Element>?) rethrows {
    if let link { return link.reportEdit() }
    try editPermitted(body)
  }

  /// The same for what follows the source of a live view.
  @inlinable
  func editPermitted(_ body: () throws -> ArrayEdit<Element>?) rethrows {
    if isInBatch
      || (ThreadActivity.isAnyInTransaction && observedSubject != nil && beginTransactionBatch())
    {
      try editInBatch(body)
    } else if let subject = observedSubject {
      let announcement = announce(on: subject)
      var edit: ArrayEdit<Element>?
      defer { tell(edit, announced: announcement, on: subject) }
      edit = try body()
      version &+= 1
    } else {
      _ = try body()
      version &+= 1
    }
  }

  @usableFromInline
  func editInBatch(_ body: () throws -> ArrayEdit<Element>?) rethrows {
    guard let batch else { return }
    if let subject = observedSubject {
      // What acts before the first edit may make others, which are part of the batch.
      let isFirst = batch.recording == nil
      if isFirst {
        batch.recording = ArrayBatch.Recording(storage, keepsOld: subject.needsOld)
      }
      // Again for paths that have come in the middle of the batch: they begin with this edit.
      if subject.needsWillChange, let recording = batch.recording, isFirst || recording.isAnnounced
      {
        batch.recording?.isAnnounced = false
        let transition = subject.willEdit(self, after: recording.transition)
        batch.recording?.transition = transition
      }
      batch.recording?.isAnnounced = true
    }
    let edit = try body()
    version &+= 1
    if let edit { batch.record(edit, in: storage) }
    if let subject = observedSubject, subject.needsWillChange {
      withExtendedLifetime(subject.invalidateCaches()) {}
    }
  }

  /// Makes an edit that closures of the user's decide on.
  ///
  /// - Parameter plan: Receives the elements, and says what to do with them; `nil` for nothing, of
  ///   which nobody is told. Called again if what acts before the edit edits the array.
  func editAsPlanned(_ plan: ([Element]) throws -> ArrayEdit<Element>?) rethrows {
    func checkedPlan() throws -> ArrayEdit<Element>? {
      let before = version
      let result = try plan(storage)
      precondition(
        version == before,
        "An ObservableArray was edited by a closure that was passed to an edit of it")
      return result
    }
    guard let edit = try checkedPlan() else { return }
    let plannedVersion = version
    try self.edit {
      guard let edit = version == plannedVersion ? edit : try checkedPlan() else { return nil }
      storage.apply(edit.stored)
      return edit
    }
  }

  @inlinable
  var observedSubject: Subject? {
    subject.flatMap { $0.isObserved ? $0 : nil }
  }

  @inlinable
  func announce(on subject: Subject) -> Announcement {
    let transition = subject.needsWillChange ? subject.willEdit(self, after: nil) : nil
    // Read after what has acted before, which may have edited the array.
    return Announcement(transition: transition, old: subject.needsOld ? storage : nil)
  }

  @inlinable
  func tell(
    _ edit: ArrayEdit<Element>?, announced: Announcement, on subject: Subject,
    with waiting: [WaitingChange] = []
  ) {
    guard edit != nil || announced.transition != nil || !waiting.isEmpty else { return }
    let change =
      if let edit {
        ArrayChangeDetails(edit, elements: storage, oldElements: announced.old)
      } else {
        ArrayChangeDetails(ArrayEdit(.batch, []), elements: storage)
      }
    subject.didEdit(
      self, change, isNoted: edit != nil, transition: announced.transition, with: waiting)
  }
}

// MARK: - Elements

extension ObservableArray {
  /// - Parameter index: `nil` for the end.
  @inlinable
  func insertElement(_ element: Element, at index: Int?) {
    edit {
      let index = index ?? storage.count
      storage.insert(element, at: index)
      return .insertion(at: index)
    }
  }

  // Places that are not given are found in the edit: what acts before it may edit the array.

  /// - Parameter index: `nil` for the end.
  @inlinable
  func removeElement(at index: Int?) -> Element {
    var removed: Element?
    edit {
      let index = index ?? storage.count - 1
      let element = storage.remove(at: index)
      removed = element
      return ArrayEdit(.removal, [Entry(element, removedAt: index)])
    }
    // A live view removes nothing.
    return removed ?? storage[index ?? storage.count - 1]
  }

  @inlinable
  func removeAllElements() {
    guard !storage.isEmpty else { return }
    edit {
      guard !storage.isEmpty else { return nil }
      let removed = setStorage([]).replaced ?? []
      return ArrayEdit(.removal, Entry.replacing(removed, with: []))
    }
  }

  @inlinable
  func replaceElement(at index: Int, with element: Element) {
    edit {
      var old = element
      swap(&storage[index], &old)
      return ArrayEdit(
        .replacement, [Entry(old, removedAt: index), Entry(element, insertedAt: index)])
    }
  }

  /// - Parameter bounds: `nil` for the end.
  @inlinable
  func replaceElements(at bounds: Range<Int>?, with elements: [Element]) {
    guard !(bounds?.isEmpty ?? true) || !elements.isEmpty else { return }
    edit {
      let bounds = bounds ?? storage.endIndex..<storage.endIndex
      let removed = Array(storage[bounds])
      storage.replaceSubrange(bounds, with: elements)
      return ArrayEdit(
        removed.isEmpty ? .insertion : elements.isEmpty ? .removal : .replacement,
        Entry.replacing(removed, with: elements, at: bounds.lowerBound))
    }
  }

  @inlinable
  func replaceAllElements(with elements: [Element]) {
    edit { setStorage(elements) }
  }

  @inlinable
  func setStorage(_ elements: [Element]) -> ArrayEdit<Element> {
    var elements = elements
    swap(&storage, &elements)
    return .setting(replacing: elements)
  }

  /// Edits a live view.
  func apply(_ entries: [Entry]) {
    let entries = Entry.withoutIdleMoves(entries)
    guard !entries.isEmpty else { return }
    editPermitted {
      storage.apply(entries)
      return ArrayEdit(ArrayChange<Element>.Kind(of: entries), entries)
    }
  }

  /// Sets the elements of a live view.
  func applySetting(_ elements: [Element]) {
    editPermitted { setStorage(elements) }
  }
}
