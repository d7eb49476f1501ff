import Dispatch

@testable import Demo

/// Reads nothing, one time after the other, and each only when the test lets it.
final class SteppedReader: SystemReader {
  private let began = DispatchSemaphore(value: 0)
  private let mayEnd = DispatchSemaphore(value: 0)

  func read() -> SystemReading {
    began.signal()
    mayEnd.wait()
    return SystemReading(uptime: 60)
  }

  /// Waits until somebody reads.
  func waitForReading() {
    began.wait()
  }

  /// Lets the reading under way end, or the next one.
  func endReading() {
    mayEnd.signal()
  }
}
