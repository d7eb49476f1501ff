import ObservationController
import TestSupport

/// What bindings set: it writes down whatever it is set to, equal or not.
final class Label {
  var text = "" {
    didSet { texts.append(text) }
  }

  var title: String? {
    didSet { titles.append(title) }
  }

  /// Can be observed.
  @Observed var caption = ""

  var number = 0

  let texts = LineRecorder()
  let titles = Recorder<String?>()
}

/// One end of most two-way bindings.
final class Dial {
  @Observed var value = 0
  @Observed var other = 0

  init(_ value: Int = 0) {
    self.value = value
  }

  /// Reads one property, and can be set.
  var doubled: Int {
    get { value * 2 }
    set { value = newValue / 2 }
  }

  /// Reads two properties, and sets one.
  var clamped: Int {
    get { min(value, other) }
    set { value = newValue }
  }

  /// Leads to the same property by another key path.
  var itself: Dial { self }
}

/// Whole degrees, of which those of Fahrenheit are the finer ones.
enum Degrees {
  static func fahrenheit(_ celsius: Int) -> Int { celsius * 9 / 5 + 32 }
  static func celsius(_ fahrenheit: Int) -> Int { (fahrenheit - 32) * 5 / 9 }
}

/// A value that can't be compared.
struct Reading {
  var degrees = 0
}

final class Instrument {
  @Observed var reading = Reading()
  @Observed var level = 0.0
  @Observed var holder: Person?
}

/// What binds in most tests, with the history of two-way bindings between dials.
final class Panel {
  let recorder = LineRecorder()
  private(set) lazy var observations = ObservationController(observer: self)

  /// Writes down the changes of a dial.
  func watch(_ dial: Dial, as name: String) {
    observations.observe(dial, \.value, context: ObservationContext("watch")) { panel, _, change in
      panel.recorder.write("\(name) \(change)")
    }
  }
}
