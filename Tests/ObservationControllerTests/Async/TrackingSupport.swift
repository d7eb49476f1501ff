import Observation
import TestSupport

extension LineRecorder {
  /// Writes `line` before the next change of what `read` reads.
  func track<Value>(_ line: String, _ read: () -> Value) {
    withObservationTracking {
      _ = read()
    } onChange: {
      self.write(line)
    }
  }
}
