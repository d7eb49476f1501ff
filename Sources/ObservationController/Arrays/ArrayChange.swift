/// One change of an observed array, as a handler receives it: its kind, its entries, and the array
/// after it.
///
///     observations.observeArray(school, \.students, elements: [\.name]) { list, _, change in
///       switch change.kind {
///       case .initial, .setting: list.reload(change.elements)
///       default:
///         list.animate(change.difference)
///         list.redraw(change.changedIndices)
///       }
///     }
///
/// A change may be kept. It shares its elements with the array; editing the array while a change is
/// kept copies them once, as with any array.
public struct ArrayChange<Element> {
  /// Kind of a change of an array.
  public enum Kind: Hashable, Sendable {
    /// Nothing: the array as it is, for ``ObservationOptions/initial``.
    case initial

    /// Another array took the place of the one before, or all elements were set at once.
    ///
    /// Also delivered after deliveries were dropped as a cycle, or where the observation of a plain
    /// array began in the midst of a change; it then has no elements before the change, and
    /// `difference` only inserts.
    case setting

    /// Elements were inserted.
    case insertion

    /// Elements were removed.
    case removal

    /// Elements were replaced, at the place where they were.
    case replacement

    /// Elements changed their places.
    case move

    /// Several edits at once, or changes of several elements, or both: what a transaction changed,
    /// or what was joined on the way to a queue.
    case batch

    /// A property of an element changed; the array itself did not.
    case element
  }

  /// One element that a change inserted, removed, moved or changed.
  public struct Entry {
    /// The element itself: for one that was replaced, the old or the new one.
    public let element: Element

    /// Index of the element before the change; `nil` if it was not there.
    public let oldIndex: Int?

    /// Index of the element after the change; `nil` if it is not there.
    public let newIndex: Int?

    /// Makes an entry, for tests of code that receives changes.
    @inlinable
    public init(element: Element, oldIndex: Int?, newIndex: Int?) {
      self.element = element
      self.oldIndex = oldIndex
      self.newIndex = newIndex
    }
  }

  @usableFromInline let edit: ArrayEdit<Element>

  @usableFromInline var storage: [Element]

  /// The elements before an edit, if an observation asked for them.
  @usableFromInline let elementsBeforeEdit: [Element]?

  /// For a change of an element, unless several have changed.
  @usableFromInline let property: ElementProperty?
  @usableFromInline let values: ElementChange

  @inlinable
  init(
    _ edit: ArrayEdit<Element>, elements: [Element], before: [Element]? = nil,
    of property: ElementProperty? = nil, _ values: ElementChange = ElementChange()
  ) {
    self.edit = edit
    storage = elements
    elementsBeforeEdit = before
    (self.property, self.values) = (property, values)
  }
}

extension ArrayChange {
  /// Kind of the change.
  @inlinable public var kind: Kind { edit.kind }

  /// The elements after the change, also where the array has been edited again meanwhile.
  ///
  /// - Complexity: O(1).
  @inlinable public var elements: [Element] { storage }

  /// The elements before the change, with ``ObservationOptions/old``; `nil` without, and for an
  /// initial delivery.
  ///
  /// A change of an element leaves the array as it is.
  @inlinable public var oldElements: [Element]? {
    property?.keepsOld ?? false ? elements : elementsBeforeEdit
  }

  /// For a change of an element: the key path of the property that changed.
  @inlinable public var elementKeyPath: PartialKeyPath<Element>? {
    // Safe: a change of an element names a key path of its type.
    property.map {
      unsafeDowncast($0.registration.keyPath, to: PartialKeyPath<Element>.self)
    }
  }

  /// For a change of an element: the old and the new value of its property.
  @inlinable public var elementChange: ObservedChange<Any>? {
    property.map {
      ObservedChange(
        oldValue: values.old, newValue: values.new, registration: $0.registration, kind: .change)
    }
  }

