/// Follows an array for an aggregate of its elements, before any observer is notified.
///
///     user ─▶ value ─▶ aggregate ─▶ controller ─▶ source      strong
///                         ▲             ┊
///                         └┄┄┄┄┄┄┄┄┄┄┄┄┄┘                      weak: its users alone keep it
///
/// The value is a derived one, which reads the aggregate. Of edits it depends on the array itself,
/// so that its observers have their place among those of the array; its link stands for changes
/// of elements, which are none of the array.
@usableFromInline
final class ArrayAggregate<Element, Parts: ElementParts> {
  @usableFromInline let source: ObservableArray<Element>

  @usableFromInline let part: (Element) -> Parts.Part

  /// With a check of exclusivity: `+` and `<` may be the user's.
  @usableFromInline var parts: Parts

  @usableFromInline let link = AggregateLink()

  /// - Parameter parts: Without any.
  @inlinable
  init(
    of source: ObservableArray<Element>, _ parts: Parts, part: @escaping (Element) -> Parts.Part
  ) {
    (self.source, self.parts, self.part) = (source, parts, part)
  }

  /// Begins to follow the array.
  @inlinable
  func begin(on keyPaths: [PartialKeyPath<Element>], _ file: String, _ line: UInt) {
    withUntrackedReads {
      // Edits of a batch are delivered before, so that the aggregate begins with the array as it
      // is.
      source.flushBatch()
      parts.set(source.elements.map(part))
      let controller = ObservationController(observer: self)
      // Safe: the array is the observed object itself.
      link.begin(
        controller,
        controller.observeArray(
          source, \ObservableArray<Element>.elements, .array(itself: ObservableArray<Element>.self),
          keyPaths, [],
          nil, nil, file, line, isEarly: true
        ) { aggregate, _, change in aggregate.follow(change) })
    }
  }

  /// Follows a change of the array; see `ElementParts` for its costs.
  @inlinable
  func follow(_ change: ArrayChange<Element>) {
    link.endHeldByTransaction()
    if change.kind == .element, case let index = change.edit.index, index >= 0 {
      let new = part(change.elements[index])
      parts.replace(at: index, with: new)
      return noteElements()
    }
    switch change.kind {
    case .initial, .setting:
      parts.set(change.elements.map(part))
    case .insertion where change.edit.index >= 0:
      let new = part(change.elements[change.edit.index])
      parts.insert(new, at: change.edit.index)
    default:
      followEntries(of: change)
    }
    switch change.kind {
    // These have marked what depends on the array.
    case .insertion, .removal, .replacement, .move: break
    default: noteElements()
    }
  }

  @inlinable
  func followEntries(of change: ArrayChange<Element>) {
    let entries = change.entries.map { entry in
      // The part of an element that only moves, or leaves, is there.
      let old = change.kind == .element ? nil : entry.oldIndex.map { parts.parts[$0] }
      return entry.with(old ?? part(entry.element))
    }
    if let entry = entries.first, entries.count == 1, entry.newIndex == nil,
      let index = entry.oldIndex
    {
      parts.remove(at: index)
    } else {
      parts.apply(entries)
    }
  }

  /// Has the value computed anew after changes of elements.
  @inlinable
  func noteElements() { link.noteElements() }

  /// Notes that the value depends on the array and on its elements, and brings the parts up to
  /// date.
  ///
  /// - Returns: The parts of the elements as they are, in place of those that are kept, if a batch
  ///   or a transaction has yet to have changes followed: then the value depends on each of them.
  ///   `nil` if there are none.
  @inlinable
  func partsToComputeFrom() -> [Parts.Part]? {
    source.noteAccess()
    link.noteAccess()
    if source.batch == nil, !link.hasHeld, link.bringUpToDate() { return nil }
    return withUntrackedReads { source.elements }.map(part)
  }

  /// Whether elements may be objects, whose properties change.
  @usableFromInline
  static var mayFollowElements: Bool { ValueEquality.mayBeInstance(Element.self) }
}

/// What an aggregate holds of the observation of its array. Not generic, so that the code that runs
/// for each change is compiled for it.
@usableFromInline
final class AggregateLink {
  /// Counts the changes of elements that the aggregate has followed.
  @Observed private var revision: UInt64 = 0

  private var token: ObservationToken?

  /// Ends with the aggregate.
  private var observations: AnyObject?

  /// What holds back changes of elements that the aggregate has yet to follow.
  private var holder = Holder.nothing

  private enum Holder { case nothing, transaction, batch }

  @usableFromInline
  init() {}

  @usableFromInline
  func begin(_ observations: AnyObject, _ token: ObservationToken) {
    (self.observations, self.token) = (observations, token)
    token.arraySink?.held = (
      begins: { [weak self] in self?.beginHeld(by: $0) }, end: { [weak self] in self?.endHeld() }
    )
  }

  /// Has the value computed of all elements until the changes are followed.
  private func beginHeld(by batch: CollectionBatch?) {
    guard !hasHeld else { return }
    if let batch, !batch.isOfTransaction {
      holder = .batch
      // Notified with the batch.
      if let subject = _revision.subject { batch.holdBack(subject.markAndCollect(), of: subject) }
    } else {
      holder = .transaction
      noteElements()
    }
  }

  private func endHeld() {
    guard holder != .nothing else { return }
    holder = .nothing
    noteElements()
  }

  /// Whether changes of elements are held back. Not those of a transaction that has ended, if the
  /// elements have left by then.
  @usableFromInline
  var hasHeld: Bool {
    holder == .batch || holder == .transaction && ObservationTransaction.current != nil
  }

  @usableFromInline
  func endHeldByTransaction() { if holder == .transaction { holder = .nothing } }

  @usableFromInline
  func noteElements() { revision = revision &+ 1 }

  @usableFromInline
  func noteAccess() { _ = revision }

  /// Delivers what the array has had recorded, if the value is read before the turn of the
  /// aggregate.
  ///
  /// - Returns: `false` if changes wait, where an observer of the value has made them, further up
  ///   the stack; or have been dropped, as a cycle or with the source of a view, until the next one
  ///   makes up for them.
  @usableFromInline
  func bringUpToDate() -> Bool {
    guard let sink = token?.arraySink else { return true }
    func isInStep() -> Bool { sink.state.withLock { !$0.isOutOfStep && $0.queue.isEmpty } }
    if isInStep() { return true }
    sink.deliver(through: .max)
    return isInStep()
  }
}
