/// One change of an observed set, as a handler receives it: its kind, what came and left, and the
/// set after it.
///
///     observations.observeSet(library, \.tags) { list, _, change in
///       list.add(change.inserted)
///       list.remove(change.removed)
///     }
///
/// A change may be kept. It shares its elements with the set; editing that while a change is kept
/// copies them once.
public struct SetChange<Element: Hashable> {
  /// Kind of a change of a set.
  public enum Kind: Hashable, Sendable {
    /// Nothing: the set as it is, for ``ObservationOptions/initial``.
    case initial

    /// Another set took the place of the one before, or all elements were set at once.
    case setting

    /// Elements came.
    case insertion

    /// Elements left.
    case removal

    /// Several edits at once, or one that did both; also with changes of elements, or changes of
    /// several elements alone: what a transaction changed, or what was joined on its way to a
    /// queue.
    case batch

    /// A property of an element changed; the set itself did not.
    case element
  }

  @usableFromInline let base: KeyedChange<Set<Element>>

  /// Of a change that was made by hand.
  private let given: (keyPath: PartialKeyPath<Element>?, change: ObservedChange<Any>?)?

  @usableFromInline
  init(_ base: KeyedChange<Set<Element>>) { (self.base, given) = (base, nil) }

  /// Makes a change by hand, for a test that calls a handler.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - inserted: What came; of ``Kind/initial`` and ``Kind/setting`` it is what `elements` has
  ///     and `oldElements` has not.
  ///   - removed: What left.
  ///   - elements: The set after the change.
  ///   - oldElements: The set before the change; `nil` for an observation without
  ///     ``ObservationOptions/old``.
  ///   - changedElement: For ``Kind/element``: the element.
  ///   - changedElements: For ``Kind/batch``: instances that stay, and a property of which changed.
  ///   - elementKeyPath: For ``Kind/element``: the property that changed.
  ///   - elementChange: For ``Kind/element``: the change of the property.
  /// - Complexity: O(k) in what came and left.
  public init(
    kind: Kind, inserted: Set<Element> = [], removed: Set<Element> = [], elements: Set<Element>,
    oldElements: Set<Element>? = nil, changedElement: Element? = nil,
    changedElements: Set<Element> = [], elementKeyPath: PartialKeyPath<Element>? = nil,
    elementChange: ObservedChange<Any>? = nil
  ) {
    typealias Entry = KeyedEntry<Set<Element>>
    var entries = removed.map { Entry($0, from: $0, to: nil) }
    entries += inserted.map { Entry($0, from: nil, to: $0) }
    entries += changedElements.map { Entry($0, from: $0, to: $0) }
    if let changedElement {
      entries = [Entry(changedElement, from: changedElement, to: changedElement)]
    }
    base = KeyedChange(
      KeyedKind(kind), entries, replaced: oldElements, table: elements, before: oldElements)
    given = (elementKeyPath, elementChange)
  }
}

extension SetChange {
  /// Kind of the change.
  public var kind: Kind {
    switch base.kind {
    case .initial: .initial
    case .setting: .setting
    case .insertion: .insertion
    case .removal: .removal
    case .update, .batch: .batch
    case .item: .element
    }
  }

  /// The elements that came. One that took the place of an equal one is here, and that one is in
  /// ``removed``; where all elements were set at once, those that were there and are there are in
  /// neither.
  ///
  /// - Complexity: O(k) in what came and left; O(n) where all elements were set at once.
  public var inserted: Set<Element> { elements { $0.new } }

  /// The elements that left.
  ///
  /// - Complexity: O(k) in what came and left; O(n) where all elements were set at once.
  public var removed: Set<Element> { elements { $0.old } }

  private func elements(_ item: (KeyedEntry<Set<Element>>) -> Element?) -> Set<Element> {
    guard kind != .element else { return [] }
    let areIdle = base.isOfEverything
    return Set(
      base.entries.lazy.filter { entry in
        entry.old == nil || entry.new == nil || !areIdle && !entry.isOfSameInstance
      }.compactMap(item))
  }

  /// The elements that stay, and a followed property of which changed: the one of a
  /// ``Kind/element``, any number in a ``Kind/batch``, none in other kinds.
  ///
  /// - Complexity: O(k) in what the change is about.
  public var changedElements: Set<Element> {
    guard base.kind == .item || base.kind == .batch else { return [] }
    return Set(base.stored.lazy.filter { $0.isOfSameInstance }.compactMap { $0.new })
  }

  /// The elements after the change, also where the set has been edited again meanwhile.
  ///
  /// - Complexity: O(1).
  public var elements: Set<Element> { base.table }

  /// The elements before the change, with ``ObservationOptions/old``; `nil` without, and for an
  /// initial delivery.
  public var oldElements: Set<Element>? { base.oldTable }

  /// For a ``Kind/element``: the element whose property changed.
  public var changedElement: Element? { kind == .element ? base.stored.first?.new : nil }

  /// For a ``Kind/element``: the key path of the property that changed.
  public var elementKeyPath: PartialKeyPath<Element>? {
    // Safe: a change of an element names a key path of its type.
    given?.keyPath ?? base.keyPath.map { unsafeDowncast($0, to: PartialKeyPath<Element>.self) }
  }

  /// For a ``Kind/element``: the old and the new value of its property.
  public var elementChange: ObservedChange<Any>? { given?.change ?? base.valueChange }

  /// The set that this change makes of the set before it.
  ///
  /// - Parameter elements: The set before the change; any for ``Kind/initial`` and
  ///   ``Kind/setting``.
  /// - Complexity: O(k) in what came and left, plus O(n) to copy the set.
  public func applying(to elements: Set<Element>) -> Set<Element> { base.applying(to: elements) }
}

extension KeyedKind {
  fileprivate init<Element>(_ kind: SetChange<Element>.Kind) {
    self =
      switch kind {
      case .initial: .initial
      case .setting: .setting
      case .insertion: .insertion
      case .removal: .removal
      case .batch: .batch
      case .element: .item
      }
  }
}

extension SetChange: CustomStringConvertible {
  /// The kind, what came and left, and what changed, as in `batch: +1`.
  ///
  /// - Complexity: O(k) in what came and left.
  public var description: String {
    let places = removed.map { "-\($0)" } + inserted.map { "+\($0)" }
    let changed = (changedElement.map { ["\($0)"] }) ?? changedElements.map { "\($0) changed" }
    let value = elementChange.map { " (\($0))" } ?? ""
    return "\(kind): \((places + changed).joined(separator: ", "))\(value)"
  }
}

/// Immutable, as a change made by hand is: key paths, and values of a property of a `Sendable`
/// element, may be read in any isolation.
extension SetChange: @unchecked Sendable where Element: Sendable {}