  /// The elements that the change is about, ascending by the index where they were or else are.
  ///
  /// Replacing an element makes two entries, the old one before the new one. An element that only
  /// makes way for others has none.
  ///
  /// - Complexity: O(1); O(n) where all elements were set at once.
  @inlinable
  public var entries: [Entry] {
    edit.entries(in: elements)
  }
}

extension ArrayChange {
  /// Indices, ascending, of the elements of which a followed property changed, and which were there
  /// before the change too: those of one element for ``Kind/element``, any number for
  /// ``Kind/batch``, none for other kinds.
  ///
  /// They count in the array after the change. An element that also moved has an entry as well; one
  /// that was inserted or replaced is not listed.
  ///
  /// - Complexity: O(1).
  public var changedIndices: [Int] {
    // A closure here and in other generic code: a key path is made anew each time.
    kind == .element ? entries.compactMap { $0.newIndex } : edit.changed
  }

  /// Whether nothing of what was there before is taken to be there still.
  @inlinable var isOfEverything: Bool { kind == .setting || kind == .initial }

  /// The elements before the change, computed where no observation asked for them.
  var elementsBefore: [Element] {
    if let elementsBeforeEdit { return elementsBeforeEdit }
    if kind == .initial { return elements }
    var elements = elements
    elements.apply(
      entries.map {
        Entry(element: $0.element, oldIndex: $0.newIndex, newIndex: $0.oldIndex)
      })
    return elements
  }
}

extension ArrayChange.Entry {
  /// An element that was removed.
  @inlinable
  init(_ element: Element, removedAt index: Int) {
    self.init(element: element, oldIndex: index, newIndex: nil)
  }

  /// An element that was inserted.
  @inlinable
  init(_ element: Element, insertedAt index: Int) {
    self.init(element: element, oldIndex: nil, newIndex: index)
  }

  /// An entry of another element at the same places. Inlined, since code that is not compiled for
  /// the types would look up both in each call.
  @inlinable @inline(__always)
  func with<Other>(_ element: Other) -> ArrayChange<Other>.Entry {
    ArrayChange<Other>.Entry(element: element, oldIndex: oldIndex, newIndex: newIndex)
  }

  /// Index by which entries are sorted.
  @inlinable
  var sortKey: Int { oldIndex ?? newIndex ?? 0 }

  /// Entries for `old` elements that made way for `new` ones at the same place.
  @inlinable
  static func replacing(_ old: [Element], with new: [Element], at start: Int = 0) -> [Self] {
    var entries: [Self] = []
    entries.reserveCapacity(old.count + new.count)
    for offset in 0..<Swift.max(old.count, new.count) {
      if offset < old.count { entries.append(Self(old[offset], removedAt: start + offset)) }
      if offset < new.count { entries.append(Self(new[offset], insertedAt: start + offset)) }
    }
    return entries
  }
}

extension ArrayChange: CustomStringConvertible {
  /// The kind and what is where, as in `insertion: Ada at 0`.
  ///
  /// - Complexity: O(k) in the entries.
  public var description: String {
    let places = entries.map { entry in
      switch (entry.oldIndex, entry.newIndex) {
      case (let old?, let new?) where old != new: "\(entry.element) from \(old) to \(new)"
      case (let old?, nil): "\(entry.element) away from \(old)"
      case (_, let new?): "\(entry.element) at \(new)"
      case (nil, nil): "\(entry.element)"
      }
    }
    let changed = edit.changed.map { "\(elements[$0]) changed at \($0)" }
    let value = elementChange.map { " (\($0))" } ?? ""
    return "\(kind): \((places + changed).joined(separator: ", "))\(value)"
  }
}

extension ArrayChange.Entry: Equatable where Element: Equatable {}
extension ArrayChange.Entry: Hashable where Element: Hashable {}
extension ArrayChange.Entry: Sendable where Element: Sendable {}

/// Immutable. The values of `elementChange` may be read in any isolation: they are those of a
/// property of a `Sendable` element. Key paths and registrations are immutable too.
extension ArrayChange: @unchecked Sendable where Element: Sendable {}

