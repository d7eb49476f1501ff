import Synchronization

/// A set that notifies its observers of each edit: which elements came and left.
///
///     final class Library {
///       @Observed var tags: ObservableSet<String> = []
///     }
///
///     observations.observeSet(library, \.tags) { list, _, change in
///       list.add(change.inserted)
///       list.remove(change.removed)
///     }
///     library.tags.insert("new")            // insertion
///
/// A class: two objects that hold the same set share it, and the observers of both are notified.
/// Each edit is one change, delivered before the edit returns, as changes of properties are; a
/// handler may edit the set again.
///
/// **An element is a place of its own.** A key path or a derived value that asks whether the set
/// ``contains(_:)`` an element follows that element alone, and costs the same whatever the number
/// of elements. One that reads ``count`` or ``elements``, or goes through the set, follows all of
/// it.
///
/// An edit that does nothing, as inserting an element that is there, delivers nothing. A live view
/// is not edited: that reports ``ObservationIssue/readOnlyArray(file:line:)`` and changes nothing.
///
/// Edits cost what they cost a set, and copy nothing unless an observer asked for
/// ``ObservationOptions/old`` or keeps a change. A set without observers pays one branch.
///
/// As thread-safe as a set in a stored property: editing it needs isolation.
public final class ObservableSet<Element: Hashable> {
  /// First of the properties: it is released before the elements, whose deinits then notify no
  /// observer.
  @exclusivity(unchecked) @usableFromInline var subject: Subject?

  @usableFromInline var storage: Set<Element>
  @exclusivity(unchecked) @usableFromInline var batch: KeyedBatch<ObservableSet>?
  @exclusivity(unchecked) @usableFromInline var version: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline var isPlain = true
  @exclusivity(unchecked) @usableFromInline var places: KeyPlaces<Element>?

  /// Always `nil`: elements of a set are not mutated in place.
  @exclusivity(unchecked) @usableFromInline var lent: LentItem<Element>?
  @usableFromInline let link: ArrayViewLink?

  /// The elements, as Observation tracks them where a tracked property holds the collection.
  @usableFromInline let contents = LazyReference<DerivedProperty>()

  /// Makes a set of `elements`, without observers.
  ///
  /// - Complexity: O(n); O(1) for a set, which is shared until it is edited.
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    storage = Set(elements)
    link = nil
  }

  /// Makes an empty set.
  ///
  /// - Complexity: O(1).
  @inlinable
  public convenience init() { self.init(EmptyCollection()) }

  /// An empty live view.
  init(link: ArrayViewLink) {
    storage = []
    self.link = link
    isPlain = false
  }
}

extension ObservableSet: KeyedCollection {
  @usableFromInline typealias Table = Set<Element>
}

extension ObservableSet: AnyObservableArray {}

extension ObservableSet: TrackedCollection {
  @usableFromInline
  func trackedContents(orBy make: () -> DerivedProperty) -> DerivedProperty {
    contents.load() ?? contents.storeIfNil(make())
  }
}

/// Reading the set, as one reads any set.
extension ObservableSet: Collection {
  /// Goes through a snapshot of the elements.
  public typealias Iterator = Set<Element>.Iterator

  /// The elements as they are now.
  ///
  /// A snapshot: later edits do not change it. The first edit while it is kept copies the elements.
  ///
  /// - Complexity: O(1).
  @inlinable public var elements: Set<Element> { table }

  /// The number of elements, which a key path may end in: `\.tags.count` follows each edit.
  ///
  /// - Complexity: O(1).
  @inlinable public var count: Int { itemCount }

  /// Whether there is no element.
  @inlinable public var isEmpty: Bool { count == 0 }

  /// Whether an element is there. A key path or a derived value that asks this follows this element
  /// alone.
  ///
  /// - Complexity: O(1).
  @inlinable public func contains(_ element: Element) -> Bool { item(for: element) != nil }

  /// Whether an element is there, for key paths: `\.tags[contains: "new"]`.
  ///
  /// - Complexity: O(1).
  @inlinable public subscript(contains element: Element) -> Bool { contains(element) }

