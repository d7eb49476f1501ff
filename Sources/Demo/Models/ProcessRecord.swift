import ObservationController

/// One process, for as long as the system lists it.
///
/// Owned by ``ProcessTable``.
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
