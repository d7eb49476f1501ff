/// Follows a source with what a closure makes of its elements. Inlinable as `FilteredView` is.
@usableFromInline
struct MappedView<Source, Element> {
  @usableFromInline typealias Entry = ArrayChange<Element>.Entry

  @usableFromInline let transform: (Source) -> Element

  /// `nil` if elements can't be compared.
  @usableFromInline let areEqual: ((Element, Element) -> Bool)?

  @inlinable
  init(_ transform: @escaping (Source) -> Element) {
    self.transform = transform
    areEqual = ElementIdentity<Element>.equality
  }

  @inlinable
  func follow(_ change: ArrayChange<Source>, in view: ObservableArray<Element>) {
    guard !change.details.isOfEverything else {
      return view.applySetting(change.elements.map(transform))
    }
    if let (source, old) = change.details.onlyPlace {
      return followOne(change.elements[source], at: source, isNew: old < 0, in: view)
    }
    guard change.kind != .element else { return update(change.entries, in: view) }
    var entries: [Entry] = []
    for entry in change.entries {
      // What leaves or moves has been made before.
      let element = entry.oldIndex.map { view.storage[$0] } ?? transform(entry.element)
      entries.append(
        Entry(element: element, oldIndex: entry.oldIndex, newIndex: entry.newIndex))
    }
    view.apply(entries)
  }

  /// Maps one element that has changed or come.
  @inlinable
  func followOne(
    _ source: Source, at index: Int, isNew: Bool, in view: ObservableArray<Element>
  ) {
    let new = transform(source)
    if isNew {
      view.editPermitted {
        view.storage.insert(new, at: index)
        return .insertion(at: index)
      }
    } else if !(areEqual.map { $0(view.storage[index], new) } ?? false) {
      view.editPermitted {
        var old = new
        swap(&view.storage[index], &old)
        return ArrayEdit(
          .replacement, [Entry(old, removedAt: index), Entry(new, insertedAt: index)])
      }
    }
  }

  /// Replaces what has become different.
  @inlinable
  func update(_ entries: [ArrayChange<Source>.Entry], in view: ObservableArray<Element>) {
    var replaced: [Entry] = []
    for entry in entries {
      guard let index = entry.newIndex else { continue }
      let (old, new) = (view.storage[index], transform(entry.element))
      if let areEqual, areEqual(old, new) { continue }
      replaced.append(Entry(old, removedAt: index))
      replaced.append(Entry(new, insertedAt: index))
    }
    view.apply(replaced)
  }
}