/// Uses of a change: apply it to another array, or pass it to a table view.
extension ArrayChange {
  /// The array that this change makes of the array before it.
  ///
  /// - Parameter elements: The array before the change; any array for ``Kind/initial`` and
  ///   ``Kind/setting``. Traps if the count differs from that of the array before the change.
  /// - Complexity: O(n).
  public func applying(to elements: [Element]) -> [Element] {
    guard !isOfEverything else { return self.elements }
    let entries = entries  // made anew each time
    let left = entries.count { $0.newIndex == nil }
    let came = entries.count { $0.oldIndex == nil }
    precondition(
      elements.count == self.elements.count + left - came,
      "The change does not belong to this array, which has \(elements.count) elements")
    guard kind != .element else { return elements }
    var result = elements
    result.apply(entries)
    return result
  }

  /// The change as the standard library has it: removals by their offset before the change,
  /// insertions by their offset after it, and both of them, associated, for elements that moved.
  ///
  /// Everything is inserted by ``Kind/initial``, nothing by ``Kind/element``.
  ///
  /// - Complexity: O(n log n) in the number of entries.
  public var difference: CollectionDifference<Element> {
    var changes: [CollectionDifference<Element>.Change] = []
    for entry in entries where kind != .element {
      if let old = entry.oldIndex {
        changes.append(
          .remove(offset: old, element: entry.element, associatedWith: entry.newIndex))
      }
      if let new = entry.newIndex {
        changes.append(
          .insert(offset: new, element: entry.element, associatedWith: entry.oldIndex))
      }
    }
    // Never `nil`: each index stands in one entry, and an entry associates its own two.
    return CollectionDifference(changes)!
  }

  /// Whether this is an insertion or a removal at the end; not for several edits at once.
  ///
  /// - Complexity: O(n) in the number of entries.
  public var isAtTail: Bool {
    switch kind {
    case .insertion:
      entries.first?.newIndex == elements.count - entries.count
    case .removal:
      entries.first?.oldIndex == elements.count
    default:
      false
    }
  }
}

extension Array {
  /// Removes what left, by the index where it was, and inserts what came, by the index where it is.
  ///
  /// - Parameter entries: Indices ascending where elements only leave, or only come, or come where
  ///   others left; moves in any order.
  /// - Complexity: O(n + k log k), n being what stands behind the first of the k entries.
  @inlinable
  mutating func apply(_ entries: [ArrayChange<Element>.Entry]) {
    let edit = IndexEdit(entries)
    if edit.removed == edit.inserted {
      // Nothing shifts. The entries hold the old elements: no deinit runs during the access.
      for entry in entries {
        if let index = entry.newIndex { self[index] = entry.element }
      }
      return
    }
    if entries.count == 1, let old = edit.removed.first, let new = edit.inserted.first {
      move(from: old, to: new)
      self[new] = entries[0].element
      return
    }
    // A few edits one by one: that moves no more than they have to.
    if entries.count <= 16 {
      for index in edit.removed.reversed() { remove(at: index) }
      for entry in entries.sorted(by: { $0.newIndex ?? -1 < $1.newIndex ?? -1 }) {
        if let index = entry.newIndex { insert(entry.element, at: index) }
      }
      return
    }
    let newCount = count - edit.removed.count + edit.inserted.count
    // What stands before all of them stays as it is.
    let start = edit.start
    var isStaying = [Bool](repeating: true, count: count - start)
    for index in edit.removed { isStaying[index - start] = false }
    var staying = (start..<count).filter { isStaying[$0 - start] }[...]
    // Indices of entries, since a copy of an element counts a reference.
    var arriving = [Int?](repeating: nil, count: newCount - start)
    for index in entries.indices {
      if let newIndex = entries[index].newIndex { arriving[newIndex - start] = index }
    }
    let new = arriving.map { index in
      index.map { entries[$0].element } ?? self[staying.removeFirst()]
    }
    replaceSubrange(start..., with: new)
  }
}
