extension InfoList {
  /// Many infos in the order of their registration, in chunks: adding or removing one moves a chunk
  /// at most.
  ///
  /// Copied before an edit while another list refers to it, see `InfoList`.
  final class Chunks {
    private(set) var chunks: ContiguousArray<Chunk>

    private(set) var count: Int

    struct Chunk {
      /// Not empty.
      fileprivate(set) var infos: ContiguousArray<ObservationInfo>

      /// Lower bound of the order of the infos, which those of earlier chunks do not exceed. Kept
      /// here, since reading an info waits for memory.
      fileprivate var start: (serial: UInt64, part: UInt32)

      fileprivate init(_ infos: ContiguousArray<ObservationInfo>) {
        self.infos = infos
        start = infos[0].order
      }
    }

    private enum Limit {
      /// Number of infos that the last chunk is filled with.
      static let full = 256

      /// Number of infos at which a chunk is split.
      static let split = 512
    }

    /// Number of infos at which a list becomes chunks.
    static let many = 512

    /// Number of infos at which chunks become a list again; smaller than `many`, so that adding and
    /// removing one info in turn costs little.
    static let few = 128

    init(_ infos: ContiguousArray<ObservationInfo>) {
      chunks = ContiguousArray(
        stride(from: 0, to: infos.count, by: Limit.full).map {
          Chunk(ContiguousArray(infos[$0..<min($0 + Limit.full, infos.count)]))
        })
      count = infos.count
    }

    init(copying other: InfoList.Chunks) {
      (chunks, count) = (other.chunks, other.count)
    }
  }
}

extension InfoList.Chunks {
  /// - Complexity: O(n).
  var all: ContiguousArray<ObservationInfo> {
    var infos = ContiguousArray<ObservationInfo>()
    infos.reserveCapacity(count)
    for chunk in chunks { infos += chunk.infos }
    return infos
  }

  /// Out of line, so that it does not slow down visiting short lists.
  @inline(never)
  func visitLists(_ body: (InfoList) -> Void) {
    for chunk in chunks { body(.many(chunk.infos)) }
  }

  /// - Complexity: O(1) amortised at the end; else O(log n) to find the place, which moves a chunk,
  ///   and one entry for each 256 infos where the chunk is split.
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

  /// - Complexity: O(log n) to find the place, which moves a chunk.
  func remove(_ info: ObservationInfo) -> Bool {
    guard let (index, offset) = find(info) else { return false }
    count -= 1
    chunks[index].infos.remove(at: offset)
    // Small neighbours stay apart: there are never more chunks than infos.
    if chunks[index].infos.isEmpty { chunks.remove(at: index) }
    return true
  }

  /// - Complexity: O(log n), and comparing the references of a chunk.
  func contains(_ info: ObservationInfo) -> Bool { find(info) != nil }

  private func find(_ info: ObservationInfo) -> (chunk: Int, offset: Int)? {
    let index = chunk(of: info.order)
    // Compares references without reading an info.
    let offset = chunks[index].infos.withUnsafeBufferPointer { infos in
      infos.indices.first { infos[$0] === info }
    }
    return offset.map { (index, $0) }
  }

  /// Index of the last chunk that begins at this order or before it, or of the first chunk.
  private func chunk(of order: (serial: UInt64, part: UInt32)) -> Int {
    let index = chunks.withUnsafeBufferPointer { chunks in
      chunks.indices.partitioningIndex { chunks[$0].start > order }
    }
    return max(index - 1, 0)
  }
}
