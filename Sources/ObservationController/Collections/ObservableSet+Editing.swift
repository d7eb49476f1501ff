/// Editing the set.
///
/// Each of these is one change, delivered before it returns, or part of the one change of
/// ``performBatchUpdates(_:)``. One that only inserts is an ``SetChange/Kind/insertion``, one that
/// only removes a ``SetChange/Kind/removal``, any other a ``SetChange/Kind/batch``; one that does
/// nothing delivers nothing. A live view is not edited: that reports
/// ``ObservationIssue/readOnlyArray(file:line:)``.
extension ObservableSet {
  /// Inserts an element, unless an equal one is there.
  ///
  /// - Returns: Whether it was inserted, and the element that is there; of a live view,
  ///   `newMember`.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public func insert(
    _ newMember: Element
  ) -> (inserted: Bool, memberAfterInsert: Element) {
    if isPlain { return storage.insert(newMember) }
    if let member = storage.item(for: newMember) { return (false, member) }
    _ = setItem(newMember, for: newMember)
    return (link == nil, newMember)
  }

  /// Inserts an element, in place of an equal one if that is there: a ``SetChange/Kind/batch``
  /// then.
  ///
  /// - Returns: The element that was replaced; of a live view the one that is there.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public func update(with newMember: Element) -> Element? {
    setItem(newMember, for: newMember)
  }

  /// Removes an element; nothing happens if it is not there.
  ///
  /// - Returns: The removed element; of a live view the one that is there.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public func remove(_ member: Element) -> Element? {
    setItem(nil, for: member)
  }

  /// Removes the element at a position, which has to be valid.
  ///
  /// - Returns: The removed element.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public func remove(at index: Set<Element>.Index) -> Element {
    let member = storage[index]
    _ = setItem(nil, for: member)
    return member
  }

  /// Removes the first element. Traps if there is none.
  ///
  /// - Returns: The removed element.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public func removeFirst() -> Element {
    precondition(!storage.isEmpty, "Can't remove first element from an empty collection")
    return remove(at: storage.startIndex)
  }

  /// Removes the first element; nothing happens if there is none.
  ///
  /// - Returns: The removed element; `nil` if there was none, or the set is a live view.
  /// - Complexity: O(1) amortised.
  @inlinable
  @discardableResult
  public func popFirst() -> Element? {
    guard link == nil else {
      link?.reportEdit()
      return nil
    }
    return storage.isEmpty ? nil : remove(at: storage.startIndex)
  }

  /// Removes all elements: one ``SetChange/Kind/removal``; nothing happens if there is none.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func removeAll() {
    if itemCount > 0 { setTable([], as: .removal) }
  }

  /// Removes the elements that satisfy `shouldBeRemoved`: one ``SetChange/Kind/removal``; nothing
  /// happens if there is none.
  ///
  /// - Parameter shouldBeRemoved: Called once for each element, before anything is removed, with no
  ///   lock held. If it throws, nothing is removed. Editing the set in it traps.
  /// - Complexity: O(n).
  public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    try edit { table in
      try table.filter(shouldBeRemoved).map { KeyedEntry($0, from: $0, to: nil) }
    }
  }

  /// Inserts the elements of `other` that are not there.
  ///
  /// - Complexity: O(k) in the elements of `other`.
  public func formUnion(_ other: some Sequence<Element>) {
    let other = Set(other)
    edit { table in
      other.filter { !table.contains($0) }.map { KeyedEntry($0, from: nil, to: $0) }
    }
  }

  /// Removes the elements that are in `other`.
  ///
  /// - Complexity: O(k) in the elements of `other`.
  public func subtract(_ other: some Sequence<Element>) {
    let other = Set(other)
    edit { table in
      other.compactMap { table.item(for: $0) }.map { KeyedEntry($0, from: $0, to: nil) }
    }
  }

  /// Removes the elements that are not in `other`.
  ///
  /// - Complexity: O(n + k) in the elements of both.
  public func formIntersection(_ other: some Sequence<Element>) {
    let other = Set(other)
    edit { table in
      table.filter { !other.contains($0) }.map { KeyedEntry($0, from: $0, to: nil) }
    }
  }

  /// Removes the elements that are in `other`, and inserts those of it that are not there.
  ///
  /// - Complexity: O(k) in the elements of `other`.
  public func formSymmetricDifference(_ other: some Sequence<Element>) {
    let other = Set(other)
    edit { table in
      other.map { member in
        let old = table.item(for: member)
        return KeyedEntry(old ?? member, from: old, to: old == nil ? member : nil)
      }
    }
  }

  /// Has room for so many elements; no change.
  @inlinable
  public func reserveCapacity(_ minimumCapacity: Int) {
    if link == nil { storage.reserveCapacity(minimumCapacity) }
  }

  /// Sets all elements at once: one ``SetChange/Kind/setting``, even if they are the same.
  ///
  /// - Complexity: O(n); O(1) for a set, except in a batch.
  @inlinable
  public func setElements(_ newElements: some Sequence<Element>) {
    setTable(Set(newElements))
  }

  /// Makes the smallest change that leads to `newElements`; nothing happens if nothing differs.
  ///
  /// An element stays unless it can be told apart from the equal one of `newElements`.
  ///
  /// - Complexity: O(n).
  public func update(to newElements: some Sequence<Element>) {
    let new = Set(newElements)
    edit { new.entries(from: $0, leavingOut: ElementIdentity<Element>.areSame) }
  }

  /// Runs `body`, and delivers all edits that it makes as one ``SetChange/Kind/batch``, which leads
  /// from the set before to the one after.
  ///
  /// Nothing is delivered if `body` edits nothing. Batches inside a batch are part of it. If `body`
  /// throws, the edits before that are delivered. Changes of elements' properties that `body` makes
  /// are delivered after the batch. An observation that begins inside of `body` receives later
  /// edits; the others receive the earlier ones at that moment.
  ///
  /// - Parameter body: Runs at once, on this thread, with no lock held.
  /// - Complexity: That of the edits.
  public func performBatchUpdates(_ body: () throws -> Void) rethrows {
    try performBatchOfKeys(body)
  }
}

