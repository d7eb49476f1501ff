/// State of the system at one moment, independent of the source of its readings.
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
  /// Of the process that is looked at more closely, if there is one.
  var details: ProcessDetails?
}

/// One process in a sample.
struct ProcessSample: Equatable, Sendable {
  var processIdentifier: Int
  var state: ProcessState
  /// Percent of one processor: a process with four busy threads has 400.
  var processorPercent: Double
  var residentBytes: Int
  var command: String
  var isKernelThread = false
}

/// What is read of a process while it is looked at more closely. A part that is not known is `nil`.
struct ProcessDetails: Equatable, Sendable {
  var processIdentifier: Int
  /// The name of the user it runs for, or the number of one without a name.
  var user: String?
  var parentIdentifier: Int?
  var threadCount: Int?
}
