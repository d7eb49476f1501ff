/// A view of what a closure makes of each element of a source.
@usableFromInline
final class MappedView<Element, Mapped> {
  /// Replaced with the value of a parameter; `nil` before that has one.
  @usableFromInline var transform: ((Element) -> Mapped)?

  @usableFromInline let areSame = ElementIdentity<Mapped>.areSame

  @inlinable
  init(by transform: ((Element) -> Mapped)? = nil) { self.transform = transform }

  @inlinable
  func image(of element: Element) -> Mapped {
    // A parameter has set it before the view begins.
    transform!(element)
  }

  @inlinable
  func begin(_ elements: [Element], in view: ObservableArray<Mapped>) -> [Mapped] {
    elements.map(image)
  }

  @inlinable
  func follow(_ change: ArrayChange<Element>, in view: ObservableArray<Mapped>) {
    var shown: [ObservableArray<Mapped>.Entry] = []
    for entry in change.entries {
      // Elements that leave or move have been made before.
      let old = entry.oldIndex.map { view.storage[$0] }
      if change.kind == .element, let index = entry.newIndex, let old {
        replace(old, by: image(of: entry.element), at: index, in: &shown)
      } else {
        shown.append(entry.with(old ?? image(of: entry.element)))
      }
    }
    view.apply(shown)
  }

  /// Makes every element anew, and replaces those that can be told apart from the one before.
  ///
  /// - Complexity: O(n).
  @inlinable
  func reevaluate(_ elements: [Element], in view: ObservableArray<Mapped>) {
    var shown: [ObservableArray<Mapped>.Entry] = []
    for (index, new) in elements.map(image).enumerated() {
      replace(view.storage[index], by: new, at: index, in: &shown)
    }
    view.apply(shown, as: .batch)
  }

  @inlinable
  func replace(
    _ old: Mapped, by new: Mapped, at index: Int, in entries: inout [ObservableArray<Mapped>.Entry]
  ) {
    if Self.areSameObject(old, new) || areSame(old, new) { return }
    entries.append(ArrayChange.Entry(old, removedAt: index))
    entries.append(ArrayChange.Entry(new, insertedAt: index))
  }

  /// Whether both values are references to one object; found out in a tenth of the time that
  /// comparing takes.
  @inlinable
  static func areSameObject(_ first: Mapped, _ second: Mapped) -> Bool {
    // Safe: the values are references.
    Mapped.self is AnyClass
      && unsafeBitCast(first, to: UnsafeRawPointer.self)
        == unsafeBitCast(second, to: UnsafeRawPointer.self)
  }
}
