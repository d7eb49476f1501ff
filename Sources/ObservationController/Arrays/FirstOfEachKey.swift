/// Of elements with equal keys the first one: the selection of a live view without duplicates.
///
///     source   a b a c b        groups   0 1 0 2 1        firsts   0 1 3
///
/// Each key has a number, the group of its elements. When the first one of a group leaves, the next
/// one is looked for among the numbers.
@usableFromInline
final class FirstOfEachKey<Element, Key: Hashable> {
  // As in an `ArrangedView`: no closure runs during an access.

  @usableFromInline let key: (Element) -> Key

  /// For each index in the source the group of its element.
  @exclusivity(unchecked) @usableFromInline var groups: [Int] = []

  @exclusivity(unchecked) @usableFromInline var numbers: [Key: Int] = [:]

  /// For each group its key; `nil` for one that is not used.
  @exclusivity(unchecked) @usableFromInline var keys: [Key?] = []

  /// For each group how many elements it has, and the index of the first.
  @exclusivity(unchecked) @usableFromInline var counts: [Int] = []
  @exclusivity(unchecked) @usableFromInline var firsts: [Int] = []

  @exclusivity(unchecked) @usableFromInline var unused: [Int] = []

  @inlinable
  init(_ key: @escaping (Element) -> Key) { self.key = key }

  @inlinable
  var selection: IndexSelection<Element> {
    IndexSelection(
      begin: { self.begin($0) }, follow: { self.follow($0, shown: $1) },
      contains: { self.firsts[self.groups[$0]] == $0 })
  }

  @inlinable
  func begin(_ elements: [Element]) -> [Int] {
    // Before anything is changed: the closure is the user's.
    let all = elements.map(key)
    (groups, numbers, keys, counts, firsts, unused) = ([], [:], [], [], [], [])
    groups.reserveCapacity(all.count)
    var shown: [Int] = []
    for (index, key) in all.enumerated() {
      let group = number(of: key)
      if counts[group] == 0 {
        firsts[group] = index
        shown.append(index)
      }
      counts[group] += 1
      groups.append(group)
    }
    return shown
  }

  /// The number of a key, which gets one if it is new.
  @inlinable
  func number(of key: Key) -> Int {
    if let number = numbers[key] { return number }
    let new = unused.popLast() ?? keys.count
    if new == keys.count {
      keys.append(key)
      counts.append(0)
      firsts.append(-1)
    } else {
      (keys[new], counts[new], firsts[new]) = (key, 0, -1)
    }
    numbers[key] = new
    return new
  }

  /// - Complexity: O(k log k) for an edit of k elements, and what is shown behind it; O(n) if the
  ///   first one of several leaves or moves.
  @inlinable
  func follow(_ change: ArrayChange<Element>, shown: [Int]) -> (leaving: [Int], coming: [Int]) {
    let entries = change.entries
    // Elements that move keep their key.
    let new = entries.map { entry -> Key? in
      guard entry.newIndex != nil, entry.oldIndex == nil || change.kind == .element else {
        return nil
      }
      return key(entry.element)
    }
    let edit = IndexEdit(entries)
    var affected: Set<Int> = []
    for case let old? in entries.map({ $0.oldIndex }) {
      counts[groups[old]] -= 1
      affected.insert(groups[old])
    }
    let oldGroups = groups
    groups.follow(entries)
    for (entry, key) in zip(entries, new) {
      guard let index = entry.newIndex else { continue }
      if let key { groups[index] = number(of: key) }
      counts[groups[index]] += 1
      affected.insert(groups[index])
    }
    var oldFirsts: [Int: Int] = [:]
    for group in affected where firsts[group] >= 0 { oldFirsts[group] = firsts[group] }
    // What stands in front of the edit keeps its index.
    for old in shown[shown.partitioningIndex { $0 >= edit.start }...] {
      firsts[oldGroups[old]] = edit.index(after: old) ?? -1
    }
    return settle(affected, edit, oldFirsts)
  }

  /// Finds the first element of each group that an edit has touched.
  @inlinable
  func settle(
    _ affected: Set<Int>, _ edit: IndexEdit, _ oldFirsts: [Int: Int]
  ) -> (leaving: [Int], coming: [Int]) {
    var first: [Int: Int] = [:]
    for index in edit.inserted.reversed() { first[groups[index]] = index }
    var lost: Set<Int> = []
    var result: (leaving: [Int], coming: [Int]) = ([], [])
    for group in affected {
      guard counts[group] > 0 else {
        keys[group].take().map { numbers[$0] = nil }
        unused.append(group)
        continue
      }
      guard firsts[group] >= 0 else {
        lost.insert(group)
        continue
      }
      if let index = first[group], index < firsts[group] {
        firsts[group] = index
        // It was the first one, and is still there.
        oldFirsts[group].map { result.leaving.append($0) }
      }
    }
    if !lost.isEmpty {
      for (index, group) in groups.enumerated() where lost.remove(group) != nil {
        firsts[group] = index
        if first[group] != index { result.coming.append(index) }
        if lost.isEmpty { break }
      }
    }
    result.leaving.sort()
    return result
  }
}
