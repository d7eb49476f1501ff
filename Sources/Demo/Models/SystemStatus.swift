import ObservationController

/// The running system: the root of the models.
///
/// The models are plain classes, used in one isolation: the main actor, in the demo.
/// Nothing in them knows of view models or of text.
final class SystemStatus {
  /// Seconds since the system started; `nil` if that can't be read.
  @Observed var uptime: Double?
  @Observed var loadAverages: LoadAverages?
  /// The process that used most of a processor since the last sample, if one used any.
  @Observed var busiest: ProcessRecord?

  let memory = MemoryStatus()
  let processes: ProcessTable

  init(order: ProcessOrder = .processor) {
    processes = ProcessTable(order: order)
  }

  /// The uptime as finely as it is shown. Computed, and observed as it is.
  var minutesUp: Int? {
    uptime.map { Int(min($0, 1e15)) / 60 }
  }
}
