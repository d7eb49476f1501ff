/// The elements of one key in a live view by sections; see
/// ``ObservableArray/sections(on:file:line:by:)``.
///
/// The same object as long as the section is there. One that has gone is empty; if its key comes
/// back, that is another section.
public final class ObservableSection<Key: Hashable & Comparable, Element> {
  /// What all elements of the section have in common.
  public let key: Key

  /// A live view of the elements of the section, which retains the source, as all live views do.
  public let elements: ObservableArray<Element>

  @inlinable
  init(key: Key, _ elements: ObservableArray<Element>) {
    (self.key, self.elements) = (key, elements)
  }
}

extension ObservableSection: CustomStringConvertible {
  /// The key and the elements, as in `work: [a, b]`.
  ///
  /// - Complexity: O(n).
  public var description: String { "\(key): \(elements)" }
}

/// Its elements belong to one isolation, as those of any `ObservableArray`.
@available(
  *, unavailable,
  message: "An ObservableSection has elements that are edited in place; send those instead"
)
extension ObservableSection: Sendable {}
