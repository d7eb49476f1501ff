import ObservationController

/// How many observations there are in this process, of whatever test.
var liveObservations: Int { ObservationDispatcher.shared.activeObservationCount }
