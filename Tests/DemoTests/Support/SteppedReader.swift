import Dispatch

@testable import Demo

/// Returns empty readings, each only when the test allows it.
final class SteppedReader: SystemReader {
  private let began = DispatchSemaphore(value: 0)
  private let mayEnd = DispatchSemaphore(value: 0)

  func read() -> SystemReading {
    began.signal()
    mayEnd.wait()
    return SystemReading(uptime: 60)
  }

  /// Waits until a reading has begun.
  func waitForReading() {
    began.wait()
  }

  /// Lets the current reading end, or the next one.
  func endReading() {
    mayEnd.signal()
  }
}
