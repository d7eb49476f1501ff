import ObservationController

/// One end of most two-way bindings.
package final class Dial {
  @Observed package var value = 0
  @Observed package var other = 0

  package init(_ value: Int = 0) {
    self.value = value
  }

  /// Reads one property, and can be set.
  package var doubled: Int {
    get { value * 2 }
    set { value = newValue / 2 }
  }

  /// Reads two properties, and sets one.
  package var clamped: Int {
    get { min(value, other) }
    set { value = newValue }
  }

  /// Leads to `value` by another key path.
  package var itself: Dial { self }
}

/// Whole degrees, of which those of Fahrenheit are the finer ones.
package enum Degrees {
  package static func fahrenheit(_ celsius: Int) -> Int { celsius * 9 / 5 + 32 }
  package static func celsius(_ fahrenheit: Int) -> Int { (fahrenheit - 32) * 5 / 9 }
}

/// A value that can't be compared.
package struct Reading {
  package var degrees = 0

  package init(degrees: Int = 0) {
    self.degrees = degrees
  }
}

/// A value that can't be compared, one that can, and a link.
package final class Instrument {
  @Observed package var reading = Reading()
  @Observed package var level = 0.0
  @Observed package var holder: Person?

  package init() {}
}
