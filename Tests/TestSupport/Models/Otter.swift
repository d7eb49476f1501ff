import ObservationController

/// A number that a constant of another object leads to.
package final class Pulse {
  @Observed package var rate = 60

  package init() {}
}

/// What graphs show: stored, computed and derived properties, a link, a constant and an event.
package final class Otter {
  @Observed package var name = "Rex"
  @Observed package var friend: Otter?
  package let pulse = Pulse()
  package let barked = ObservableEvent<Int>()
  @Derived({ (otter: Otter) in otter.name + "!" }) package var call: String
  package var greeting: String { "Hello, " + name }

  package init() {}
}

/// What graphs show of arrays and atomic properties.
package final class Raft {
  @Observed package var otters: ObservableArray<Otter> = []
  @AtomicObserved package var count = 0

  package init() {}
}

/// Observes what a test tells it to.
open class Warden {
  package private(set) lazy var observations = ObservationController(observer: self)

  public init() {}
}
