import ObservationController

/// What most tests observe: a value type, a string, an array, a link and a computed property.
class Person {
  @Observed var name = "Ada"
  @Observed var age = 36
  @Observed var tags: [String] = []
  @Observed var employer: Company?

  /// Not observable.
  var note = ""

  init(name: String = "Ada", employer: Company? = nil) {
    self.name = name
    self.employer = employer
  }

  /// Reads two properties.
  var summary: String { "\(name), \(age)" }
}

/// The other end of a link.
final class Company {
  @Observed var name: String
  @Observed var city = "London"

  init(name: String = "Analytical Engines") {
    self.name = name
  }
}

/// The smallest thing to observe.
final class Counter {
  @Observed var count = 0
}

/// Two unrelated properties of one type.
final class Circle {
  @Observed var radius = 1.0
  @Observed var borderWidth = 1.0
}

/// A property whose type is neither `Equatable` nor a class.
final class Clock {
  struct Time {
    var hours = 0
    var minutes = 0
  }

  @Observed var time = Time()
}

/// An object that observes itself, and owns its controller.
final class SelfObserver {
  @Observed var count = 0
  private(set) var events: [RecordedEvent<Int>] = []
  private(set) lazy var observations = ObservationController(observer: self)

  func observeItself(options: ObservationOptions = .old) {
    observations.observe(self, \.count, options: options) { observer, _, change in
      observer.events.append(RecordedEvent(change))
    }
  }
}