/// Live views of the set that a property holds.
extension ObservableSet {
  /// A live view of the set that `keyPath` leads to, whichever that is.
  ///
  /// It follows the edits of the set, and each change of what leads to it, before observers are
  /// notified. Editing it reports ``ObservationIssue/readOnlyArray(file:line:)`` and does nothing.
  ///
  /// - Parameters:
  ///   - object: Held weakly. When it is deallocated, the view is empty, and so are the views of
  ///     it, without a notification.
  ///   - keyPath: A property, or any nested or computed path, that leads to the set. Neither the
  ///     set nor any object on the way to it is retained.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Returns: A view that is retained by its users alone.
  /// - Complexity: O(1). Following an edit costs what the edit costs.
  public static func following<Object: AnyObject>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableSet>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservableSet {
    following(
      object, keyPath, file, line, view: { ObservableSet(link: $0) },
      // Safe: it is only read for `object`.
      read: { unsafeDowncast($0, to: Object.self)[keyPath: keyPath] })
  }

  /// A live view of the set that `keyPath` leads to; an empty one while there is none.
  ///
  /// - Parameters:
  ///   - object: Held weakly. When it is deallocated, the view is empty, and so are the views of
  ///     it, without a notification.
  ///   - keyPath: A property, or any nested or computed path, that may lead to a set. Neither the
  ///     set nor any object on the way to it is retained.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Returns: A view that is retained by its users alone.
  /// - Complexity: O(1). Following an edit costs what the edit costs.
  public static func following<Object: AnyObject>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableSet?>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservableSet {
    following(
      object, keyPath, file, line, view: { ObservableSet(link: $0) },
      // Safe: it is only read for `object`.
      read: { unsafeDowncast($0, to: Object.self)[keyPath: keyPath] })
  }
}
