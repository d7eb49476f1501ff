import Synchronization

/// A dictionary that notifies its observers of each edit: which keys came and left, and which
/// values were replaced.
///
///     final class Settings {
///       @Observed var values: ObservableDictionary<String, String> = [:]
///     }
///
///     observations.observeDictionary(settings, \.values) { panel, _, change in
///       for entry in change.entries { panel.show(entry.newValue, for: entry.key) }
///     }
///     observations.observe(settings, \.values["theme"]) { panel, _, change in
///       panel.use(change.newValue)
///     }
///     settings.values["theme"] = "dark"       // insertion
///
/// A class: two objects that hold the same dictionary share it, and the observers of both are
/// notified. Each edit is one change, delivered before the edit returns, as changes of properties
/// are; a handler may edit the dictionary again.
///
/// **A key is a place of its own.** A key path or a derived value that reads `values["theme"]`
/// follows that key alone, whether there is a value or not, and costs the same whatever the number
/// of keys. One that reads ``count`` or ``elements``, or goes through the dictionary, follows all
/// of it.
///
/// An edit that does nothing, as removing a key that is not there, delivers nothing. A live view is
/// not edited: that reports ``ObservationIssue/readOnlyArray(file:line:)`` and changes nothing.
///
/// Edits cost what they cost a dictionary, and copy nothing unless an observer asked for
/// ``ObservationOptions/old`` or keeps a change. A dictionary without observers pays one branch.
///
/// As thread-safe as a dictionary in a stored property: editing it needs isolation.
public final class ObservableDictionary<Key: Hashable, Value> {
  /// First of the properties: it is released before the values, whose deinits then notify no
  /// observer.
  @exclusivity(unchecked) @usableFromInline var subject: Subject?

  @usableFromInline var storage: [Key: Value]
  @exclusivity(unchecked) @usableFromInline var batch: KeyedBatch<ObservableDictionary>?
  @exclusivity(unchecked) @usableFromInline var version: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline var isPlain = true
  @exclusivity(unchecked) @usableFromInline var places: KeyPlaces<Key>?
  @exclusivity(unchecked) @usableFromInline var lent: LentItem<Key>?
  @usableFromInline let link: ArrayViewLink?

  /// The elements, as Observation tracks them where a tracked property holds the collection.
  @usableFromInline let contents = LazyReference<DerivedProperty>()

  /// Makes a dictionary of `elements`, without observers.
  ///
  /// - Complexity: O(1): the elements are shared until one of both is edited.
  @inlinable
  public init(_ elements: [Key: Value]) {
    storage = elements
    link = nil
  }

  /// Makes an empty dictionary.
  ///
  /// - Complexity: O(1).
  @inlinable
  public convenience init() { self.init([:]) }

  /// Makes a dictionary of keys and values. Traps if a key occurs twice, as a dictionary does.
  ///
  /// - Complexity: O(n).
  @inlinable
  public convenience init(uniqueKeysWithValues keysAndValues: some Sequence<(Key, Value)>) {
    self.init(Dictionary(uniqueKeysWithValues: keysAndValues))
  }

  /// An empty live view.
  @usableFromInline
  init(link: ArrayViewLink) {
    storage = [:]
    self.link = link
    isPlain = false
  }
}

extension ObservableDictionary: KeyedCollection {
  @usableFromInline typealias Table = [Key: Value]
}

extension ObservableDictionary: AnyObservableArray {}

extension ObservableDictionary: TrackedCollection {
  @usableFromInline
  func trackedContents(orBy make: () -> DerivedProperty) -> DerivedProperty {
    contents.load() ?? contents.storeIfNil(make())
  }
}

/// Reading the dictionary, as one reads any dictionary.
extension ObservableDictionary: Collection {
  /// Goes through a snapshot of the elements.
  public typealias Iterator = [Key: Value].Iterator

  /// The elements as they are now.
  ///
  /// A snapshot: later edits do not change it. The first edit while it is kept copies the elements.
  ///
  /// - Complexity: O(1).
  @inlinable public var elements: [Key: Value] { table }

  /// The number of elements, which a key path may end in: `\.values.count` follows each edit.
  ///
  /// - Complexity: O(1).
  @inlinable public var count: Int { itemCount }

  /// Whether there is no element.
  @inlinable public var isEmpty: Bool { count == 0 }

  /// The keys, in the order of a dictionary.
  @inlinable public var keys: [Key: Value].Keys { elements.keys }

  /// The values, in the order of a dictionary.
  @inlinable public var values: [Key: Value].Values { elements.values }

  /// Position of the first element. An edit makes positions invalid.
  @inlinable public var startIndex: [Key: Value].Index { elements.startIndex }

  /// Position behind the last element.
  @inlinable public var endIndex: [Key: Value].Index { elements.endIndex }

  /// The position behind `index`.
  @inlinable public func index(after index: [Key: Value].Index) -> [Key: Value].Index {
    elements.index(after: index)
  }

  /// The element at a position.
  @inlinable public subscript(index: [Key: Value].Index) -> (key: Key, value: Value) {
    elements[index]
  }

  /// The position of a key; `nil` if it is not there.
  ///
  /// - Complexity: O(1).
  @inlinable public func index(forKey key: Key) -> [Key: Value].Index? {
    elements.index(forKey: key)
  }

  /// Goes through the elements as they are now, whatever is edited meanwhile.
  ///
  /// - Complexity: O(1).
  @inlinable public func makeIterator() -> Iterator { elements.makeIterator() }
}

extension ObservableDictionary: ExpressibleByDictionaryLiteral {
  /// Makes a dictionary of a literal. Traps if a key occurs twice.
  ///
  /// - Complexity: O(n).
  @inlinable
  public convenience init(dictionaryLiteral elements: (Key, Value)...) {
    self.init(Dictionary(uniqueKeysWithValues: elements))
  }
}

extension ObservableDictionary: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The elements, as a dictionary prints them.
  public var description: String { printableElements.description }

  /// The elements, as a dictionary prints them for debugging.
  public var debugDescription: String { printableElements.debugDescription }

  /// The mirror of a dictionary of the elements.
  public var customMirror: Mirror { printableElements.customMirror }

  /// Those beside one that is being mutated in place: printing has to work at any time.
  private var printableElements: [Key: Value] {
    noteAccess()
    return storage
  }
}

/// Equal if the elements are.
extension ObservableDictionary: Equatable where Value: Equatable {
  /// Whether both have equal values for the same keys; at once if they are the same dictionary.
  ///
  /// - Complexity: O(n).
  @inlinable
  public static func == (left: ObservableDictionary, right: ObservableDictionary) -> Bool {
    left === right || left.elements == right.elements
  }
}

/// By its elements, as a dictionary; so it must not be edited while it is in a set.
extension ObservableDictionary: Hashable where Value: Hashable {
  /// Feeds the elements, as a dictionary does.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

/// As a dictionary of elements. In two conformances, as with `Observed`.
extension ObservableDictionary: Encodable where Key: Encodable, Value: Encodable {
  /// Encodes the elements, as a dictionary does.
  ///
  /// - Complexity: O(n).
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension ObservableDictionary: Decodable where Key: Decodable, Value: Decodable {
  /// Decodes a dictionary of elements.
  ///
  /// - Complexity: O(n).
  public convenience init(from decoder: any Decoder) throws {
    self.init(try [Key: Value](from: decoder))
  }
}

/// Shared by reference and edited in place, so that it belongs to one isolation.
@available(
  *, unavailable,
  message:
    "An ObservableDictionary is shared by reference and edited in place; send its elements instead"
)
extension ObservableDictionary: Sendable {}
