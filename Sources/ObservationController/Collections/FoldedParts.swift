/// Parts that are combined, in the order of their indices, by a function that need not have an
/// inverse: the least one, or the sum of floating-point numbers.
///
/// A tree of partial results, each of 16 of the level below:
///
///     level 2     ┌────── 0…255 ──────┐
///     level 1     0…15   16…31   …   240…255     …
///     parts       0, 1, 2, …
///
/// A changed part has one result of each level computed anew, so that nothing is ever subtracted,
/// and the result depends on the parts alone: not on what they were before.
@usableFromInline
struct FoldedParts<Part>: ElementParts {
  @usableFromInline let combine: (Part, Part) -> Part

  @usableFromInline private(set) var parts: [Part] = []

  /// From below; each is a sixteenth of the one before, and the last one has a single result. None
  /// for up to 16 parts.
  @usableFromInline private(set) var levels: [[Part]] = []

  /// - Parameter combine: Combines the results of two ranges, the first one before the second.
  @inlinable
  init(by combine: @escaping (Part, Part) -> Part) { self.combine = combine }

  /// All parts, combined; `nil` if there is none.
  ///
  /// - Complexity: O(1).
  @inlinable var result: Part? {
    let top = levels.last ?? parts
    guard let first = top.first else { return nil }
    return top.dropFirst().reduce(first, combine)
  }

  @inlinable static var width: Int { 16 }

  /// - Complexity: O(n).
  @inlinable
  mutating func set(_ parts: [Part]) {
    self.parts = parts
    combine(from: 0)
  }

  /// - Complexity: O(log n).
  @inlinable
  mutating func replace(at index: Int, with part: Part) {
    parts[index] = part
    update(at: index)
  }

  /// - Complexity: O(log n) at the end; else O(n) in what stands behind the index.
  @inlinable
  mutating func insert(_ part: Part, at index: Int) {
    parts.insert(part, at: index)
    combine(from: index)
  }

  @inlinable
  mutating func remove(at index: Int) {
    parts.remove(at: index)
    combine(from: index)
  }

  @inlinable
  mutating func apply(_ entries: [ArrayChange<Part>.Entry]) {
    let edit = IndexEdit(entries)
    parts.apply(entries)
    if edit.removed == edit.inserted, edit.removed.count < parts.count / Self.width {
      for index in edit.inserted { update(at: index) }
    } else if edit.start < Int.max {
      combine(from: edit.start)
    }
  }

  /// Computes the results anew that one part is in.
  @inlinable
  mutating func update(at index: Int) {
    var index = index
    for level in levels.indices {
      index /= Self.width
      levels[level][index] = combined(below: level, at: index)
    }
  }

  /// Computes all results anew that are of parts from an index on.
  @inlinable
  mutating func combine(from start: Int) {
    var (count, first, level) = (parts.count, start, 0)
    while count > Self.width {
      (count, first) = ((count + Self.width - 1) / Self.width, first / Self.width)
      if level == levels.count { levels.append([]) }
      // Not fewer than there are: what stands before the index is complete.
      levels[level].removeSubrange(min(first, levels[level].count)...)
      levels[level].reserveCapacity(count)
      for index in levels[level].count..<count {
        levels[level].append(combined(below: level, at: index))
      }
      level += 1
    }
    levels.removeSubrange(level...)
  }

  /// The result of up to 16 of the level below.
  @inlinable
  func combined(below level: Int, at index: Int) -> Part {
    func combined(_ below: [Part]) -> Part {
      let start = index * Self.width
      var result = below[start]
      for index in start + 1..<Swift.min(start + Self.width, below.count) {
        result = combine(result, below[index])
      }
      return result
    }
    return combined(level == 0 ? parts : levels[level - 1])
  }
}
