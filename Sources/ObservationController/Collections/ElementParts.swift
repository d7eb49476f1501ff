/// What each element of an array contributes to an aggregate, by the index of the element, and what
/// comes of all of them.
///
/// Inlinable, as live views are: code that is not compiled for the types takes twenty times as
/// long.
@usableFromInline
protocol ElementParts {
  associatedtype Part

  /// One for each element.
  var parts: [Part] { get }

  /// Begins anew.
  mutating func set(_ parts: [Part])

  /// - Parameter index: That of a part.
  mutating func replace(at index: Int, with part: Part)

  mutating func insert(_ part: Part, at index: Int)

  mutating func remove(at index: Int)

  /// Makes several edits at once.
  mutating func apply(_ entries: [ArrayChange<Part>.Entry])
}

/// Parts whose sum is kept: each change subtracts the old part, and adds the new one. Exact, since
/// the sum has 128 bits: enough for as many integers of 64 as memory holds.
@usableFromInline
struct SummedParts<Part>: ElementParts {
  @usableFromInline private(set) var parts: [Part] = []
  @usableFromInline private(set) var sum: Int128 = 0

  @usableFromInline let add: (Part, inout Int128) -> Void
  @usableFromInline let subtract: (Part, inout Int128) -> Void

  /// - Complexity: O(n).
  @inlinable
  mutating func set(_ parts: [Part]) {
    self.parts = parts
    sum = 0
    for part in parts { add(part, &sum) }
  }

  /// - Complexity: O(1).
  @inlinable
  mutating func replace(at index: Int, with part: Part) {
    subtract(parts[index], &sum)
    add(part, &sum)
    parts[index] = part
  }

  @inlinable
  mutating func insert(_ part: Part, at index: Int) {
    add(part, &sum)
    parts.insert(part, at: index)
  }

  @inlinable
  mutating func remove(at index: Int) {
    subtract(parts.remove(at: index), &sum)
  }

  @inlinable
  mutating func apply(_ entries: [ArrayChange<Part>.Entry]) {
    for entry in entries {
      if let index = entry.oldIndex { subtract(parts[index], &sum) }
      if entry.newIndex != nil { add(entry.element, &sum) }
    }
    parts.apply(entries)
  }
}

extension SummedParts where Part: FixedWidthInteger {
  /// - Requires: Integers of at most 64 bits.
  @inlinable
  init() { self.init(add: { $1 += Int128($0) }, subtract: { $1 -= Int128($0) }) }
}

extension SummedParts where Part == Bool {
  /// The sum is the number of `true`.
  @inlinable
  init() { self.init(add: { if $0 { $1 += 1 } }, subtract: { if $0 { $1 -= 1 } }) }

  @inlinable var count: Int { Int(truncatingIfNeeded: sum) }
}

extension SummedParts {
  @inlinable
  init(
    add: @escaping (Part, inout Int128) -> Void, subtract: @escaping (Part, inout Int128) -> Void
  ) {
    (self.add, self.subtract) = (add, subtract)
  }
}
