import ObservationController

final class Customer {
  @Observed var name = "Ada"
}

final class Order: CustomStringConvertible {
  @Observed var count = 1
  @Observed var price = 12
  @Observed var customer: Customer? = Customer()
  @Derived({ (order: Order) in order.count * order.price }) var total: Int
  var label: String { "\(count) for \(total) €" }
  var description: String { "order of \(label)" }
}

final class OrderView {
  @Observed var text = ""
  private var drawnCount = 0
  private lazy var observations = ObservationController(observer: self)

  func show(_ order: Order) {
    observations.observe(order, \.label, options: [.initial, .old]) { view, _, change in
      view.text = change.newValue
    }
    observations.observe(order, \.customer?.name) { view, order, _ in view.text = order.label }
    observations.observe(self, \.text, action: OrderView.draw)
  }

  private func draw() { drawnCount += 1 }

  /// Keeps itself alive by mistake: the handler should use its first parameter.
  func showTotal(of order: Order) {
    observations.observe(order, \.total, options: [.old, .distinct]) { _, _, change in
      self.text = "total \(change.newValue)"
    }
  }
}
