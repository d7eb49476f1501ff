/// Showing groups that come and go in the outer collection.
extension ObservableArray {
  /// - Complexity: O(k log m) for k sections that come or go among m.
  func show<Key, Inner>(_ change: GroupedView<Key, Inner>.OuterChange)
  where Element == ObservableSection<Key, Inner> {
    // Before the edit: `<` is the user's.
    let places = change.gone.compactMap(place).sorted()
    var entries = places.map { Entry(storage[$0], removedAt: $0) }
    let came = change.came.sorted { $0.key < $1.key }
    for (count, new) in came.enumerated() {
      let before = storage.partitioningIndex { $0.key >= new.key }
      let removedBefore = places.partitioningIndex { $0 >= before }
      entries.append(
        Entry(
          ObservableSection(key: new.key, new.inner), insertedAt: before - removedBefore + count))
    }
    entries.sort { $0.sortKey < $1.sortKey }
    apply(entries)
  }

  private func place<Key, Inner>(of key: Key) -> Int?
  where Element == ObservableSection<Key, Inner> {
    let place = storage.partitioningIndex { $0.key >= key }
    if place < storage.count, storage[place].key == key { return place }
    // Where `<` and `==` disagree.
    return storage.firstIndex { $0.key == key }
  }
}

extension ObservableDictionary {
  func show<Element>(_ change: GroupedView<Key, Element>.OuterChange)
  where Value == ObservableArray<Element> {
    var entries: [KeyedEntry<[Key: Value]>] = []
    let came = Dictionary(uniqueKeysWithValues: change.came.map { ($0.key, $0.inner) })
    for key in change.gone where came[key] == nil {
      entries.append(KeyedEntry(key, from: storage[key], to: nil))
    }
    for (key, inner) in came { entries.append(KeyedEntry(key, from: storage[key], to: inner)) }
    if ThreadActivity.isAnyInTransaction { joinTransaction() }
    edit(isByView: true) { _ in entries }
  }
}
