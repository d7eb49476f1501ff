import ObservationController
import XCTest

/// The ways to end an observation, by name.
package struct WayToEnd<Observer: AnyObject, Object: AnyObject, Value> {
  package let name: String
  package let end: (inout ObservationController<Observer>?, Object, KeyPath<Object, Value>) -> Void

  package static var all: [WayToEnd] {
    [
      WayToEnd(name: "unobserve(_:_:)") { $0?.unobserve($1, $2) },
      WayToEnd(name: "unobserve(_:_:context:)") { $0?.unobserve($1, $2, context: nil) },
      WayToEnd(name: "unobserve(_:)") { controller, object, _ in controller?.unobserve(object) },
      WayToEnd(name: "unobserveAll()") { controller, _, _ in controller?.unobserveAll() },
      WayToEnd(name: "removeObservations(of:)") { _, object, _ in
        ObservationDispatcher.shared.removeObservations(of: object)
      },
      WayToEnd(name: "removeObservations(of:by:)") { controller, object, _ in
        guard let observer = controller?.observer else { return XCTFail("no observer") }
        ObservationDispatcher.shared.removeObservations(of: object, by: observer)
      },
      WayToEnd(name: "removeObservations(of:_:)") { _, object, keyPath in
        ObservationDispatcher.shared.removeObservations(of: object, keyPath)
      },
      WayToEnd(name: "end of the controller") { controller, _, _ in controller = nil },
    ]
  }
}
