import ObservationController

final class Customer {
  @Observed var name = "Ada"
}

final class Order: CustomStringConvertible {
  @Observed var count = 1
  @Observed var price = 12
  @Observed var customer: Customer? = Customer()
  @Derived({ (order: Order) in order.count * order.price }) var total: Int

  // Named by its getter's symbol, also on Linux.
  var label: String { "\(count) for \(total) €" }
  var description: String { "order of \(label)" }
}

/// Shows an order, and counts how often it had to.
final class OrderView {
  @Observed var text = ""
  @Observed private(set) var drawn = 0
  private lazy var observations = ObservationController(observer: self)

  func show(_ order: Order) {
    observations.observe(order, \.label, options: [.initial, .old]) { view, _, change in
      view.text = change.newValue
    }
    observations.observe(order, \.customer?.name, context: ObservationContext("customer")) {
      view, order, _ in view.text = order.label
    }
    observations.observe(self, \.text, action: OrderView.draw)
  }

  private func draw() { drawn += 1 }

  /// A view that is kept by what it observes, as happens by mistake.
  static func forgotten(_ order: Order) -> OrderView {
    let view = OrderView()
    view.observations.observe(order, \.total, options: [.old, .distinct]) { [view] _, _, change in
      view.text = "total \(change.newValue)"
    }
    return view
  }
}
