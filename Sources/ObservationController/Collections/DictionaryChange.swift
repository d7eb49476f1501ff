/// One change of an observed dictionary, as a handler receives it: its kind, its entries, and the
/// dictionary after it.
///
///     observations.observeDictionary(settings, \.values) { panel, _, change in
///       for entry in change.entries { panel.show(entry.newValue, for: entry.key) }
///     }
///
/// A change may be kept. It shares its elements with the dictionary; editing that while a change is
/// kept copies them once.
public struct DictionaryChange<Key: Hashable, Value> {
  /// Kind of a change of a dictionary.
  public enum Kind: Hashable, Sendable {
    /// Nothing: the dictionary as it is, for ``ObservationOptions/initial``.
    case initial

    /// Another dictionary took the place of the one before, or all elements were set at once.
    case setting

    /// Keys came.
    case insertion

    /// Keys left.
    case removal

    /// Values were replaced.
    case update

    /// Several edits at once, or one that did more than one of these; also with changes of values,
    /// or changes of several values alone: what a transaction changed, or what was joined on its
    /// way to a queue.
    case batch

    /// A property of a value changed; the dictionary itself did not.
    case value
  }

  /// One key that a change inserted, removed or gave another value.
  public struct Entry {
    /// The key.
    public let key: Key

    /// The value before the change; `nil` if the key was not there.
    public let oldValue: Value?

    /// The value after the change; `nil` if the key is not there.
    public let newValue: Value?

    /// Makes an entry, for tests of code that receives changes.
    public init(key: Key, oldValue: Value?, newValue: Value?) {
      (self.key, self.oldValue, self.newValue) = (key, oldValue, newValue)
    }
  }

  @usableFromInline let base: KeyedChange<[Key: Value]>

  /// Of a change that was made by hand.
  private let given: (keyPath: PartialKeyPath<Value>?, change: ObservedChange<Any>?)?

  @usableFromInline
  init(_ base: KeyedChange<[Key: Value]>) { (self.base, given) = (base, nil) }

  /// Makes a change by hand, for a test that calls a handler.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - entries: What the handler finds; of ``Kind/initial`` and ``Kind/setting`` they are those
  ///     that lead from `oldElements` to `elements`.
  ///   - elements: The dictionary after the change.
  ///   - oldElements: The dictionary before the change; `nil` for an observation without
  ///     ``ObservationOptions/old``.
  ///   - valueKeyPath: For ``Kind/value``: the property that changed.
  ///   - valueChange: For ``Kind/value``: the change of the property.
  /// - Complexity: O(k) in the entries.
  public init(
    kind: Kind, entries: [Entry] = [], elements: [Key: Value], oldElements: [Key: Value]? = nil,
    valueKeyPath: PartialKeyPath<Value>? = nil, valueChange: ObservedChange<Any>? = nil
  ) {
    let stored = entries.map {
      KeyedEntry<[Key: Value]>($0.key, from: $0.oldValue, to: $0.newValue)
    }
    base = KeyedChange(
      KeyedKind(kind), stored, replaced: oldElements, table: elements, before: oldElements)
    given = (valueKeyPath, valueChange)
  }
}

extension DictionaryChange {
  /// Kind of the change.
  public var kind: Kind {
    switch base.kind {
    case .initial: .initial
    case .setting: .setting
    case .insertion: .insertion
    case .removal: .removal
    case .update: .update
    case .batch: .batch
    case .item: .value
    }
  }

  /// The keys that the change is about, each once. A ``Kind/value`` has those of the value, which
  /// is old and new value of each. So is in a ``Kind/batch`` each value that stays, and a followed
  /// property of which changed.
  ///
  /// - Complexity: O(k) in the entries; O(n) where all elements were set at once.
  public var entries: [Entry] {
    base.entries.map { Entry(key: $0.key, oldValue: $0.old, newValue: $0.new) }
  }

  /// The elements after the change, also where the dictionary has been edited again meanwhile.
  ///
  /// - Complexity: O(1).
  public var elements: [Key: Value] { base.table }

  /// The elements before the change, with ``ObservationOptions/old``; `nil` without, and for an
  /// initial delivery.
  public var oldElements: [Key: Value]? { base.oldTable }

  /// For a ``Kind/value``: the key path of the property that changed.
  public var valueKeyPath: PartialKeyPath<Value>? {
    // Safe: a change of a value names a key path of its type.
    given?.keyPath ?? base.keyPath.map { unsafeDowncast($0, to: PartialKeyPath<Value>.self) }
  }

  /// For a ``Kind/value``: the old and the new value of its property.
  public var valueChange: ObservedChange<Any>? { given?.change ?? base.valueChange }

  /// The dictionary that this change makes of the dictionary before it.
  ///
  /// - Parameter elements: The dictionary before the change; any for ``Kind/initial`` and
  ///   ``Kind/setting``.
  /// - Complexity: O(k) in the entries, plus O(n) to copy the dictionary.
  public func applying(to elements: [Key: Value]) -> [Key: Value] { base.applying(to: elements) }
}

extension KeyedKind {
  fileprivate init<Key, Value>(_ kind: DictionaryChange<Key, Value>.Kind) {
    self =
      switch kind {
      case .initial: .initial
      case .setting: .setting
      case .insertion: .insertion
      case .removal: .removal
      case .update: .update
      case .batch: .batch
      case .value: .item
      }
  }
}

extension DictionaryChange: CustomStringConvertible {
  /// The kind and what became of each key, as in `update: a: 1 → 2`.
  ///
  /// - Complexity: O(k) in the entries.
  public var description: String {
    let places = base.entries.map { entry in
      switch (entry.old, entry.new) {
      case (nil, let new?): "\(entry.key): \(new)"
      case (let old?, nil): "\(entry.key) without \(old)"
      case _ where kind == .value: "\(entry.key)"
      case _ where kind == .batch && entry.isOfSameInstance: "\(entry.key) changed"
      case (let old?, let new?): "\(entry.key): \(old) → \(new)"
      case (nil, nil): "\(entry.key)"
      }
    }
    let value = valueChange.map { " (\($0))" } ?? ""
    return "\(kind): \(places.joined(separator: ", "))\(value)"
  }
}

extension DictionaryChange.Entry: Equatable where Value: Equatable {}
extension DictionaryChange.Entry: Hashable where Value: Hashable {}
extension DictionaryChange.Entry: Sendable where Key: Sendable, Value: Sendable {}

/// Immutable, as a change made by hand is: key paths, and values of a property of a `Sendable`
/// value, may be read in any isolation.
extension DictionaryChange: @unchecked Sendable where Key: Sendable, Value: Sendable {}
