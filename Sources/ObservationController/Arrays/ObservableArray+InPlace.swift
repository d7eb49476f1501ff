/// Mutating an element in place: `groups[0].append(1)`, `rows[2].title = "x"`.
///
///     paths act ─▶ element leaves `storage` ─▶ user code ─▶ it is back ─▶ recorded ─▶ delivered
///
/// The element is out of the array while user code has it: the last one stands in its place. So the
/// access is exclusive without a pointer into the buffer, a collection in it stays uniquely
/// referenced, and whatever finds the array one element short traps or looks elsewhere. O(1) both
/// ways.
///
/// Edits notice it because the array is not plain meanwhile, so that they take the way of `edit`;
/// readers by `lentIndex`.
extension ObservableArray {
  /// Takes an element out of `storage`; `takeBack` puts it back.
  @inlinable @inline(__always)
  func lend(at index: Int) -> Element {
    precondition(index >= 0 && index < storage.count, "Index out of range")
    lentIndex = index
    isPlain = false
    storage.swapAt(index, storage.count &- 1)
    return storage.removeLast()
  }

  @inlinable @inline(__always)
  func takeBack(_ element: Element) {
    let index = lentIndex
    lentIndex = -1
    storage.append(element)
    storage.swapAt(index, storage.count &- 1)
  }

  /// Begins an access in place of an array that is observed, read by a path, or a live view.
  @inlinable
  func beginAccess(at index: Int) -> ElementAccess<Element> {
    let access = ElementAccess<Element>(isOfView: link != nil)
    guard !access.isOfView else { return access }
    checkNotLent(for: .access)
    if ThreadActivity.isAnyInTransaction { joinTransaction() }
    guard let subject else { return access }
    let isInBatch = batch != nil
    if subject.has(Subject.Phase.actsOnSet) {
      let change = announce(on: subject, needing: index &+ 1)
      if !isInBatch { access.change = change }
    }
    // Behind handlers, which may edit the array, and begin observations.
    batch?.beginRecording()
    if subject.needsOld, !isInBatch { access.elements = storage }
    // Without observers and recordings nothing asks for the old element, and a collection that it
    // holds is not copied.
    if subject.isObserved || isInBatch && subject.isFollowedUp { access.old = storage[index] }
    if !isInBatch, subject.isObserved {
      // Changes of elements wait, and an observation that would begin finds it.
      let batch = ArrayBatch(of: self)
      batch.isOfAccess = true
      (self.batch, access.batch) = (batch, batch)
    }
    if subject.isRead { subject.beginMutation(of: self) }
    return access
  }

  /// Ends an access in place: the element is back.
  ///
  /// - Parameter access: `nil` for an array that was plain when the access began, and has been read
  ///   by a path since.
  @inlinable
  func endAccess(_ access: ElementAccess<Element>?, at index: Int) {
    version &+= 1
    if access?.batch != nil { batch = nil }
    guard let subject, subject.isFollowedUp || access?.change != nil else { return }
    // Without an old element there is nothing that records the entries.
    let entries = access?.old.map { Entry.replacing([$0], with: [storage[index]], at: index) }
    let edit = ArrayEdit<Element>(.replacement, entries ?? [])
    if batch != nil { return recordInBatch(edit) }
    subject.didEdit(
      self, ValueBox(ArrayChange(edit, elements: storage, before: access?.elements)),
      after: access?.change, with: access?.batch?.waiting ?? [])
  }

  /// The number of elements, one that is being mutated in place included.
  @inlinable
  var elementCount: Int { storage.count &+ (lentIndex < 0 ? 0 : 1) }

  /// The elements in their order, without one that is being mutated in place: for printing, which
  /// has to work at any time.
  var printableElements: [Element] {
    guard lentIndex >= 0 else { return elements }
    var others = storage
    if lentIndex < others.count { others.append(others.remove(at: lentIndex)) }
    return others
  }

  /// Reads an element while another one is being mutated in place; traps if it is the same.
  @usableFromInline
  func elementBesidesLent(at index: Int) -> Element {
    if index == lentIndex { checkNotLent(for: .reading) }
    precondition(index >= 0 && index < elementCount, "Index out of range")
    // The last one stands in the place of the one that is being mutated.
    return storage[index == storage.count ? lentIndex : index]
  }

  /// Traps while an element is being mutated in place.
  @inlinable @inline(__always)
  func checkNotLent(for use: LentElementUse) {
    if lentIndex >= 0 { failAsLent(for: use) }
  }

  @usableFromInline
  func failAsLent(for use: LentElementUse) -> Never {
    let array = "An ObservableArray<\(Element.self)>"
    let element = "its element at index \(lentIndex) was being mutated in place"
    switch use {
    case .edit:
      fatalError(
        """
        \(array) was edited while \(element), which would go to another place or be lost. Don't edit \
        an array in a mutating method of its element: edit it afterwards; or change a copy, \
        `var element = array[\(lentIndex)]`, and set `array[\(lentIndex)] = element` if it is still \
        there
        """)
    case .reading:
      fatalError(
        """
        \(array) was read while \(element): that element has no value until the mutation ends. Its \
        count and its other elements can be read one by one; read all of them, or observe the array, \
        before or afterwards; or change a copy, `var element = array[\(lentIndex)]`, and set \
        `array[\(lentIndex)] = element`
        """)
    case .access:
      fatalError(
        """
        An element of an ObservableArray<\(Element.self)> was to be mutated in place while \(element): \
        one at a time. To exchange two elements call `swapAt`, in place of `swap`; for anything else \
        change copies of them, and set these
        """)
    }
  }
}

/// What an array can't do while an element of it is being mutated in place.
@usableFromInline
enum LentElementUse { case edit, reading, access }

/// What an access in place notes for its end. Of an array that is plain there is none.
@usableFromInline
final class ElementAccess<Element> {
  /// Whether a copy of the element is mutated, which the view does not take.
  @usableFromInline let isOfView: Bool

  /// The element before, if something asks for it.
  @usableFromInline var old: Element?

  /// All elements before, if an observation asked for them.
  @usableFromInline var elements: [Element]?

  /// The change that paths have noted.
  @usableFromInline var change: SubjectChange?

  /// Holds changes of elements that are made meanwhile; `nil` in a batch, which does so itself.
  @usableFromInline var batch: ArrayBatch<Element>?

  @inlinable
  init(isOfView: Bool) { self.isOfView = isOfView }
}
