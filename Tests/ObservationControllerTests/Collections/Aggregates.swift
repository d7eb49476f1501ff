import ObservationController
import TestSupport
import XCTest

/// All aggregates of an array, and what the standard library computes of its elements.
final class Aggregates {
  let source: ObservableArray<Order>
  let count: ObservableValue<Int>
  let contains: ObservableValue<Bool>
  let allSatisfy: ObservableValue<Bool>
  let sum: ObservableValue<Int>
  let weight: ObservableValue<Double>
  let average: ObservableValue<Double?>
  let averageWeight: ObservableValue<Double?>
  let min: ObservableValue<Int?>
  let max: ObservableValue<Double?>

  init(of source: ObservableArray<Order>) {
    self.source = source
    count = source.count(on: [\.amount]) { $0.amount > 4 }
    contains = source.contains(on: [\.amount]) { $0.amount == 7 }
    allSatisfy = source.allSatisfy(on: [\.isLarge]) { $0.isLarge }
    sum = source.sum(of: \.amount)
    weight = source.sum(of: \.weight)
    average = source.average(of: \.amount)
    averageWeight = source.average(of: \.weight)
    min = source.min(of: \.amount)
    max = source.max(of: \.weight)
  }

  /// The values in one line.
  var line: String {
    let whole = "\(count.value) \(contains.value) \(allSatisfy.value) \(sum.value)"
    let means = "\(Self.line(average.value)) \(Self.line(averageWeight.value))"
    return "\(whole) \(weight.value) \(means) \(Self.line(min.value)) \(Self.line(max.value))"
  }

  /// What they ought to be.
  var expectedLine: String {
    let orders = source.elements
    let amounts = orders.map(\.amount)
    let weights = orders.map(\.weight)
    let count = orders.count
    let whole =
      "\(amounts.count { $0 > 4 }) \(amounts.contains(7)) \(orders.allSatisfy(\.isLarge))"
    let sum = amounts.reduce(0, +)
    let weight = weights.reduce(0, +)
    let mean = count == 0 ? nil : Double(sum) / Double(count)
    let meanWeight = count == 0 ? nil : weight / Double(count)
    return "\(whole) \(sum) \(weight) \(Self.line(mean)) \(Self.line(meanWeight)) "
      + "\(Self.line(amounts.min())) \(Self.line(weights.max()))"
  }

  private static func line<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "nil" }
}

extension Aggregates {
  func check(_ place: String, file: StaticString = #filePath, line: UInt = #line) {
    XCTAssertEqual(self.line, expectedLine, place, file: file, line: line)
  }
}
