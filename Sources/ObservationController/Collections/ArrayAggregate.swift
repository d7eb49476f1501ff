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
          source, \ObservableArray<Element>.elements,
          .array(.root) { unsafeDowncast($0, to: ObservableArray<Element>.self) }, keyPaths, [],
          nil, nil, file, line, isEarly: true
        ) { aggregate, _, change in aggregate.follow(change) })
    }
  }

  /// Follows a change of the array; see `ElementParts` for its costs.
  @inlinable
  func follow(_ change: ArrayChange<Element>) {
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
  /// - Returns: The elements, if edits of a batch or of a transaction have yet to be followed;
  ///   `nil` if the parts are those of the array as it is.
  @inlinable
  func elementsToComputeFrom() -> [Element]? {
    source.noteAccess()
    link.noteAccess()
    if source.batch == nil, link.bringUpToDate() { return nil }
    return withUntrackedReads { source.elements }
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

  @usableFromInline
  init() {}

  @usableFromInline
  func begin(_ observations: AnyObject, _ token: ObservationToken) {
    (self.observations, self.token) = (observations, token)
  }

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
