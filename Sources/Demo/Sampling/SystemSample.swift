/// What the monitor shows of one moment: a value without ties to where it came from.
///
/// It is all that crosses from the thread that samples to the main actor, where the models are.
struct SystemSample: Equatable, Sendable {
  var uptime: Double?
  var loadAverages: LoadAverages?
  var memory: MemoryReading?
  /// Percent of each processor.
  var processorPercents: [Double] = []
  /// In the order in which the system listed them.
  var processes: [ProcessSample] = []
}

/// What the monitor shows of one process.
struct ProcessSample: Equatable, Sendable {
  var processIdentifier: Int
  var state: ProcessState
  /// Percent of one processor: a process with four busy threads has 400.
  var processorPercent: Double
  var residentBytes: Int
  var command: String
  var isKernelThread = false
}
