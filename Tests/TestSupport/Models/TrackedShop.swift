import Observation
import ObservationController

/// Derived values and collections that Observation tracks.
@Observable
package final class TrackedShop {
  @ObservationIgnored @Observed package var price = 1
  @ObservationIgnored @TrackedObserved package var count = 1

  @ObservationIgnored @TrackedObserved package var goods: ObservableArray<TrackedAuthor> = []
  @ObservationIgnored @TrackedObserved package var shown: ObservableArray<TrackedAuthor>?

  @ObservationIgnored @Derived({ (shop: TrackedShop) in shop.price * shop.count })
  package var total: Int

  @ObservationIgnored @Derived({ (shop: TrackedShop) in "\(shop.total) €" })
  package var label: String

  /// Whether the getter of `isExpensive` is to run.
  @ObservationIgnored package var computations = 0

  @ObservationIgnored @Derived({ (shop: TrackedShop) in shop.computeIsExpensive() })
  package var isExpensive: Bool

  package init() {}

  private func computeIsExpensive() -> Bool {
    computations += 1
    return total > 10
  }
}

/// A derived value that any thread may read, of an object that Observation tracks.
package final class TrackedMeter: Observable, Sendable {
  package let count = AtomicObserved(wrappedValue: 0)

  private let storedDouble: DoubledCount

  /// The same on each thread, computed from the count.
  package var double: Int { storedDouble.value.value }

  package init() { storedDouble = DoubledCount(count) }
}

/// Computed from an atomic property, which several threads may change.
private final class DoubledCount: @unchecked Sendable {
  // Unchecked because everything that it reads may be read on several threads.
  let value: ObservableValue<Int>

  init(_ count: AtomicObserved<Int>) {
    value = ObservableValue { count.wrappedValue * 2 }
  }
}
