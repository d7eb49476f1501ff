import ObservationController
import TestSupport

/// What binds in most tests, with the history of two-way bindings between dials.
final class Panel {
  private(set) var lines: [String] = []
  private(set) lazy var observations = ObservationController(observer: self)

  func write(_ line: String) {
    lines.append(line)
  }

  /// Writes down the changes of a dial.
  func watch(_ dial: Dial, as name: String) {
    observations.observe(dial, \.value, context: ObservationContext("watch")) { panel, _, change in
      panel.write("\(name) \(change)")
    }
  }

  /// The history so far, which is forgotten.
  func takeLines() -> [String] {
    defer { lines = [] }
    return lines
  }
}
