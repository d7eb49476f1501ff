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
  @Observed private(set) var isKernelThread: Bool

  /// `nil` unless the process is looked at more closely.
  @Observed private(set) var details: ProcessDetails?

  /// What the samples say of it since the last one that changed something, and what the samples
  /// before said. Not observed: for who asks what the change was.
  private(set) var latest: ProcessSample
  private(set) var previous: ProcessSample?
  /// The number of the sample that last changed something, or else listed the process first.
  private(set) var changedInSample: Int

  init(_ sample: ProcessSample, inSample number: Int = 1) {
    (latest, changedInSample) = (sample, number)
    processIdentifier = sample.processIdentifier
    state = sample.state
    processorPercent = sample.processorPercent
    residentBytes = sample.residentBytes
    command = sample.command
    isKernelThread = sample.isKernelThread
  }

  /// Assigns what is different: of thousands of processes most sleep, and need no notification.
  func apply(_ sample: ProcessSample, inSample number: Int) {
    guard sample != latest else { return }
    (previous, latest, changedInSample) = (latest, sample, number)
    if state != sample.state { state = sample.state }
    if processorPercent != sample.processorPercent { processorPercent = sample.processorPercent }
    if residentBytes != sample.residentBytes { residentBytes = sample.residentBytes }
    if command != sample.command { command = sample.command }
    if isKernelThread != sample.isKernelThread { isKernelThread = sample.isKernelThread }
  }

  /// Takes what was found out of this process, or forgets it.
  func apply(_ details: ProcessDetails?) {
    if self.details != details { self.details = details }
  }
}
