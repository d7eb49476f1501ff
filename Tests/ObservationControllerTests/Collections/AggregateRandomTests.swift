import ObservationController
import TestSupport
import XCTest

/// Random edits of an array, and of its elements, after each of which every aggregate is that of
/// the standard library.
final class AggregateRandomTests: TestCase {
  func test_smallArrays_everyEdit_isFollowed() {
    var cases = Cases(quickOneOutOf: 7)
    for count in 0...4 {
      for start in 0...count {
        for end in start...count {
          for new in 0...2 {
            guard cases.takesNext() else { continue }
            let source = ObservableArray((0..<count).map { Order($0 * 3) })
            let aggregates = Aggregates(of: source)
            _ = aggregates.line
            source.replaceSubrange(start..<end, with: (0..<new).map { Order(7 - $0) })
            aggregates.check("\(count): \(start)..<\(end) by \(new)")
          }
        }
      }
    }
  }

  func test_randomEdits_ofArrayAndElements_areFollowed() {
    for seed in seeds(quick: 3, full: 60) {
      var world = AggregateWorld(seed: seed)
      for step in 0..<40 { world.step(step) }
      XCTAssertEqual(world.flaws, [], "seed \(seed)")
    }
  }
}

/// An array with aggregates, of itself and of a view; and observers that come before them.
private struct AggregateWorld {
  private(set) var flaws: [String] = []
  private var generator: SeededGenerator
  private let source: ObservableArray<Order>
  private let aggregates: Aggregates
  private let viewed: Aggregates
  private let observed = AggregateHistory()

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    // Some take more than one level of partial results, and more than two.
    let count = seed.isMultiple(of: 3) ? 270 : seed.isMultiple(of: 2) ? 40 : 5
    source = ObservableArray((0..<count).map { Order($0 % 10) })
    aggregates = Aggregates(of: source)
    viewed = Aggregates(of: source.filtered(on: [\.amount]) { !$0.amount.isMultiple(of: 3) })
    observed.observe(aggregates.sum)
  }

  mutating func step(_ number: Int) {
    var log = ""
    switch chance(10) {
    case 0:
      log = "batch"
      source.performBatchUpdates {
        for _ in 0..<4 {
          log += " " + edit()
          if chance(2) == 0 { compare("in \(log)") }
        }
      }
    case 1:
      log = "transaction"
      withObservationTransaction {
        for _ in 0..<4 {
          log += " " + edit()
          if chance(2) == 0 { compare("in \(log)") }
        }
        if chance(3) == 0 { for order in source { order.amount = chance(10) } }
      }
    default: log = edit()
    }
    // Not always: what is not read is not computed.
    guard chance(4) > 0 else { return }
    compare("\(number) \(log)")
    if observed.last ?? aggregates.sum.value != aggregates.sum.value {
      flaws.append("\(number) \(log): the observer has \(observed.last ?? 0)")
    }
    flaws += observed.flaws
  }

  private mutating func compare(_ place: String) {
    for aggregates in [aggregates, viewed] where aggregates.line != aggregates.expectedLine {
      flaws.append("\(place): \(aggregates.line), not \(aggregates.expectedLine)")
    }
  }

  private mutating func edit() -> String {
    let index = source.isEmpty ? 0 : chance(source.count)
    let kind = source.isEmpty ? 0 : chance(12)
    switch kind {
    case 0: source.append(Order(chance(10)))
    case 1: source.insert(Order(chance(10)), at: index)
    case 2: source.remove(at: index)
    case 3: source[index] = Order(chance(10))
    case 4: source.move(from: index, to: chance(source.count))
    case 5: source.swapAt(index, chance(source.count))
    case 6: source.removeAll { $0.amount == 3 }
    case 7: source.append(source[index])
    case 8: source.sort { $0.amount < $1.amount }
    case 9: source.setElements(source.map { Order($0.amount + 1) })
    case 10: source[index].weight = Double(chance(40)) / 4
    default: source[index].amount = chance(10)
    }
    return "\(kind) at \(index)"
  }

  private mutating func chance(_ count: Int) -> Int { .random(in: 0..<count, using: &generator) }
}

/// Observes a sum, and checks that its changes are contiguous.
private final class AggregateHistory {
  private(set) var last: Int?
  private(set) var flaws: [String] = []
  private lazy var observations = ObservationController(observer: self)

  func observe(_ sum: ObservableValue<Int>) {
    observations.observe(sum, \.value) { history, _, change in
      let old = change.oldValue!
      if history.last ?? old != old || old == change.newValue {
        history.flaws.append("\(old)→\(change.newValue) after \(history.last ?? old)")
      }
      history.last = change.newValue
    }
  }
}
