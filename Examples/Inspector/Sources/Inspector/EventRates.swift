/// Counts of sets and deliveries of each property in each of the last ten seconds.
struct EventRates {
  /// Events per second of one property.
  struct Rate: Encodable, Sendable, Equatable {
    let property: String
    let sets: Double
    let deliveries: Double
  }

  private struct Counts {
    /// The second that each count is of; older ones count no more.
    var seconds = [Int](repeating: .min, count: EventRates.window)
    var sets = [Int](repeating: 0, count: EventRates.window)
    var deliveries = [Int](repeating: 0, count: EventRates.window)
  }

  /// The number of seconds that a rate is the mean of.
  static let window = 10

  /// The number of properties that are counted apart.
  static let limit = 2_000

  private let start = ContinuousClock.now
  private var counts: [String: Counts] = [:]

  /// Counts an event if it is a set or a delivery.
  mutating func count(_ event: EventRow, at time: ContinuousClock.Instant) {
    guard event.kind == "set" || event.kind == "delivery" else { return }
    var property = event.property ?? "something"
    if counts.count >= Self.limit, counts[property] == nil { property = "all other properties" }
    let second = Int((time - start).components.seconds)
    let slot = second % Self.window
    func add(_ counts: inout Counts) {
      if counts.seconds[slot] != second {
        (counts.seconds[slot], counts.sets[slot], counts.deliveries[slot]) = (second, 0, 0)
      }
      if event.kind == "set" { counts.sets[slot] += 1 } else { counts.deliveries[slot] += 1 }
    }
    add(&counts[property, default: Counts()])
  }

  /// The rates over the last ten seconds, or since the first event; the highest first.
  ///
  /// - Complexity: O(n log n) in the properties.
  mutating func all(at time: ContinuousClock.Instant) -> [Rate] {
    let elapsed = time - start
    let second = Int(elapsed.components.seconds)
    // The current second has only begun: it counts as far as it has come.
    let length = min(max(elapsed / .seconds(1), 1), Double(Self.window - 1) + elapsed.fraction)
    var rates: [Rate] = []
    for (property, counts) in counts {
      let slots = counts.seconds.indices.filter { counts.seconds[$0] > second - Self.window }
      let sets = slots.reduce(0) { $0 + counts.sets[$1] }
      let deliveries = slots.reduce(0) { $0 + counts.deliveries[$1] }
      if slots.isEmpty {
        self.counts[property] = nil
      } else {
        rates.append(
          Rate(
            property: property, sets: Double(sets) / length,
            deliveries: Double(deliveries) / length))
      }
    }
    return rates.sorted {
      ($0.sets + $0.deliveries, $1.property) > ($1.sets + $1.deliveries, $0.property)
    }
  }
}

extension Duration {
  /// The part of a second.
  fileprivate var fraction: Double { Double(components.attoseconds) / 1e18 }
}
