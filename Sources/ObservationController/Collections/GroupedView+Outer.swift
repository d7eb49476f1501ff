/// Showing groups that come and go in the outer collection.
extension ObservableArray {
  /// - Complexity: O(k log m) for k sections that come or go among m.
  @inlinable
  func show<Key, Inner>(_ change: GroupChange<Key, Inner>)
  where Element == ObservableSection<Key, Inner> {
    // Before the edit: `<` is the user's.
    var places: [Int] = []
    for key in change.removed {
      if let place = place(of: key) { places.append(place) }
    }
    places.sort()
    var entries = places.map { Entry(storage[$0], removedAt: $0) }
    let came = change.inserted.sorted { $0.key < $1.key }
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

  @inlinable
  func place<Key, Inner>(of key: Key) -> Int?
  where Element == ObservableSection<Key, Inner> {
    let place = storage.partitioningIndex { $0.key >= key }
    if place < storage.count, storage[place].key == key { return place }
    // Where `<` and `==` disagree.
    return storage.firstIndex { $0.key == key }
  }
}

extension ObservableDictionary {
  @usableFromInline
  func show<Element>(_ change: GroupChange<Key, Element>)
  where Value == ObservableArray<Element> {
    let came = Dictionary(uniqueKeysWithValues: change.inserted.map { ($0.key, $0.inner) })
    let gone = change.removed.filter { came[$0] == nil }
    if ThreadActivity.isAnyInTransaction { joinTransaction() }
    edit(isByView: true) { storage in
      gone.map { KeyedEntry($0, from: storage[$0], to: nil) }
        + came.map { KeyedEntry($0, from: storage[$0], to: $1) }
    }
  }
}
