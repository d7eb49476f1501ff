import ObservationController

/// The running system: the root of the models.
///
/// The models are plain classes, used in one isolation: the main actor, in the demo.
/// Nothing in them knows of view models or of text.
final class SystemStatus {
  /// Seconds since the system started; `nil` if that can't be read.
  @Observed private(set) var uptime: Double?
  @Observed private(set) var loadAverages: LoadAverages?

  let memory = MemoryStatus()
  let processors = ProcessorStatus()
  let processes = ProcessTable()

  /// The uptime as finely as it is shown. Computed, and observed as it is.
  var minutesUp: Int? {
    uptime.map { Int(min($0, 1e15)) / 60 }
  }

  /// Makes the models what a sample says.
  ///
  /// Their observers are notified at the end of the transaction, each once, when all models are of
  /// one sample, and before this method returns.
  func apply(_ sample: SystemSample) {
    withObservationTransaction {
      uptime = sample.uptime
      loadAverages = sample.loadAverages
      memory.apply(sample.memory)
      processors.apply(sample.processorPercents)
      processes.apply(sample.processes, details: sample.details)
    }
  }
}
