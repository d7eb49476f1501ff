import ObservationController

/// The physical memory of the system.
final class MemoryStatus {
  /// 0 if that can't be read.
  @Observed private(set) var totalBytes = 0
  @Observed private(set) var availableBytes = 0

  /// How much is in use, as finely as it is shown; `nil` before anything is known.
  ///
  /// Computed, and observed as it is: reading it reads both properties above.
  var usage: MemoryUsage? {
    guard totalBytes > 0 else { return nil }
    return MemoryUsage(
      usedMebibytes: max(totalBytes - availableBytes, 0) >> 20, totalMebibytes: totalBytes >> 20)
  }

  func apply(_ reading: MemoryReading?) {
    totalBytes = reading?.totalBytes ?? 0
    availableBytes = reading?.availableBytes ?? 0
  }
}

/// Memory in whole MiB, as `top` shows it: a change of a few pages is no change.
struct MemoryUsage: Equatable, Sendable {
  var usedMebibytes: Int
  var totalMebibytes: Int
}
