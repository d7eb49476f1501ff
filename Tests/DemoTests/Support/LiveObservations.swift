import ObservationController

/// The number of observations in this process, of all tests.
var liveObservations: Int { ObservationDispatcher.shared.activeObservationCount }
