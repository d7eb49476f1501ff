/// Matching the elements of an array with those that are to be there, for `update`.
extension ElementIdentity {
  /// For each element of `new`, the index of the one in `old` that stays in its place: with the
  /// same id, the n-th of an id being the n-th of it; -1 for elements that are new, or can be told
  /// apart from the one with their id.
  ///
  /// - Complexity: O(n) expected.
  @inlinable
  static func origins<ID: Hashable>(
    of new: [Element], in old: [Element], by id: (Element) -> ID
  ) -> [Int] {
    // These have equal ids, and are the n-th of these in both arrays.
    let start = commonStart(of: new, and: old)
    var origins = Array(0..<start)
    guard start < new.count else { return origins }
    origins.reserveCapacity(new.count)
    var matching = KeyMatching(old[start...], by: id)
    // Mostly the one behind the last that was found: compared, since that is cheaper than hashing.
    var guess = start
    for element in new[start...] {
      let key = id(element)
      let origin =
        matching.isOnlyOne(at: guess) && id(old[guess]) == key
        ? matching.takeOnlyOne(at: guess) : matching.takeIndex(of: key)
      origins.append(origin)
      guess = origin < 0 ? guess + 1 : origin + 1
    }
    return leavingOutOthers(origins, new, old)
  }

  /// Finds `origins(of:in:by:)` by what the type of the elements is found to be at run time: by
  /// their ids, by identity if all of them are objects, else by `==`. Of elements without any of
  /// these, those stay that can't be told apart, at both ends.
  ///
  /// - Complexity: O(n) expected.
  @usableFromInline
  static func originsByNature(of new: [Element], in old: [Element]) -> [Int] {
    // Safe in each case: it is the type of the elements. A checked cast looks at each of them.
    func byID<Identified: Identifiable>(_ type: Identified.Type) -> [Int] {
      ElementIdentity<Identified>.origins(
        of: unsafeBitCast(new, to: [Identified].self), in: unsafeBitCast(old, to: [Identified].self)
      ) { $0.id }
    }
    func byEquality<Key: Hashable>(_ type: Key.Type) -> [Int] {
      ElementIdentity<Key>.origins(
        of: unsafeBitCast(new, to: [Key].self), in: unsafeBitCast(old, to: [Key].self)
      ) { $0 }
    }
    if let type = Element.self as? any Identifiable.Type { return byID(type) }
    let start = commonStart(of: new, and: old)
    let origins = Array(0..<start)
    guard start < new.count else { return origins }
    if let objects = allObjects(in: Array(new[start...])),
      let oldObjects = allObjects(in: Array(old[start...]))
    {
      var matching = KeyMatching(oldObjects[...]) { $0 }
      return origins
        + objects.map { object in
          let origin = matching.takeIndex(of: object)
          return origin < 0 ? -1 : origin + start
        }
    }
    if let type = Element.self as? any Hashable.Type { return byEquality(type) }
    let longest = min(new.count, old.count) - start
    let tail = min(longest, commonStart(of: new.reversed(), and: old.reversed()))
    return new.indices.map {
      $0 < start ? $0 : $0 < new.count - tail ? -1 : $0 - new.count + old.count
    }
  }

  /// Whether elements may be objects, which are the same by identity, whatever their `==` says.
  @usableFromInline
  static var mayBeObjects: Bool { ValueEquality.mayBeInstance(Element.self) }

  /// The number of elements at the beginning of both arrays that can't be told apart.
  ///
  /// - Complexity: O(n).
  @usableFromInline
  static func commonStart(of new: [Element], and old: [Element]) -> Int {
    let areSame = ValueComparison.of(Element.self).areSame
    return new.withUnsafeBufferPointer { new in
      old.withUnsafeBufferPointer { old in
        guard let newStart = new.baseAddress, let oldStart = old.baseAddress else { return 0 }
        let shorter = min(new.count, old.count)
        return (0..<shorter).first { !areSame(oldStart + $0, newStart + $0) } ?? shorter
      }
    }
  }
}

/// Places of elements by their keys: the n-th search for a key finds the n-th element with it.
@usableFromInline
struct KeyMatching<Key: Hashable> {
  /// The place of the first element with each key, counted from `start`, as all places here.
  @usableFromInline var first: [Key: Int] = [:]

  /// For the first place of a key, the one to find next; -1 if all have been found, and for other
  /// places.
  @usableFromInline var unused: [Int]

  /// For each place the next one of the same key; -1 for the last.
  @usableFromInline var next: [Int]

  @usableFromInline let start: Int

  /// - Complexity: O(n) expected.
  @inlinable
  init<Element>(_ elements: ArraySlice<Element>, by key: (Element) -> Key) {
    start = elements.startIndex
    unused = Array(0..<elements.count)
    next = [Int](repeating: -1, count: elements.count)
    first.reserveCapacity(elements.count)
    for index in elements.indices.reversed() {
      guard let other = first.updateValue(index - start, forKey: key(elements[index])) else {
        continue
      }
      next[index - start] = other
      unused[other] = -1
    }
  }

  /// Whether there is an element at an index, yet to be found, with a key that no other one has.
  @inlinable
  func isOnlyOne(at index: Int) -> Bool {
    let place = index - start
    return place < next.count && unused[place] == place && next[place] < 0
  }

  @inlinable
  mutating func takeOnlyOne(at index: Int) -> Int {
    unused[index - start] = -1
    return index
  }

  /// The index of the next element with a key; -1 if there is none.
  @inlinable
  mutating func takeIndex(of key: Key) -> Int {
    guard let first = first[key], unused[first] >= 0 else { return -1 }
    defer { unused[first] = next[unused[first]] }
    return unused[first] + start
  }
}
