/// A permutation: which element of a source stands where in sorted order.
@usableFromInline
struct SortedOrder {
  /// For each place its element's index in the source.
  @usableFromInline var sources: [Int] = []

  /// For each index in the source the place of its element.
  @usableFromInline var places: [Int] = []
}

extension SortedOrder {
  @usableFromInline
  init(_ sources: [Int]) {
    self.sources = sources
    places = [Int](repeating: 0, count: sources.count)
    for (place, source) in sources.enumerated() { places[source] = place }
  }

  /// Moves the element at one place to another.
  ///
  /// - Complexity: O(d), d being the distance.
  @usableFromInline
  mutating func move(from old: Int, to new: Int) {
    sources.move(from: old, to: new)
    places.withUnsafeMutableBufferPointer { places in
      for place in min(old, new)...max(old, new) { places[sources[place]] = place }
    }
  }

  /// Follows an edit of the source.
  ///
  /// - Parameter places: For what came, index in the source and place, ascending by place.
  /// - Complexity: O(n).
  @usableFromInline
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

  @usableFromInline
  mutating func insert(_ source: Int, at place: Int) {
    sources.shift(from: source, by: 1)
    places.shift(from: place, by: 1)
    sources.insert(source, at: place)
    places.insert(place, at: source)
  }
}

extension Array {
  /// Moves an element, and those in between by one; no others, as removing and inserting it would.
  @inlinable
  mutating func move(from old: Int, to new: Int) {
    precondition(indices.contains(old) && indices.contains(new))
    withUnsafeMutableBufferPointer { elements in
      // Safe: both places are there, and each element is moved out before another one is moved in.
      guard let start = elements.baseAddress else { return }
      let element = (start + old).move()
      if old < new {
        (start + old).moveInitialize(from: start + old + 1, count: new - old)
      } else {
        (start + new + 1).moveInitialize(from: start + new, count: old - new)
      }
      (start + new).initialize(to: element)
    }
  }
}

extension [Int] {
  /// Adds `distance` to all numbers that are at least `start`, of which none is more than the count.
  fileprivate mutating func shift(from start: Int, by distance: Int) {
    // Nothing to do for an element at the end of the source.
    guard start < count else { return }
    // Four at a time, as the compiler does without checks of the places.
    withUnsafeMutableBufferPointer { numbers in
      for index in numbers.indices {
        numbers[index] &+= numbers[index] >= start ? distance : 0
      }
    }
  }
}
