import Foundation
import ObservationController
import TestSupport
import XCTest

/// Live aggregates of an array: their values, their observers, and what keeps them.
final class AggregateTests: TestCase {
  private let source = ObservableArray([Order(3), Order(7), Order(5)])
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  // MARK: Values

  func test_eachAggregate_followsEditsAndElements() {
    let aggregates = Aggregates(of: source)
    aggregates.check("at the beginning")
    XCTAssertEqual(aggregates.line, "2 true false 15 15.0 5.0 5.0 3 7.0")
    source[1].amount = 1
    aggregates.check("element")
    source.append(Order(9))
    aggregates.check("append")
    source.remove(at: 0)
    aggregates.check("remove")
    source[0] = Order(-2)
    aggregates.check("replacement")
    source.move(from: 0, to: 2)
    aggregates.check("move")
    source.setElements([Order(7), Order(8)])
    aggregates.check("setting")
    source.removeAll()
    aggregates.check("empty")
    XCTAssertEqual(aggregates.line, "0 false true 0 0.0 nil nil nil nil")
  }

  func test_aggregateOfValues_followsEdits_andReportsNothing() {
    let numbers: ObservableArray = [3, 1, 2]
    assertNoIssues {
      let (sum, least) = (numbers.sum(of: \.self), numbers.min(of: \.self))
      numbers.append(-4)
      XCTAssertEqual(sum.value, 2)
      XCTAssertEqual(least.value, -4)
      numbers.removeLast()
      XCTAssertEqual(sum.value, 6)
      XCTAssertEqual(least.value, 1)
    }
  }

  func test_aggregateOfView_followsWhatTheViewShows() {
    let large = source.filtered(on: [\.amount]) { $0.amount > 4 }
    let sum = large.sum(of: \.amount)
    observations.observe(sum, \.value) { $0.write("\($2.oldValue!)→\($2.newValue)") }
    source[0].amount = 10
    source[1].amount = 1
    source.append(Order(6))
    XCTAssertEqual(recorder.events, ["12→22", "22→15", "15→21"])
  }

  func test_aggregateOfFollowingView_followsAnotherArray() {
    final class Shop {
      @Observed var orders: ObservableArray<Order> = [Order(1)]
    }
    let shop = Shop()
    let sum = ObservableArray.following(shop, \.orders).sum(of: \.amount)
    XCTAssertEqual(sum.value, 1)
    shop.orders = [Order(2), Order(3)]
    XCTAssertEqual(sum.value, 5)
    shop.orders[0].amount = 10
    XCTAssertEqual(sum.value, 13)
  }

  func test_aggregateOfFollowingView_withoutItsObject_isEmpty() {
    final class Shop {
      @Observed var orders: ObservableArray<Order> = [Order(1)]
    }
    var shop: Shop? = Shop()
    let sum = ObservableArray.following(shop!, \.orders).sum(of: \.amount)
    XCTAssertEqual(sum.value, 1)
    shop = nil
    XCTAssertEqual(sum.value, 0)
  }

  // MARK: Exactness

  func test_sumOfIntegers_isExact_beyondTheTypeInBetween() {
    let numbers: ObservableArray<Int> = [.max, 5]
    numbers.append(.max)
    let sum = numbers.sum(of: \.self)
    numbers.append(contentsOf: [-.max, -.max])
    XCTAssertEqual(sum.value, 5)
    numbers.removeAll { $0 > 5 }
    numbers.append(.max)
    numbers.append(.max)
    XCTAssertEqual(sum.value, 5)
    let mean = numbers.average(of: \.self)
    XCTAssertEqual(mean.value, 1)
  }

  func test_sumOfIntegers_ofEachWidth_isThatOfTheStandardLibrary() {
    let bytes: ObservableArray<Int8> = [-100, 27]
    let words: ObservableArray<UInt64> = [.max - 3, 3]
    let (byteSum, wordSum) = (bytes.sum(of: \.self), words.sum(of: \.self))
    bytes.append(-55)
    XCTAssertEqual(byteSum.value, -128)
    bytes[0] = 100
    XCTAssertEqual(byteSum.value, 72)
    XCTAssertEqual(wordSum.value, .max)
    XCTAssertEqual(words.average(of: \.self).value, 0x1p63)
    words.removeFirst()
    XCTAssertEqual(wordSum.value, 3)
  }

