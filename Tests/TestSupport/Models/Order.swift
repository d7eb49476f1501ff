import ObservationController

/// An element with numbers to sum.
package final class Order: CustomStringConvertible {
  @Observed package var amount: Int
  @Observed package var weight: Double

  package init(_ amount: Int, weight: Double? = nil) {
    self.amount = amount
    self.weight = weight ?? Double(amount)
  }

  package var isLarge: Bool { amount > 4 }

  package var description: String { "\(amount)" }
}
