/// Follows a source with what a closure makes of its elements.
struct MappedView<Source, Element> {
  private let transform: (Source) -> Element

  init(_ transform: @escaping (Source) -> Element) {
    self.transform = transform
  }

  func follow(_ change: ArrayChange<Source>, in view: ObservableArray<Element>) {
    guard !change.details.isOfEverything else {
      return view.applySetting(change.elements.map(transform))
    }
    guard change.kind != .element else { return update(change.entries, in: view) }
    view.apply(
      change.entries.map { entry in
        // What leaves or moves has been made before.
        let element = entry.oldIndex.map { view.storage[$0] } ?? transform(entry.element)
        return ArrayChange.Entry(
          element: element, oldIndex: entry.oldIndex, newIndex: entry.newIndex)
      })
  }

  /// Replaces what has become different.
  private func update(
    _ entries: [ArrayChange<Source>.Entry], in view: ObservableArray<Element>
  ) {
    let areEqual = ElementIdentity<Element>.equality
    view.apply(
      entries.flatMap { entry -> [ArrayChange<Element>.Entry] in
        guard let index = entry.newIndex else { return [] }
        let (old, new) = (view.storage[index], transform(entry.element))
        if let areEqual, areEqual(old, new) { return [] }
        return ArrayChange.Entry.replacing([old], with: [new], at: index)
      })
  }
}