  func test_sumOfFloatingPoint_leavesNoTraceOfWhatHasLeft() {
    let numbers: ObservableArray<Double> = [0.25, 0.5]
    let sum = numbers.sum(of: \.self)
    for passing in [1e300, .infinity, -.infinity, .nan, 1e16, 0.1] {
      numbers.append(passing)
      numbers.insert(-passing, at: 0)
      numbers.removeLast()
      numbers.removeFirst()
      XCTAssertEqual(sum.value, 0.75, "\(passing)")
    }
    numbers.setElements([.infinity, 1])
    XCTAssertEqual(sum.value, .infinity)
    numbers[0] = 1
    XCTAssertEqual(sum.value, 2)
  }

  func test_sumOfFloatingPoint_dependsOnTheElementsAlone() {
    var generator = SeededGenerator(seed: 1)
    let numbers = ObservableArray<Double>([])
    let sum = numbers.sum(of: \.self)
    for step in 0..<2_000 {
      let number = Double.random(in: -1e6...1e6, using: &generator)
      if numbers.count < 300 || step.isMultiple(of: 3) {
        numbers.insert(number, at: .random(in: 0...numbers.count, using: &generator))
      } else {
        numbers[.random(in: 0..<numbers.count, using: &generator)] = number
      }
    }
    let anew = ObservableArray(numbers.elements).sum(of: \.self)
    XCTAssertEqual(sum.value.bitPattern, anew.value.bitPattern)
  }

  func test_minAndMax_ofWhatIsNoNumber_areThoseOfTheStandardLibrary() {
    let values: [Double] = [.nan, 1, 2, -0.0, 0]
    for length in 1...4 {
      for code in 0..<Int(pow(5, Double(length))) {
        let numbers = (0..<length).map { values[code / Int(pow(5, Double($0))) % 5] }
        let array = ObservableArray(numbers)
        XCTAssertEqual(text(array.min(of: \.self).value), text(numbers.min()), "\(numbers)")
        XCTAssertEqual(text(array.max(of: \.self).value), text(numbers.max()), "\(numbers)")
      }
    }
  }

  private func text(_ number: Double?) -> String { number.map { "\($0)" } ?? "nil" }

  // MARK: Observers

  func test_C28_handlersRegisteredBeforeTheAggregate_readItUpToDate() {
    var aggregates: Aggregates?
    observations.observeArray(source, elements: [\.amount, \.weight]) { recorder, _, change in
      recorder.write("\(change.kind)")
      aggregates?.check("\(change.kind)")
    }
    observations.observe(source[0], \.amount) { recorder, _, change in
      recorder.write("amount")
      aggregates?.check("amount")
    }
    aggregates = Aggregates(of: source)
    source.append(Order(9))
    source[0].amount = 8
    source[0].weight = 20
    source.swapAt(0, 3)
    source.performBatchUpdates {
      source.removeFirst()
      source[0].amount = 5
    }
    withObservationTransaction {
      source.append(Order(2))
      source[1].amount = 7
    }
    XCTAssertEqual(
      recorder.events,
      ["insertion", "element", "amount", "element", "move", "batch", "element", "batch"])
  }

  func test_C28_observers_areNotifiedInTheOrderOfRegistration() {
    let sum = source.sum(of: \.amount)
    observations.observeArray(source) { recorder, _, _ in recorder.write("first") }
    observations.observe(sum, \.value) { recorder, _, change in
      recorder.write("sum \(change.newValue)")
    }
    observations.observeArray(source, context: "other") { recorder, _, _ in recorder.write("last") }
    source.append(Order(1))
    XCTAssertEqual(recorder.events, ["first", "sum 16", "last"])
  }

  func test_C28_oneChange_ofBatchAndTransaction() {
    let sum = source.sum(of: \.amount)
    observations.observe(sum, \.value) { $0.write("\($2.oldValue!)→\($2.newValue)") }
    source.performBatchUpdates {
      for number in 1...20 { source.append(Order(number)) }
    }
    withObservationTransaction {
      for order in source { order.amount += 1 }
      source.removeFirst()
    }
    source.move(from: 0, to: 3)
    source.setElements(source.elements)
    XCTAssertEqual(recorder.events, ["15→225", "225→244"])
  }

