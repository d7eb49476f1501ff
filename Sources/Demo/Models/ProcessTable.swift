import ObservationController

/// All processes, in the order in which they are asked for.
final class ProcessTable {
  /// The busiest or the biggest first, and by identifier where they tie.
  @Observed private(set) var records: [ProcessRecord] = []
  @Observed private(set) var counts = ProcessCounts()
  @Observed private(set) var order: ProcessOrder

  init(order: ProcessOrder = .processor) {
    self.order = order
  }

  /// Sorts the processes by `order`, now and from now on.
  func sort(by order: ProcessOrder) {
    self.order = order
    records = order.sorted(records)
  }

  /// Makes the records what the samples say.
  ///
  /// A process keeps its record as long as it is listed, so that whoever shows it goes on
  /// showing it. One that is gone loses its record here, and the record goes when the last
  /// row has let go of it.
  ///
  /// The list and the counts are assigned once for all processes. Computed, they would be
  /// computed anew for each change of each process.
  func apply(_ samples: [ProcessSample]) {
    let known = Dictionary(
      records.map { ($0.processIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    let listed = samples.map { sample in
      guard let record = known[sample.processIdentifier] else { return ProcessRecord(sample) }
      record.apply(sample)
      return record
    }
    counts = ProcessCounts(of: samples)
    records = order.sorted(listed)
  }
}

/// What the processes are sorted by.
enum ProcessOrder: String, CaseIterable, Sendable {
  case processor = "cpu"
  case memory = "memory"

  fileprivate func sorted(_ records: [ProcessRecord]) -> [ProcessRecord] {
    // Read each record once: the sort compares it many times.
    let keyed = records.map { (key: key(of: $0), record: $0) }
    return keyed.sorted { first, second in
      first.key != second.key
        ? first.key > second.key
        : first.record.processIdentifier < second.record.processIdentifier
    }.map(\.record)
  }

  /// What a record is sorted by; the greatest comes first.
  private func key(of record: ProcessRecord) -> Double {
    switch self {
    case .processor: record.processorPercent
    case .memory: Double(record.residentBytes)
    }
  }
}

/// Numbers of processes. Those in a state that is not known count in the total alone.
struct ProcessCounts: Equatable, Sendable {
  var total = 0
  var running = 0
  var sleeping = 0
  var stopped = 0
  var zombies = 0
}

extension ProcessCounts {
  init(of samples: [ProcessSample]) {
    for sample in samples {
      total += 1
      if sample.state == .running { running += 1 }
      if sample.state.isSleeping { sleeping += 1 }
      if sample.state == .stopped { stopped += 1 }
      if sample.state == .zombie { zombies += 1 }
    }
  }
}
