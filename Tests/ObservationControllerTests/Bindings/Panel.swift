import ObservationController
import TestSupport

/// The observer of most binding tests, with the history of two-way bindings between dials.
final class Panel {
  let recorder = LineRecorder()
  private(set) lazy var observations = ObservationController(observer: self)

  /// Records the changes of a dial.
  func watch(_ dial: Dial, as name: String) {
    observations.observe(dial, \.value, context: ObservationContext("watch")) { panel, _, change in
      panel.recorder.write("\(name) \(change)")
    }
  }
}