  /// Position of the first element. An edit makes positions invalid.
  @inlinable public var startIndex: Set<Element>.Index { elements.startIndex }

  /// Position behind the last element.
  @inlinable public var endIndex: Set<Element>.Index { elements.endIndex }

  /// The position behind `index`.
  @inlinable public func index(after index: Set<Element>.Index) -> Set<Element>.Index {
    elements.index(after: index)
  }

  /// The element at a position.
  @inlinable public subscript(index: Set<Element>.Index) -> Element { elements[index] }

  /// The position of an element; `nil` if it is not there.
  ///
  /// - Complexity: O(1).
  @inlinable public func firstIndex(of element: Element) -> Set<Element>.Index? {
    elements.firstIndex(of: element)
  }

  /// Goes through the elements as they are now, whatever is edited meanwhile.
  ///
  /// - Complexity: O(1).
  @inlinable public func makeIterator() -> Iterator { elements.makeIterator() }
}

/// Comparing the set with others, and what comes of both: plain sets.
extension ObservableSet {
  /// The elements of both.
  @inlinable public func union(_ other: some Sequence<Element>) -> Set<Element> {
    elements.union(other)
  }

  /// The elements that are in `other` too.
  @inlinable public func intersection(_ other: some Sequence<Element>) -> Set<Element> {
    elements.intersection(other)
  }

  /// The elements that are not in `other`.
  @inlinable public func subtracting(_ other: some Sequence<Element>) -> Set<Element> {
    elements.subtracting(other)
  }

  /// The elements that are in one of both alone.
  @inlinable public func symmetricDifference(_ other: some Sequence<Element>) -> Set<Element> {
    elements.symmetricDifference(other)
  }

  /// Whether all elements are in `other`.
  @inlinable public func isSubset(of other: some Sequence<Element>) -> Bool {
    elements.isSubset(of: other)
  }

  /// Whether all of `other` are elements.
  @inlinable public func isSuperset(of other: some Sequence<Element>) -> Bool {
    elements.isSuperset(of: other)
  }

  /// Whether all elements are in `other`, which has more.
  @inlinable public func isStrictSubset(of other: some Sequence<Element>) -> Bool {
    elements.isStrictSubset(of: other)
  }

  /// Whether all of `other` are elements, and there are more.
  @inlinable public func isStrictSuperset(of other: some Sequence<Element>) -> Bool {
    elements.isStrictSuperset(of: other)
  }

  /// Whether no element is in `other`.
  @inlinable public func isDisjoint(with other: some Sequence<Element>) -> Bool {
    elements.isDisjoint(with: other)
  }
}

extension ObservableSet: ExpressibleByArrayLiteral {
  /// Makes a set of the elements of a literal.
  ///
  /// - Complexity: O(n).
  @inlinable
  public convenience init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension ObservableSet: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The elements, as a set prints them.
  public var description: String { elements.description }

  /// The elements, as a set prints them for debugging.
  public var debugDescription: String { elements.debugDescription }

  /// The mirror of a set of the elements.
  public var customMirror: Mirror { elements.customMirror }
}

/// By the elements; so it must not be edited while it is in a set.
extension ObservableSet: Hashable {
  /// Whether both have equal elements; at once if they are the same set.
  ///
  /// - Complexity: O(n).
  @inlinable
  public static func == (left: ObservableSet, right: ObservableSet) -> Bool {
    left === right || left.elements == right.elements
  }

  /// Feeds the elements, as a set does.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

/// As a set of elements. In two conformances, as with `Observed`.
extension ObservableSet: Encodable where Element: Encodable {
  /// Encodes the elements, as a set does.
  ///
  /// - Complexity: O(n).
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension ObservableSet: Decodable where Element: Decodable {
  /// Decodes a set of elements.
  ///
  /// - Complexity: O(n).
  public convenience init(from decoder: any Decoder) throws {
    self.init(try Set<Element>(from: decoder))
  }
}

/// Shared by reference and edited in place, so that it belongs to one isolation.
@available(
  *, unavailable,
  message: "An ObservableSet is shared by reference and edited in place; send its elements instead"
)
extension ObservableSet: Sendable {}
