/// Updating the array to other elements by the smallest change, so that views and lists on screen
/// redraw what differs, and nothing else.
extension ObservableArray {
  /// Makes the array one of `newElements` by the smallest change: one ``ArrayChange/Kind/batch`` of
  /// insertions, removals, replacements, and as few moves as can be.
  ///
  ///     headlines.update(to: loaded)
  ///
  /// Nothing is delivered if nothing differs. Elements are matched by their `id` if they are
  /// `Identifiable`; else by identity if they are instances; else by `==` if they are `Hashable`.
  /// Of elements that are none of this, those stay that can't be told apart, at both ends of the
  /// array, and all others are replaced. Of an id that occurs several times, the n-th one matches
  /// the n-th one.
  ///
  /// Of two elements that match, the new one takes the place of the old one, as a removal and an
  /// insertion, unless they can't be told apart: the same instance, equal values of the standard
  /// library's types, or a struct with the same bits. To keep the instances that are there, and
  /// set their properties, call ``update(from:by:matching:make:refresh:)``.
  ///
  /// An `id` or `==` that edits the array traps. A live view is not edited: that reports
  /// ``ObservationIssue/readOnlyArray(file:line:)``.
  ///
  /// - Parameter newElements: Read once; may be this array.
  /// - Complexity: O(n) expected, plus O(log n) for each element that is not in its old order, in
  ///   the old and new elements.
  public func update(to newElements: some Sequence<Element>) {
    let newElements = Array(newElements)
    update(to: newElements) { ElementIdentity.originsByNature(of: newElements, in: $0) }
  }

  /// Makes the array one of `newElements` by the smallest change, matching elements by an id.
  ///
  ///     headlines.update(to: loaded, by: \.number)
  ///
  /// One ``ArrayChange/Kind/batch`` of insertions, removals, replacements, and as few moves as can
  /// be; nothing is delivered if nothing differs. Of an id that occurs several times, the n-th one
  /// matches the n-th one. Of two elements that match, the new one takes the place of the old one,
  /// as a removal and an insertion, unless they can't be told apart, see `update(to:)`.
  ///
  /// - Parameters:
  ///   - newElements: Read once; may be this array.
  ///   - id: Called with old and new elements, at most twice with each, on this thread, with no
  ///     lock held. Editing the array in it traps.
  /// - Complexity: O(n) expected, plus O(log n) for each element that is not in its old order, in
  ///   the old and new elements.
  @inlinable
  public func update(
    to newElements: some Sequence<Element>, by id: (Element) -> some Hashable
  ) {
    let newElements = Array(newElements)
    update(to: newElements) { ElementIdentity.origins(of: newElements, in: $0, by: id) }
  }

  /// Makes the array one for `records`, as they have come from a server or a file: keeps the
  /// elements whose records are still there, and has their properties set.
  ///
  ///     school.students.update(
  ///       from: records, by: \.number, matching: \.number,
  ///       make: { Student(number: $0.number, name: $0.name) },
  ///       refresh: { student, record in student.name = record.name })
  ///
  /// Everything is one transaction, see ``withObservationTransaction(_:)``: first the array is
  /// edited, then the elements that were there are refreshed. An observation of the array receives
  /// one ``ArrayChange/Kind/batch``, with its entries and ``ArrayChange/changedIndices`` for the
  /// properties of elements that it follows; nothing, if no element comes, leaves or moves, and
  /// `refresh` sets nothing. A property that is set to an equal value counts as changed, unless the
  /// observation has ``ObservationOptions/distinct``.
  ///
  /// Of an id that occurs several times, the n-th record belongs to the n-th element. A live view
  /// is not edited: that reports ``ObservationIssue/readOnlyArray(file:line:)``, and calls no
  /// closure.
  ///
  /// - Parameters:
  ///   - records: Read once. The array has an element for each, in their order.
  ///   - id: The id of a record.
  ///   - elementID: The id of an element. Editing the array in these two, or in `make`, traps.
  ///   - make: Makes the element of a record that has none.
  ///   - refresh: Sets the properties of an element that stays; it may edit the array.
  /// - Complexity: O(n) expected, plus O(log n) for each element that is not in its old order, in
  ///   the elements and records. Each closure is called at most once with each, on this thread,
  ///   with no lock held.
  @inlinable
  public func update<Record, ID: Hashable>(
    from records: some Sequence<Record>, by id: (Record) -> ID,
    matching elementID: (Element) -> ID, make: (Record) -> Element,
    refresh: (Element, Record) -> Void
  ) {
    let records = Array(records)
    if let link { return link.reportEdit() }
    withObservationTransaction {
      var newElements: [Element] = []
      var origins: [Int] = []
      // Nothing runs before an edit in a transaction, so that this plan is made once.
      planUpdate { before in
        var matching = KeyMatching(before[...], by: elementID)
        origins = records.map { matching.takeIndex(of: id($0)) }
        newElements = records.indices.map {
          origins[$0] < 0 ? make(records[$0]) : before[origins[$0]]
        }
        return (newElements, origins)
      }
      for index in records.indices where origins[index] >= 0 {
        refresh(newElements[index], records[index])
      }
    }
  }
}

