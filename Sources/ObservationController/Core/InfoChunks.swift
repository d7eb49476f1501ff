/// Many infos in the order of their registration, in chunks: adding or removing one moves a chunk at most.
///
/// Not edited while another list has it, see `InfoList`.
final class InfoChunks {
  private(set) var chunks: ContiguousArray<Chunk>

  private(set) var count: Int

  struct Chunk {
    /// Not empty.
    fileprivate(set) var infos: ContiguousArray<ObservationInfo>

    /// No info here comes before, and none of the chunks before comes after. Here, since looking at an
    /// info waits for memory.
    fileprivate var start: (serial: UInt64, part: UInt32)

    fileprivate init(_ infos: ContiguousArray<ObservationInfo>) {
      self.infos = infos
      start = infos[0].order
    }
  }

  private enum Limit {
    /// How many infos a chunk is filled with at the end.
    static let full = 256

    /// From how many infos on a chunk is split.
    static let split = 512

    /// Up to how many infos two neighbours become one.
    static let merged = 128
  }

  /// From how many infos on they are kept in chunks.
  static let many = 512

  /// With how many infos left they are not; fewer than `many`, so that one that comes and goes costs little.
  static let few = 128

  init(_ infos: ContiguousArray<ObservationInfo>) {
    chunks = ContiguousArray(
      stride(from: 0, to: infos.count, by: Limit.full).map {
        Chunk(ContiguousArray(infos[$0..<min($0 + Limit.full, infos.count)]))
      })
    count = infos.count
  }

  init(copying other: InfoChunks) {
    (chunks, count) = (other.chunks, other.count)
  }
}

extension InfoChunks {
  /// - Complexity: O(n).
  var all: ContiguousArray<ObservationInfo> {
    var infos = ContiguousArray<ObservationInfo>()
    infos.reserveCapacity(count)
    for chunk in chunks { infos += chunk.infos }
    return infos
  }

  /// Out of line, so that lists of a few are visited as fast as if there were no chunks.
  @inline(never)
  func visitLists(_ body: (InfoList) -> Void) {
    for chunk in chunks { body(.many(chunk.infos)) }
  }

  /// - Complexity: O(1) amortised at the end; else O(log n) to find the place, which moves a chunk, and one
  ///   entry for each 256 infos where the chunk is split.
  func insert(_ info: ObservationInfo) {
    count += 1
    let index = chunk(of: info.order)
    let offset = InfoList.end(of: info.order, in: chunks[index].infos)
    if offset >= Limit.full, offset == chunks[index].infos.count, index == chunks.count - 1 {
      return chunks.append(Chunk([info]))
    }
    chunks[index].infos.insert(info, at: offset)
    if info.order < chunks[index].start { chunks[index].start = info.order }
    if chunks[index].infos.count >= Limit.split {
      let rest = chunks[index].infos[Limit.full...]
      chunks.insert(Chunk(ContiguousArray(rest)), at: index + 1)
      chunks[index].infos.removeSubrange(Limit.full...)
    }
  }

  /// - Complexity: As that of `insert`.
  func remove(_ info: ObservationInfo) -> Bool {
    guard let (index, offset) = find(info) else { return false }
    count -= 1
    chunks[index].infos.remove(at: offset)
    if chunks[index].infos.isEmpty {
      chunks.remove(at: index)
    } else if index + 1 < chunks.count,
      chunks[index].infos.count + chunks[index + 1].infos.count <= Limit.merged
    {
      chunks[index].infos += chunks.remove(at: index + 1).infos
    }
    return true
  }

  /// - Complexity: O(log n), and comparing the references of a chunk.
  func contains(_ info: ObservationInfo) -> Bool { find(info) != nil }

  private func find(_ info: ObservationInfo) -> (chunk: Int, offset: Int)? {
    let index = chunk(of: info.order)
    // One reference after the other, without looking at an info.
    let offset = chunks[index].infos.withUnsafeBufferPointer { infos in
      infos.indices.first { infos[$0] === info }
    }
    return offset.map { (index, $0) }
  }

  /// The last chunk that begins with an info of this order, or one before; or the first of all.
  private func chunk(of order: (serial: UInt64, part: UInt32)) -> Int {
    let index = chunks.withUnsafeBufferPointer { chunks in
      chunks.indices.partitioningIndex { chunks[$0].start > order }
    }
    return max(index - 1, 0)
  }
}
