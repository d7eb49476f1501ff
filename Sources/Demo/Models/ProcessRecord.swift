import ObservationController

/// One process, for as long as the system lists it.
///
/// Owned by ``ProcessTable``; the rows that show it hold it as long as they do.
final class ProcessRecord {
  let processIdentifier: Int
  @Observed private(set) var state: ProcessState
  /// Percent of one processor.
  @Observed private(set) var processorPercent: Double
  @Observed private(set) var residentBytes: Int
  /// Changes when the process runs another program or renames itself.
  @Observed private(set) var command: String

  init(_ sample: ProcessSample) {
    processIdentifier = sample.processIdentifier
    state = sample.state
    processorPercent = sample.processorPercent
    residentBytes = sample.residentBytes
    command = sample.command
  }

  /// Assigns all, changed or not.
  func apply(_ sample: ProcessSample) {
    state = sample.state
    processorPercent = sample.processorPercent
    residentBytes = sample.residentBytes
    command = sample.command
  }
}

/// Two records are equal if they are one: a list of records is the same list when it holds
/// the same processes in the same order, whatever these are doing.
extension ProcessRecord: Equatable {
  static func == (first: ProcessRecord, second: ProcessRecord) -> Bool {
    first === second
  }
}