  func test_transactionThatChangesNothingInTheEnd_notifiesNoObserver() {
    let sum = source.sum(of: \.amount)
    observations.observe(sum, \.value) { $0.write("\($2.newValue)") }
    withObservationTransaction {
      source[0].amount = 10
      source[0].amount = 3
      source.append(Order(0))
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_edits_inBatchAndTransaction_countAtOnce() {
    let aggregates = Aggregates(of: source)
    source.performBatchUpdates {
      source.append(Order(11))
      aggregates.check("batch")
      source.removeFirst()
      aggregates.check("batch, second edit")
    }
    aggregates.check("after the batch")
    withObservationTransaction {
      source.append(Order(12))
      aggregates.check("transaction")
      source[0].amount = 7
    }
    aggregates.check("after the transaction")
  }

  func test_C27_changesOfElements_inBatchAndTransaction_countAtOnce() {
    let aggregates = Aggregates(of: source)
    observations.observe(aggregates.sum, \.value) { $0.write("\($2.oldValue!)→\($2.newValue)") }
    withObservationTransaction {
      for (number, order) in source.enumerated() {
        order.amount += 10
        aggregates.check("transaction, \(number)")
      }
      source[0].amount = 1
      aggregates.check("transaction, again")
      source.removeFirst()
      aggregates.check("transaction, removed")
    }
    aggregates.check("after the transaction")
    source.performBatchUpdates {
      for order in source {
        order.amount -= 5
        aggregates.check("batch")
      }
      source.append(Order(4))
      source[0].amount = 1
      aggregates.check("batch, after an edit")
    }
    aggregates.check("after the batch")
    XCTAssertEqual(recorder.events, ["15→32", "32→15"], "one change each")
  }

  func test_C27_changesOfElements_duringAMutationInPlace_countAtItsEnd() {
    func mutate(_ order: inout Order, _ body: () -> Void) { body() }
    let aggregates = Aggregates(of: source)
    let second = source[1]
    observations.observe(aggregates.sum, \.value) { $0.write("\($2.oldValue!)→\($2.newValue)") }
    mutate(&source[0]) { second.amount += 5 }
    aggregates.check("after the mutation")
    second.amount += 1
    aggregates.check("after another change")
    source.performBatchUpdates {
      mutate(&source[0]) { second.amount += 2 }
      aggregates.check("in a batch")
    }
    aggregates.check("after the batch")
    second.amount += 1
    XCTAssertEqual(recorder.events, ["15→20", "20→21", "21→23", "23→24"])
  }

  func test_C27_computedPropertiesOfElements_inTransaction_countAtOnce() {
    let large = source.count(on: [\.isLarge], where: \.isLarge)
    withObservationTransaction {
      for amount in [0, 1_000, 1, 2_000] {
        for order in source {
          order.amount = amount
          XCTAssertEqual(large.value, source.count(where: \.isLarge))
        }
      }
    }
    XCTAssertEqual(large.value, source.count)
  }

  func test_value_isBoundAndDerivedFrom() {
    final class Badge {
      @Observed var number = 0
    }
    let badge = Badge()
    let count = source.count(on: [\.amount]) { $0.amount > 4 }
    let twice = ObservableValue { count.value * 2 }
    observations.bind(count, \.value, to: badge, \.number)
    XCTAssertEqual(badge.number, 2)
    source[0].amount = 5
    XCTAssertEqual(badge.number, 3)
    XCTAssertEqual(twice.value, 6)
    source.removeAll()
    XCTAssertEqual(badge.number, 0)
    XCTAssertEqual(twice.value, 0)
  }

  // MARK: Re-entrancy

  func test_handlerThatEditsTheSource_isFollowedInTurn() {
    let sum = source.sum(of: \.amount)
    observations.observe(sum, \.value) { [source] recorder, _, change in
      recorder.write("\(change.oldValue!)→\(change.newValue)")
      if source.count < 6 { source.append(Order(1)) }
      XCTAssertEqual(sum.value, source.reduce(0) { $0 + $1.amount })
    }
    source[0].amount += 10
    XCTAssertEqual(recorder.events, ["15→25", "25→26", "26→27", "27→28"])
  }

  func test_handlerThatChangesAnElement_isFollowedInTurn() {
    let sum = source.sum(of: \.amount)
    observations.observe(sum, \.value) { [source] recorder, _, change in
      recorder.write("\(change.newValue)")
      if source[0].amount < 6 { source[0].amount += 1 }
    }
    source.removeLast()
    XCTAssertEqual(recorder.events, ["10", "11", "12", "13"])
    XCTAssertEqual(sum.value, 13)
  }

  // MARK: Lifetime

  func test_aggregate_isKeptByItsUserAlone_andKeepsItsSource() {
    let closures = LifetimeCounter()
    weak var weakSource: ObservableArray<Order>?
    assertLeavesNoObservations {
      var count: ObservableValue<Int>? = scoped {
        let source = ObservableArray([Order(1), Order(2)])
        weakSource = source
        return source.count(on: [\.amount]) { [ticket = closures.makeTicket()] order in
          withExtendedLifetime(ticket) { order.amount > 1 }
        }
      }
      weakSource?[0].amount = 5
      XCTAssertEqual(count?.value, 2)
      XCTAssertEqual(closures.count, 1)
      count = nil
      XCTAssertNil(weakSource)
      XCTAssertEqual(closures.count, 0)
    }
  }
}
