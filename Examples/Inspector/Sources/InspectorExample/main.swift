import Foundation
import Inspector
import ObservationController

// Any program: an order that is shown, and changes twice a second.
let (order, view, arguments) = (Order(), OrderView(), CommandLine.arguments)
view.show(order)
Inspector.expectEnd(of: OrderView.forgotten(order))
let inspector = Task { try await Inspector.run(port: 4040) }

let limit = arguments.drop { $0 != "--seconds" }.dropFirst().first.flatMap(Double.init)
let end = limit.map { ContinuousClock.now + .seconds($0) }
while end.map({ ContinuousClock.now < $0 }) ?? true {
  order.count = order.count % 9 + 1
  try await Task.sleep(for: .milliseconds(500))
}
inspector.cancel()
