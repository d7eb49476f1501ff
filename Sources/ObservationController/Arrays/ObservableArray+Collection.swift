/// Reading the array, as one reads any array.
extension ObservableArray: RandomAccessCollection {
  /// Always 0.
  @inlinable public var startIndex: Int { 0 }

  /// As ``count``.
  @inlinable public var endIndex: Int { count }

  /// The number of elements, which a key path may end in: `\.students.count` is told of each edit.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var count: Int {
    noteAccess()
    return storage.count
  }

  /// The element at `index`; setting it is one ``ArrayChange/Kind/replacement``.
  ///
  /// Stops the program if `index` is not that of an element.
  ///
  /// - Complexity: O(1).
  @inlinable
  public subscript(index: Int) -> Element {
    get {
      noteAccess()
      return storage[index]
    }
    set {
      guard isPlain else {
        replaceElements(at: index..<index &+ 1, with: CollectionOfOne(newValue))
        return
      }
      // The old element is freed after the access: its deinit may read the array.
      var old = newValue
      swap(&storage[index], &old)
    }
  }

  /// Goes through the elements as they are now, whatever is edited meanwhile.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func makeIterator() -> IndexingIterator<[Element]> {
    elements.makeIterator()
  }

  /// Calls `body` with the elements as they are now, whatever is edited meanwhile; never `nil`.
  @inlinable
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Element>) throws -> Result
  ) rethrows -> Result? {
    try elements.withContiguousStorageIfAvailable(body)
  }
}

extension ObservableArray: ExpressibleByArrayLiteral {
  /// Makes an array of the elements of a literal, as ``init(_:)`` does.
  ///
  /// - Complexity: O(n).
  @inlinable
  public convenience init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

extension ObservableArray: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The elements, as an array prints them.
  public var description: String { elements.description }

  /// The elements, as an array prints them for debugging.
  public var debugDescription: String { elements.debugDescription }

  /// The mirror of an array of the elements.
  public var customMirror: Mirror { elements.customMirror }
}

/// Equal if the elements are, in their order.
extension ObservableArray: Equatable where Element: Equatable {
  /// Whether both have equal elements in the same order; at once if they are the same array.
  ///
  /// - Complexity: O(n).
  @inlinable
  public static func == (left: ObservableArray, right: ObservableArray) -> Bool {
    left === right || left.elements == right.elements
  }
}

/// By its elements, as an array; so an array must not be edited while it is in a set.
extension ObservableArray: Hashable where Element: Hashable {
  /// Feeds the elements, as an array does.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(elements)
  }
}

/// As an array of elements. In two conformances, as with `Observed`.
extension ObservableArray: Encodable where Element: Encodable {
  /// Encodes the elements, as an array does.
  ///
  /// - Complexity: O(n).
  public func encode(to encoder: any Encoder) throws {
    try elements.encode(to: encoder)
  }
}

extension ObservableArray: Decodable where Element: Decodable {
  /// Decodes an array of elements.
  ///
  /// - Complexity: O(n).
  public convenience init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }
}

/// Edited by whoever holds it, so that it belongs to one isolation.
@available(
  *, unavailable,
  message:
    "An ObservableArray is shared by reference and edited in place; send its elements instead"
)
extension ObservableArray: Sendable {}
