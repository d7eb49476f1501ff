/// An element of a sorted list, whose order among the others never changes.
protocol Ordered {
  associatedtype Order: Comparable

  /// Different for each element of a list.
  var order: Order { get }
}

/// Elements in their order.
///
/// They stand in chunks, so that adding or removing one of many moves few of the others. One
/// pointer wide.
struct SortedList<Element: Ordered> {
  typealias Chunk = ContiguousArray<Element>

  /// None is empty but the only one, whose memory is kept.
  private(set) var chunks: ContiguousArray<Chunk>

  /// Number of elements that the last chunk is filled with. One of twice as many is split, and one
  /// of a quarter joined with the one beside it.
  private static var full: Int { 256 }

  init(_ elements: Chunk = []) { chunks = [elements] }

  /// Takes all elements out of a list that is not used any more.
  mutating func takeChunks() -> ContiguousArray<Chunk> { exchange(&chunks, with: []) }

  /// Position of the element of an order, or the one to insert it at; valid until another one is
  /// inserted or removed.
  struct Place {
    fileprivate let chunk: Int
    fileprivate let offset: Int
    let isTaken: Bool
  }
}

extension SortedList {
  /// - Complexity: O(log n).
  subscript(order: Element.Order) -> Element? {
    let place = place(of: order)
    return place.isTaken ? self[place] : nil
  }

  var elements: some BidirectionalCollection<Element> { chunks.joined() }

  /// The chunks, from the one where an order belongs to those that are farthest from it.
  func chunks(around order: Element.Order) -> some Sequence<Chunk> {
    let middle = place(of: order).chunk
    return (0..<2 * chunks.count).lazy.compactMap { step in
      let chunk = step & 1 == 0 ? middle + step / 2 : middle - 1 - step / 2
      return chunks.indices.contains(chunk) ? chunks[chunk] : nil
    }
  }

  /// Not inlined, where it would cost the loop over a short list registers.
  @inline(never)
  func visit(_ body: (Element) -> Void) {
    for chunk in chunks {
      for element in chunk { body(element) }
    }
  }

  /// - Complexity: O(log n); O(1) behind all others.
  func place(of order: Element.Order) -> Place {
    let last = chunks.count - 1
    let chunk =
      last == 0 || chunks[last][0].order <= order
      ? last : max(chunks.indices.partitioningIndex { chunks[$0][0].order > order } - 1, 0)
    let offset = chunks[chunk].place(of: order)
    let isTaken = offset < chunks[chunk].count && chunks[chunk][offset].order == order
    return Place(chunk: chunk, offset: offset, isTaken: isTaken)
  }

  /// The element at a place that is taken.
  subscript(place: Place) -> Element {
    get { chunks[place.chunk][place.offset] }
    _modify { yield &chunks[place.chunk][place.offset] }
  }

  /// Adds an element at the place of its order, which is not taken.
  ///
  /// - Complexity: O(1) amortised behind all others, else a chunk is moved, and one reference for
  ///   each where the chunk is split.
  @inline(__always)
  mutating func insert(_ element: consuming Element, at place: Place) {
    let (chunk, offset) = (place.chunk, place.offset)
    if offset < chunks[chunk].count {
      chunks[chunk].insert(consume element, at: offset)
    } else if offset < Self.full || chunk < chunks.count - 1 {
      chunks[chunk].append(consume element)
    } else {
      chunks.append([consume element])
    }
    if chunks[chunk].count >= 2 * Self.full { split(chunk) }
  }

  @inline(never)
  private mutating func split(_ chunk: Int) {
    // Both are copied: one that is cut would keep its memory.
    let elements = chunks[chunk]
    chunks[chunk] = Chunk(elements[..<Self.full])
    chunks.insert(Chunk(elements[Self.full...]), at: chunk + 1)
  }

  /// Removes the element at a place that is taken.
  ///
  /// - Complexity: As that of inserting one.
  @inline(__always)
  mutating func remove(at place: Place) {
    if place.offset == chunks[place.chunk].count - 1 {
      chunks[place.chunk].removeLast()
    } else {
      chunks[place.chunk].remove(at: place.offset)
    }
    if chunks[place.chunk].count < Self.full / 4, chunks.count > 1 { join(place.chunk) }
  }

  /// Joins a chunk with the one before it, the first with the second.
  @inline(never)
  private mutating func join(_ chunk: Int) {
    let next = max(chunk, 1)
    chunks[next - 1] += chunks.remove(at: next)
  }
}

extension ContiguousArray where Element: Ordered {
  /// Index of the element of an order, or the one to insert it at, in a sorted array.
  ///
  /// - Complexity: O(log n); O(1) behind all others.
  @inline(__always)
  func place(of order: Element.Order) -> Int {
    isEmpty || self[count - 1].order < order
      ? count : indices.partitioningIndex { self[$0].order >= order }
  }
}
