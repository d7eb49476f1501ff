/// Turns the counters of a ``SystemReader`` into samples with rates.
///
/// It remembers one reading, to measure the next one against. It is a value with no ties
/// to a thread; a ``BackgroundSampler`` owns it.
struct Sampler: Sendable {
  private let reader: any SystemReader
  private var previousUptime: Double?
  private var previousReadings: [Int: ProcessReading] = [:]
  private var previousProcessors: [ProcessorReading] = []

  init(reader: any SystemReader) {
    self.reader = reader
  }

  /// Reads the system once.
  ///
  /// - Parameter inspected: A process to be looked at more closely.
  /// - Complexity: O(p), p being the number of processes.
  mutating func sample(inspecting inspected: Int? = nil) -> SystemSample {
    let reading = reader.read()
    var elapsed: Double?
    if let uptime = reading.uptime, let previousUptime, uptime > previousUptime {
      elapsed = uptime - previousUptime
    }
    let processes = reading.processes.map { process in
      ProcessSample(
        processIdentifier: process.processIdentifier,
        state: process.state,
        processorPercent: processorPercent(of: process, elapsed: elapsed, uptime: reading.uptime),
        residentBytes: process.residentBytes,
        command: process.command,
        isKernelThread: process.isKernelThread)
    }
    let percents = processorPercents(of: reading.processors)
    previousUptime = reading.uptime
    previousProcessors = reading.processors
    previousReadings = Dictionary(
      reading.processes.map { ($0.processIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    return SystemSample(
      uptime: reading.uptime,
      loadAverages: reading.loadAverages,
      memory: reading.memory,
      processorPercents: percents,
      processes: processes,
      details: inspected.flatMap(reader.details))
  }

  /// Load of each processor since the last reading, for the first one since the system started.
  private func processorPercents(of processors: [ProcessorReading]) -> [Double] {
    processors.enumerated().map { index, now in
      var (busy, total) = (now.busyTicks, now.totalTicks)
      if processors.count == previousProcessors.count {
        let earlier = previousProcessors[index]
        if total > earlier.totalTicks, busy >= earlier.busyTicks {
          (busy, total) = (busy - earlier.busyTicks, total - earlier.totalTicks)
        }
      }
      return min(Double(busy) / Double(max(total, 1)) * 100, 100)
    }
  }

  /// The share of one processor that a process used since the last reading.
  ///
  /// A process that has no last reading gets its average since it started: the first
  /// sample then says something, and a process that came up between two readings counts
  /// with all that it used.
  private func processorPercent(
    of process: ProcessReading, elapsed: Double?, uptime: Double?
  ) -> Double {
    if let elapsed, let previous = previousReadings[process.processIdentifier],
      process.continues(previous)
    {
      return (process.processorSeconds - previous.processorSeconds) / elapsed * 100
    }
    guard let uptime, uptime > process.startSeconds else { return 0 }
    return process.processorSeconds / (uptime - process.startSeconds) * 100
  }
}

extension ProcessReading {
  /// Whether this is the process of `earlier`, and not a new one with its identifier.
  ///
  /// `ps` prints ages in whole seconds, so that the same start is read up to two seconds
  /// apart; no system hands out an identifier again that fast.
  fileprivate func continues(_ earlier: ProcessReading) -> Bool {
    processorSeconds >= earlier.processorSeconds
      && abs(startSeconds - earlier.startSeconds) < 2
  }
}
