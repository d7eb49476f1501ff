import AsyncHTTPClient
import Foundation
import Hummingbird
import NIOConcurrencyHelpers
import ObservationController

@testable import Inspector

final class Customer: @unchecked Sendable {
  // Safe: its only property is atomic, as that of `Order`, which has a lock beside it.
  @AtomicObserved var name = "Ada"
  var initial: String { String(name.prefix(1)) }
}

/// Of atomic properties, so that tests may set it on any thread.
final class Order: CustomStringConvertible, @unchecked Sendable {
  @AtomicObserved var count = 1
  private let described = NIOLockedValueBox(0)
  let customer = Customer()

  var label: String { "\(count) for \(12 * count)" }
  var customerInOrder: Customer { customer }

  /// The number of times that its description was read.
  var describedCount: Int { described.withLockedValue(\.self) }

  var description: String {
    described.withLockedValue { $0 += 1 }
    return "order of \(label)"
  }
}

/// Observes an order. Its handler runs on the thread that changes it.
final class OrderView: @unchecked Sendable {
  // Safe: the controller is made in `init`, and the count has a lock.
  private let shown = NIOLockedValueBox(0)
  private lazy var observations = ObservationController(observer: self)

  init(_ order: Order) {
    observations.observe(
      order, \.label, options: [.initial, .old], context: ObservationContext("shown")
    ) { view, _, _ in view.shown.withLockedValue { $0 += 1 } }
  }
}

/// A list of observations as a page receives it.
struct ListInJSON: Decodable {
  struct Object: Decodable {
    let id: String
    let name: String
    let label: String?
    let text: String?
  }
  struct Observation: Decodable {
    let object: String?
    let keyPath: String
    let options: String
    let context: String?
    let place: String
  }
  let objects: [Object]
  let observations: [Observation]
}

struct GraphInJSON: Decodable {
  struct Node: Decodable { let name: String }
  struct Edge: Decodable {
    let kind: String
    let isStrong: Bool
  }
  let side: String
  let nodes: [Node]
  let edges: [Edge]
}

/// Whether anything records events: a label is evaluated only then.
func isRecording() -> Bool {
  var isEvaluated = false
  func label() -> String {
    isEvaluated = true
    return ""
  }
  ObservationTrace.mark(label())
  return isEvaluated
}

/// Waits until `condition` holds, for ten seconds at most.
///
/// - Returns: Whether it holds.
func waitUntil(_ condition: () -> Bool) async throws -> Bool {
  for _ in 0..<1_000 {
    if condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return condition()
}

/// A response of a server, whose body is read as it comes.
func get(_ url: String, host: String? = nil) async throws -> HTTPClientResponse {
  var request = HTTPClientRequest(url: url)
  if let host { request.headers.add(name: "Host", value: host) }
  return try await HTTPClient.shared.execute(request, timeout: .seconds(30))
}
