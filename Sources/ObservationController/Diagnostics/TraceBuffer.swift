/// The events of one trace, the newest of them. Used under the lock of `Tracer` alone.
final class TraceBuffer {
  private let capacity: Int

  /// A ring, once it is full.
  private var ring: [TraceRecord] = []

  /// Where the oldest one is.
  private var first = 0

  private(set) var droppedCount = 0

  /// When it was first started.
  var startTime: UInt64?

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// What there is, to be brought into its order outside of the lock.
  ///
  /// - Complexity: O(1), and O(n) for the next event.
  var contents: Contents {
    Contents(ring: ring, first: first, droppedCount: droppedCount)
  }

  struct Contents {
    fileprivate let ring: [TraceRecord]
    fileprivate let first: Int
    let droppedCount: Int

    /// The oldest first.
    var records: ArraySlice<TraceRecord> { ring[first...] + ring[..<first] }
  }

  /// Adds an event that happens at `now`, and drops the oldest one if there is no room.
  ///
  /// - Complexity: O(1), amortized.
  func append(_ record: TraceRecord, at now: UInt64) {
    var record = record
    record.time = now &- (startTime ?? now)
    guard ring.count == capacity else { return ring.append(record) }
    ring[first] = record
    first = (first + 1) % capacity
    droppedCount += 1
  }

  /// Changes an event, if it has not been dropped.
  ///
  /// - Complexity: O(log n), since the numbers of a trace that was stopped in between have gaps.
  func update(_ id: UInt64, _ body: (inout TraceRecord) -> Void) {
    let age = ring.indices.partitioningIndex { ring[(first + $0) % ring.count].id >= id }
    guard age < ring.count else { return }
    let index = (first + age) % ring.count
    if ring[index].id == id { body(&ring[index]) }
  }
}

/// Guarded by the lock of `Tracer`, under which alone it is used.
extension TraceBuffer: @unchecked Sendable {}
