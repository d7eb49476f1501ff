/// The counters of the whole system at one moment, as the system itself keeps them.
///
/// A part that could not be read is `nil` or missing: a monitor shows what there is.
/// Rates need two readings; see ``Sampler``.
struct SystemReading: Equatable, Sendable {
  /// Seconds since the system started. Also the clock that rates are measured against, so
  /// that a recorded reading gives the same rates wherever and whenever it is replayed.
  var uptime: Double?
  var loadAverages: LoadAverages?
  var memory: MemoryReading?
  /// Empty where the system does not report single processors.
  var processors: [ProcessorReading] = []
  var processes: [ProcessReading] = []
}

/// The counters of one process at one moment.
struct ProcessReading: Equatable, Sendable {
  var processIdentifier: Int
  var state: ProcessState
  /// Processor time used since the process started, in seconds.
  var processorSeconds: Double
  /// When the process started, in seconds since the system did.
  var startSeconds: Double
  var residentBytes: Int
  var command: String
  /// A part of the kernel, listed as a process.
  var isKernelThread = false
}

/// Busy and total time of one processor since the system started, in units of its own.
struct ProcessorReading: Equatable, Sendable {
  var busyTicks: Int
  var totalTicks: Int
}

/// Physical memory, in bytes.
struct MemoryReading: Equatable, Sendable {
  var totalBytes: Int
  /// Memory that a new program can use before anything is swapped out.
  var availableBytes: Int
}

/// The number of processes that ran or wanted to, averaged over 1, 5 and 15 minutes.
struct LoadAverages: Equatable, Sendable {
  var oneMinute: Double
  var fiveMinutes: Double
  var fifteenMinutes: Double
}

extension LoadAverages {
  /// `nil` unless there are three.
  init?(_ numbers: [Double]) {
    guard numbers.count == 3 else { return nil }
    self.init(oneMinute: numbers[0], fiveMinutes: numbers[1], fifteenMinutes: numbers[2])
  }
}

/// Source of readings: `/proc`, the `ps` command, or a test.
protocol SystemReader: Sendable {
  /// Reads every counter there is to be had now. Never fails: see ``SystemReading``.
  func read() -> SystemReading

  /// Reads what is worth it for a single process only.
  ///
  /// - Returns: `nil` if the process has ended, or the source does not know.
  func details(of processIdentifier: Int) -> ProcessDetails?
}

extension SystemReader {
  func details(of processIdentifier: Int) -> ProcessDetails? { nil }
}
