import Inspector
import ObservationController

// Any program: an order that is shown, and changes twice a second.
let (order, view, forgotten) = (Order(), OrderView(), OrderView())
view.show(order)
forgotten.showTotal(of: order)
Inspector.expectEnd(of: forgotten)
let inspector = Task { try await Inspector.run(port: 4040) }

// Ends after N seconds with `--seconds N`.
let words = CommandLine.arguments.drop { $0 != "--seconds" }.dropFirst()
let limit = words.first.flatMap(Int.init).map { 2 * $0 } ?? .max
for tick in 0..<limit {
  order.count = tick % 9 + 1
  try await Task.sleep(for: .milliseconds(500))
}
inspector.cancel()
