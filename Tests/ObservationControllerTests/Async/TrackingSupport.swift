import Observation
import TestSupport

extension LineRecorder {
  /// Records `line` before the next change of a property that `read` reads.
  func track<Value>(_ line: String, _ read: () -> Value) {
    withObservationTracking {
      _ = read()
    } onChange: {
      self.write(line)
    }
  }
}
