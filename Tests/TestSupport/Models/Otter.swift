import ObservationController

/// A number behind a constant of another object.
package final class Pulse {
  @Observed package var rate = 60

  package init() {}
}

/// The contents of graphs: stored, computed and derived properties, a link, a constant and an
/// event.
package final class Otter {
  @Observed package var name = "Rex"
  @Observed package var friend: Otter?
  package let pulse = Pulse()
  package let barked = ObservableEvent<Int>()
  @Derived({ (otter: Otter) in otter.name + "!" }) package var call: String
  package var greeting: String { "Hello, " + name }

  package init() {}
}

/// Arrays and atomic properties in graphs.
package final class Raft {
  @Observed package var otters: ObservableArray<Otter> = []
  @AtomicObserved package var count = 0

  package init() {}
}

/// An observer in graphs.
open class Warden {
  package private(set) lazy var observations = ObservationController(observer: self)

  public init() {}
}
