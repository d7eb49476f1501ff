/// Changes of an array on their way to another thread, without the array: that would be copied by
/// each edit.
///
/// Used by the thread that makes the changes and by the one that delivers them, one after the
/// other, under the lock of what holds them.
final class WaitingArrayChanges<Element>: WaitingChanges {
  typealias Change = ArrayChange<Element>
  typealias Entry = ArrayChange<Element>.Entry

  /// One change as it was made.
  struct Edit {
    let kind: ArrayChange<Element>.Kind
    let entries: [Entry]

    /// See ``ArrayChange/changedIndices``.
    let changed: [Int]

    /// The elements that were set, if all were.
    let elements: [Element]?

    /// Number of elements after the change.
    let count: Int

    /// For a change of an element.
    let property: ElementProperty?
    let values: ElementChange
  }

  private(set) var edits: [Edit]

  /// Number of entries and indices of all edits.
  private var size: Int

  /// Size from which on the edits are composed, so that they do not grow for as long as nobody
  /// takes them: twice that of what they were composed to last.
  private var limit = 4_096

  init(_ change: ArrayChange<Element>) {
    let edit = Edit(change)
    (edits, size) = ([edit], edit.size)
  }

  init(_ edits: [Edit]) {
    (self.edits, size) = (edits, edits.reduce(0) { $0 + $1.size })
  }
}

extension WaitingArrayChanges {
  var isInitial: Bool { edits.first?.kind == .initial }

  /// Adds later changes.
  ///
  /// - Returns: What is no longer used, to be released outside of every lock.
  /// - Complexity: O(k) amortised in the entries.
  func append(_ other: WaitingArrayChanges) -> AnyObject? {
    // All elements are set: what was before does not matter.
    if let first = other.edits.first, first.elements != nil {
      let replaced = WaitingArrayChanges(edits)
      // An initial delivery stays one.
      let kind = edits.first?.kind == .initial ? .initial : first.kind
      edits = [first.with(kind)] + other.edits.dropFirst()
      size = other.size
      return replaced
    }
    edits += other.edits
    size += other.size
    return size > limit ? compose() : nil
  }

  /// Composes the edits, but for what was set first, to one.
  private func compose() -> AnyObject? {
    let replaced = WaitingArrayChanges(edits)
    let settings = edits.prefix { $0.elements != nil }
    let rest = edits.dropFirst(settings.count)
    if let first = rest.first {
      let composition = ArrayComposition(of: rest, from: first.count - first.growth)
      edits = settings + [Edit(composition, count: edits[edits.count - 1].count)]
    }
    size = edits.reduce(0) { $0 + $1.size }
    limit = Swift.max(4_096, 2 * size)
    return replaced
  }
}

extension WaitingArrayChanges.Edit {
  init(_ change: ArrayChange<Element>) {
    let isOfEverything = change.isOfEverything
    self.init(
      kind: change.kind, entries: isOfEverything ? [] : change.entries,
      changed: change.edit.changed, elements: isOfEverything ? change.elements : nil,
      count: change.elements.count, property: change.property, values: change.values)
  }

  init(_ composition: ArrayComposition<Element>, count: Int) {
    self.init(
      kind: .batch, entries: composition.entries, changed: composition.changed, elements: nil,
      count: count, property: nil, values: ElementChange())
  }

  func with(_ kind: ArrayChange<Element>.Kind) -> Self {
    Self(
      kind: kind, entries: entries, changed: changed, elements: elements, count: count,
      property: property, values: values)
  }

  /// See ``ArrayChange/changedIndices``.
  var changedIndices: [Int] { kind == .element ? entries.compactMap { $0.newIndex } : changed }

  fileprivate var size: Int { 1 + entries.count + changed.count + (elements?.count ?? 0) }

  /// How many more elements there are after the edit.
  fileprivate var growth: Int {
    kind == .element
      ? 0
      : entries.reduce(0) {
        $0 + ($1.oldIndex == nil ? 1 : 0) - ($1.newIndex == nil ? 1 : 0)
      }
  }
}
