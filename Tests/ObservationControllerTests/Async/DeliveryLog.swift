import Dispatch
import ObservationController
import XCTest

/// An observer that keeps the whole history of what it is told, on whatever thread.
final class DeliveryLog<Value: Sendable>: Sendable {
  private let list = Guarded<[RecordedEvent<Value>]>([])

  var events: [RecordedEvent<Value>] { list.withLock { $0 } }

  func note(_ change: ObservedChange<Value>) {
    append(RecordedEvent(change))
  }

  func append(_ event: RecordedEvent<Value>) {
    list.withLock { $0.append(event) }
  }
}

/// What happened, in words and in order, on whatever thread.
final class Journal: Sendable {
  private let list = Guarded<[String]>([])

  var lines: [String] { list.withLock { $0 } }

  func write(_ line: Any) {
    let line = "\(line)"
    list.withLock { $0.append(line) }
  }
}

extension DispatchQueue {
  /// Runs `body` while no block of this queue can run, then all blocks that came meanwhile.
  @discardableResult
  func whileSuspended<Result>(_ body: () throws -> Result) rethrows -> Result {
    suspend()
    defer {
      resume()
      drain()
    }
    return try body()
  }

  /// Waits for everything that stands on this queue.
  func drain() {
    sync(flags: .barrier) {}
  }
}

/// Waits for everything that stands on the main queue.
@MainActor
func drainMainQueue() async {
  await withCheckedContinuation { done in
    DispatchQueue.main.async { done.resume() }
  }
}

extension AsyncSequence where Failure == Never {
  /// All elements, once the sequence has ended.
  func collect(isolation: isolated (any Actor)? = #isolation) async -> [Element] {
    var elements: [Element] = []
    for await element in self { elements.append(element) }
    return elements
  }
}

/// Ends what it is asked to by each way that there is, by name.
struct WayToEnd<Observer: AnyObject, Object: AnyObject, Value> {
  let name: String
  let end: (inout ObservationController<Observer>?, Object, KeyPath<Object, Value>) -> Void

  static var all: [WayToEnd] {
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
