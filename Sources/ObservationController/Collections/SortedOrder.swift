/// A permutation: which element of a source stands where in sorted order.
struct SortedOrder {
  /// For each place its element's index in the source.
  private(set) var sources: [Int] = []

  /// For each index in the source the place of its element.
  private(set) var places: [Int] = []
}

extension SortedOrder {
  init(_ sources: [Int]) {
    self.sources = sources
    places = [Int](repeating: 0, count: sources.count)
    for (place, source) in sources.enumerated() { places[source] = place }
  }

  /// Moves the element at one place to another.
  ///
  /// - Complexity: O(d), d being the distance.
  mutating func move(from old: Int, to new: Int) {
    let source = sources.remove(at: old)
    sources.insert(source, at: new)
    for place in min(old, new)...max(old, new) { places[sources[place]] = place }
  }

  /// Follows an edit of the source.
  ///
  /// - Parameter places: For what came, index in the source and place, ascending by place.
  /// - Complexity: O(n).
  mutating func apply(_ edit: IndexEdit, places new: [(source: Int, place: Int)]) {
    if edit.removed.count <= 1, new.count <= 1 {
      // Over the numbers from end to end: much faster than one by one in the order of the other.
      if let source = edit.removed.first { remove(source) }
      if let (source, place) = new.first { insert(source, at: place) }
      return
    }
    var survivors = IndexEdit.Survivors(of: edit)
    var numbers = [Int](repeating: -1, count: places.count)
    for source in places.indices { numbers[source] = survivors.index(after: source) ?? -1 }
    var order: [Int] = []
    order.reserveCapacity(sources.count + new.count)
    var next = new[...]
    for source in sources where numbers[source] >= 0 {
      while let first = next.first, first.place == order.count {
        order.append(first.source)
        next = next.dropFirst()
      }
      order.append(numbers[source])
    }
    order += next.map(\.source)
    self = SortedOrder(order)
  }

  private mutating func remove(_ source: Int) {
    let place = places.remove(at: source)
    sources.remove(at: place)
    sources.shift(from: source, by: -1)
    places.shift(from: place, by: -1)
  }

  private mutating func insert(_ source: Int, at place: Int) {
    sources.shift(from: source, by: 1)
    places.shift(from: place, by: 1)
    sources.insert(source, at: place)
    places.insert(place, at: source)
  }
}

extension [Int] {
  /// Adds `distance` to all numbers that are at least `start`, of which none is more than the count.
  fileprivate mutating func shift(from start: Int, by distance: Int) {
    // Nothing to do for an element at the end of the source.
    guard start < count else { return }
    for index in indices { self[index] += self[index] >= start ? distance : 0 }
  }
}
