import ObservationController

/// The model of most tests: a value type, a string, an array, links and a computed property.
package class Person {
  @Observed package var name = "Ada"
  @Observed package var age = 36
  @Observed package var tags: [String] = []
  @Observed package var employer: Company?
  @Observed package var partner: Person?

  /// Not observable.
  package var note = ""

  package init(_ name: String = "Ada", employer: Company? = nil, partner: Person? = nil) {
    self.name = name
    self.employer = employer
    self.partner = partner
  }

  /// Reads two properties.
  package var summary: String { "\(name), \(age)" }
}

/// The other end of a link.
package final class Company {
  @Observed package var name: String
  @Observed package var city = "London"

  package init(name: String = "Analytical Engines") {
    self.name = name
  }
}

/// The smallest observable object.
package final class Counter {
  @Observed package var count = 0

  package init() {}
}

/// Two unrelated properties of one type.
package final class Circle {
  @Observed package var radius = 1.0
  @Observed package var borderWidth = 1.0

  package init() {}
}

/// Reads the one or the other of two properties.
package final class Switch {
  @Observed package var isOn = false
  @Observed package var on = "on"
  @Observed package var off = "off"

  package init() {}

  package var text: String { isOn ? on : off }
}

/// A property whose type is neither `Equatable` nor a class.
package final class Clock {
  package struct Time {
    package var hours = 0
    package var minutes = 0

    package init() {}
  }

  @Observed package var time = Time()

  package init() {}
}

/// An observer that owns its controller and can observe itself.
package final class SelfObserver {
  @Observed package var count = 0
  @Observed package var other = 0
  package let recorder = ChangeRecorder<Int>()
  package private(set) lazy var observations = ObservationController(observer: self)

  package init() {}

  package var doubled: Int { count * 2 }

  package func observeItself(options: ObservationOptions = .old) {
    observations.observe(self, \.count, options: options) { observer, _, change in
      observer.recorder.record(change)
    }
  }
}
