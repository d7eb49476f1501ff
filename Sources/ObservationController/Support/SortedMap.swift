/// Values by keys, in the order of the keys.
///
/// They stand in chunks, so that adding or removing one of many moves few of the others. The keys
/// of a chunk stand beside each other in memory, so that looking for one waits for little of it.
struct SortedMap<Key: Comparable, Value> {
  private typealias Chunk = ContiguousArray<(key: Key, value: Value)>

  /// None is empty but the only one, whose memory is kept.
  private var chunks: ContiguousArray<Chunk> = [[]]

  private(set) var count = 0

  /// Number of values that the last chunk is filled with. One of twice as many is split, and one of
  /// a quarter joined with the one beside it.
  private static var full: Int { 256 }

  /// Where the value of a key is, or would be; valid until another one is inserted or removed.
  struct Place {
    fileprivate let chunk: Int
    fileprivate let offset: Int
    let isTaken: Bool
  }
}

extension SortedMap {
  /// - Complexity: O(log n).
  subscript(key: Key) -> Value? {
    let place = place(of: key)
    return place.isTaken ? self[place] : nil
  }

  /// The values, in the order of their keys.
  var values: some BidirectionalCollection<Value> {
    chunks.joined().lazy.map { $0.value }
  }

  /// For how many values there is memory.
  var capacity: Int { chunks.reduce(0) { $0 + $1.capacity } }

  /// - Complexity: O(log n); O(1) behind all others.
  func place(of key: Key) -> Place {
    let last = chunks.count - 1
    let chunk =
      last == 0 || chunks[last][0].key <= key
      ? last : max(chunks.indices.partitioningIndex { chunks[$0][0].key > key } - 1, 0)
    let end = chunks[chunk].count
    if end == 0 || chunks[chunk][end - 1].key < key {
      return Place(chunk: chunk, offset: end, isTaken: false)
    }
    let offset = chunks[chunk].indices.partitioningIndex { chunks[chunk][$0].key >= key }
    return Place(chunk: chunk, offset: offset, isTaken: chunks[chunk][offset].key == key)
  }

  /// The value at a place that is taken.
  subscript(place: Place) -> Value {
    get { chunks[place.chunk][place.offset].value }
    _modify { yield &chunks[place.chunk][place.offset].value }
  }

  @inline(__always)
  func visit(_ body: (Value) -> Void) {
    for chunk in chunks {
      for entry in chunk { body(entry.value) }
    }
  }

  /// Adds a value at the place of its key, which has none.
  ///
  /// - Complexity: O(1) amortised behind all others, else a chunk is moved, and one reference for
  ///   each where the chunk is split.
  @inline(__always)
  mutating func insert(_ value: Value, for key: Key, at place: Place) {
    let (chunk, offset) = (place.chunk, place.offset)
    count += 1
    if offset < chunks[chunk].count {
      chunks[chunk].insert((key, value), at: offset)
    } else if offset < Self.full || chunk < chunks.count - 1 {
      chunks[chunk].append((key, value))
    } else {
      chunks.append([(key, value)])
    }
    if chunks[chunk].count >= 2 * Self.full { split(chunk) }
  }

  @inline(never)
  private mutating func split(_ chunk: Int) {
    // Both are copied: one that is cut would keep its memory.
    let entries = chunks[chunk]
    chunks[chunk] = Chunk(entries[..<Self.full])
    chunks.insert(Chunk(entries[Self.full...]), at: chunk + 1)
  }

  /// Removes the value at a place that is taken.
  ///
  /// - Complexity: As that of inserting one.
  @inline(__always)
  mutating func remove(at place: Place) {
    count -= 1
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
