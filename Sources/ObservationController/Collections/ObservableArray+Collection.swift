/// Reading the array, as one reads any array.
extension ObservableArray: RandomAccessCollection {
  @inlinable public var startIndex: Int { 0 }

  @inlinable public var endIndex: Int { count }

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
      guard isPlain else { return replaceElement(at: index, with: newValue) }
      // The old element is freed after the access: its deinit may read the array.
      var old = newValue
      swap(&storage[index], &old)
    }
  }

  /// Goes through the elements as they are now, whatever is edited meanwhile.
  @inlinable
  public func makeIterator() -> IndexingIterator<[Element]> {
    elements.makeIterator()
  }

  @inlinable
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Element>) throws -> Result
  ) rethrows -> Result? {
    try elements.withContiguousStorageIfAvailable(body)
  }
}

extension ObservableArray: ExpressibleByArrayLiteral {
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

  public var debugDescription: String { elements.debugDescription }

  public var customMirror: Mirror { elements.customMirror }
}

/// Equal if the elements are, in their order.
extension ObservableArray: Equatable where Element: Equatable {
  @inlinable
  public static func == (left: ObservableArray, right: ObservableArray) -> Bool {
    left === right || left.elements == right.elements
  }
}

/// By its elements, as an array; so an array must not be edited while it is in a set.
extension ObservableArray: Hashable where Element: Hashable {
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(elements)
  }
}

/// As an array of elements. In two conformances, as with `Observed`.
extension ObservableArray: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try elements.encode(to: encoder)
  }
}

extension ObservableArray: Decodable where Element: Decodable {
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