extension ObservableArray where Element: Identifiable {
  /// Makes the array one of `newElements` by the smallest change, matching elements by their `id`.
  ///
  /// One ``ArrayChange/Kind/batch`` of insertions, removals, replacements, and as few moves as can
  /// be; nothing is delivered if nothing differs. Of an id that occurs several times, the n-th one
  /// matches the n-th one. Of two elements that match, the new one takes the place of the old one,
  /// as a removal and an insertion, unless they can't be told apart.
  ///
  /// - Parameter newElements: Read once; may be this array.
  /// - Complexity: O(n) expected, plus O(log n) for each element that is not in its old order.
  @inlinable
  public func update(to newElements: some Sequence<Element>) {
    update(to: newElements) { $0.id }
  }
}

extension ObservableArray where Element: Hashable {
  /// Makes the array one of `newElements` by the smallest change, matching instances by identity
  /// and other elements by `==`.
  ///
  /// One ``ArrayChange/Kind/batch`` of insertions, removals, and as few moves as can be; nothing is
  /// delivered if nothing differs. Of elements that occur several times, the n-th one matches the
  /// n-th one. Of two elements that are equal, the new one takes the place of the old one, as a
  /// removal and an insertion, unless they can't be told apart.
  ///
  /// - Parameter newElements: Read once; may be this array.
  /// - Complexity: O(n) expected, plus O(log n) for each element that is not in its old order.
  @inlinable
  public func update(to newElements: some Sequence<Element>) {
    let newElements = Array(newElements)
    update(to: newElements) { old in
      ElementIdentity<Element>.mayBeObjects
        ? ElementIdentity.originsByNature(of: newElements, in: old)
        : ElementIdentity.origins(of: newElements, in: old) { $0 }
    }
  }
}

extension ObservableArray where Element: Identifiable & Hashable {
  /// Makes the array one of `newElements` by the smallest change, matching elements by their `id`.
  ///
  /// One ``ArrayChange/Kind/batch`` of insertions, removals, replacements, and as few moves as can
  /// be; nothing is delivered if nothing differs. Of an id that occurs several times, the n-th one
  /// matches the n-th one. Of two elements that match, the new one takes the place of the old one,
  /// as a removal and an insertion, unless they can't be told apart.
  ///
  /// - Parameter newElements: Read once; may be this array.
  /// - Complexity: O(n) expected, plus O(log n) for each element that is not in its old order.
  @inlinable
  public func update(to newElements: some Sequence<Element>) {
    update(to: newElements) { $0.id }
  }
}

extension ObservableArray {
  /// - Parameter origins: Receives the elements, and returns for each new one the index of the one
  ///   that it is; -1 if there is none.
  @usableFromInline
  func update(to newElements: [Element], matching origins: ([Element]) -> [Int]) {
    if let link { return link.reportEdit() }
    planUpdate { (newElements, origins($0)) }
  }

  /// - Parameter plan: Receives the elements, and returns those to lead to, with their origins.
  @usableFromInline
  func planUpdate(_ plan: ([Element]) -> (elements: [Element], origins: [Int])) {
    var result: [Element]?
    editAsPlanned(leadingTo: &result) { before, result in
      let (elements, origins) = plan(before)
      result = elements
      let entries = Entry.leading(from: before, to: elements, origins: origins)
      return entries.isEmpty ? nil : ArrayEdit(.batch, entries)
    }
  }
}
