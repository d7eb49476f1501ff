/// Counts the deliveries that reached a view model: every handler of the demo adds one,
/// first thing, and nobody else does.
final class DeliveryTally {
  private(set) var count = 0

  func addOne() {
    count += 1
  }
}
