import ObservationController
import TestSupport
import XCTest

/// Nested and computed key paths, and arrays, behind a derived property.
final class DerivedPathTests: TestCase {
  private final class Box { @Observed var number = 1 }

  private final class Table {
    @Observed var number = 1
    @Observed var limit = 10
    @Observed var isReversed = false
    @Observed var name = "table"
    let numbers: ObservableArray<Int> = [3, 1, 2]
    let box = Box()

    @Derived({ (table: Table) in min(table.number, table.limit) }) var shown: Int
    @Derived({ (table: Table) in table.number > table.limit }) var isFull: Bool
    @Derived({ (table: Table) in table.isReversed ? table.box : Box() }) var chosen: Box
    @Derived({ (table: Table) in
      let isReversed = table.isReversed
      return table.numbers.sorted(on: []) { isReversed ? $0 > $1 : $0 < $1 }
    }) var sorted: ObservableArray<Int>

    @Derived({ (table: Table) in table.isReversed ? [] : table.numbers })
    var chosenNumbers: ObservableArray<Int>

    var double: Int { shown * 2 }
    var sum: Int { shown + limit }
    var state: (String, Bool) { (name, isFull) }
  }

  private let table = Table()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_C10_equalDerivedValue_isNoChangeOfThePath() {
    for options in [[], .old, [.old, .prior], .distinct] as [ObservationOptions] {
      observations.observe(table, \.double, options: options) { recorder, _, change in
        if !change.isPrior { recorder.write("\(change.newValue)") }
      }
      table.number = 20
      table.number = 30
      table.limit = 10
      table.number = 1
      XCTAssertEqual(recorder.takeEvents(), ["20", "2"], "\(options)")
      observations.unobserveAll()
    }
  }

  func test_C10_pathOverAStoredAndADerivedProperty_isNotifiedOnce() {
    observations.observe(table, \.sum) { $0.write("\($2)") }
    table.number = 20
    table.limit = 5
    withObservationTransaction {
      table.limit = 50
      table.number = 7
    }
    XCTAssertEqual(recorder.takeEvents(), ["11 → 20", "20 → 10", "10 → 57"])
  }

  func test_C10_equalDerivedValue_readAfterAStoredOne_isNeverAChange() {
    observations.observe(table, \.state) { $0.write("\($2.newValue)") }
    table.number = 2
    table.number = 3
    XCTAssertEqual(recorder.takeEvents(), [])
    table.number = 11
    XCTAssertEqual(recorder.takeEvents(), [#"("table", true)"#])
  }

  func test_C26_derivedValueBackWhereATransactionBegan_isNoChangeOfThePath() {
    for options in [[], .old, [.old, .prior], .distinct] as [ObservationOptions] {
      observations.observe(table, \.double, options: options) { recorder, _, change in
        if !change.isPrior { recorder.write("\(change.newValue)") }
      }
      withObservationTransaction {
        table.number = 5
        XCTAssertEqual(table.shown, 5)
        table.number = 1
      }
      XCTAssertEqual(recorder.takeEvents(), [], "\(options)")
      withObservationTransaction {
        table.number = 5
        observations.observe(table, \.double, options: options, context: "second") {
          recorder, _, change in
          if !change.isPrior { recorder.write("second: \(change.newValue)") }
        }
        table.number = 1
      }
      XCTAssertEqual(recorder.takeEvents(), ["second: 2"], "\(options)")
      table.number = 3
      XCTAssertEqual(recorder.takeEvents(), ["6", "second: 6"], "\(options)")
      table.number = 1
      recorder.clear()
      observations.unobserveAll()
    }
  }

  func test_C7_handlerThatSetsADerivedsDependency_getsAContiguousChain() {
    observations.observe(table, \.number) { [table] recorder, _, change in
      recorder.write("number \(change)")
      if change.newValue == 2 { table.number = 3 }
    }
    observations.observe(table, \.double) { $0.write("double \($2)") }
    table.number = 2
    XCTAssertEqual(
      recorder.takeEvents(),
      ["number 1 → 2", "double 2 → 4", "number 2 → 3", "double 4 → 6"])
  }

  func test_arrayOfADerivedProperty_thatIsAnotherOne_isFollowed() {
    observations.observeArray(table, \.sorted) { recorder, _, change in
      recorder.write("\(change.kind) \(change.elements)")
    }
    table.numbers.append(0)
    table.isReversed = true
    table.numbers.append(9)
    XCTAssertEqual(
      recorder.takeEvents(),
      ["insertion [0, 1, 2, 3]", "setting [3, 2, 1, 0]", "insertion [9, 3, 2, 1, 0]"])
  }

  func test_linkThatADerivedPropertyLeadsTo_isFollowed() {
    observations.observe(table, \.chosen.number) { $0.write("\($2)") }
    table.isReversed = true
    table.box.number = 5
    XCTAssertEqual(recorder.takeEvents(), ["1 → 1", "1 → 5"])
  }

  // MARK: What lies behind a derived property

  private final class Gauge {
    @AtomicObserved var shared = 0
    @Observed var number = 0
    @Derived({ (gauge: Gauge) in gauge.shared.isMultiple(of: 2) ? "even" : "odd" })
    var sharedParity: String
    @Derived({ (gauge: Gauge) in gauge.number.isMultiple(of: 2) ? "even" : "odd" })
    var parity: String
  }

  /// Not trivial, as a number is: nothing else keeps the value to be compared with.
  func test_C28_equalDerivedString_overAnAtomicProperty_isNoChange() {
    let gauge = Gauge()
    observations.observe(gauge, \.sharedParity) { $0.write("\($2)") }
    observations.observe(gauge, \.sharedParity.count) { $0.write("\($2)") }
    gauge.shared = 2
    gauge.shared = 4
    XCTAssertEqual(recorder.takeEvents(), [])
    gauge.shared = 5
    XCTAssertEqual(recorder.takeEvents(), ["even → odd", "4 → 3"])
  }

  func test_C28_equalDerivedString_withPrior_isNoChange() {
    let gauge = Gauge()
    observations.observe(gauge, \.parity, options: [.old, .prior]) { recorder, _, change in
      if !change.isPrior { recorder.write("\(change)") }
    }
    gauge.number = 2
    withObservationTransaction { gauge.number = 4 }
    XCTAssertEqual(recorder.takeEvents(), [])
    gauge.number = 5
    XCTAssertEqual(recorder.takeEvents(), ["even → odd"])
  }

  func test_C4_changeOfAPathWhoseGetterSetsWhatItReads_withPrior_isDelivered() {
    final class Mirror {
      @Observed var number = 1
      @Observed var offset = 3
      @Observed private var copy = 0
      @Derived({ (mirror: Mirror) in mirror.number + mirror.offset }) var sum: Int

      var reflected: Int {
        if copy != number { copy = number }
        return copy + sum
      }
    }
    let mirror = Mirror()
    observations.observe(mirror, \.reflected, options: .prior) { recorder, _, change in
      recorder.write((change.isPrior ? "prior " : "") + "\(change.newValue)")
    }
    mirror.number = 3
    XCTAssertEqual(recorder.takeEvents(), ["prior 5", "9"])
    // The sum is what it was before the change before.
    mirror.offset = 1
    XCTAssertEqual(recorder.takeEvents(), ["prior 9", "7"])
  }

  func test_C15_valueThatAPathCompares_isFreedAfterItsEnd() {
    final class Holder {
      let tickets = LifetimeCounter()
      @AtomicObserved var number = 0
      @Derived({ (holder: Holder) -> LifetimeCounter.Ticket in
        _ = holder.number
        return holder.tickets.makeTicket()
      }) var ticket: LifetimeCounter.Ticket
    }
    let holder = Holder()
    observations.observe(holder, \.ticket) { _, _, _ in }
    for number in 1...3 {
      holder.number = number
      XCTAssertEqual(holder.tickets.count, 1)
    }
    observations.unobserveAll()
    holder.number = 4
    XCTAssertEqual(holder.tickets.count, 0, "out of date, and not read")
  }

  func test_C11_editInATransaction_ofADerivedArray_withPrior_isDelivered() {
    observations.observe(table, \.chosenNumbers.count, options: [.old, .prior]) {
      recorder, _, change in
      if !change.isPrior { recorder.write("\(change)") }
    }
    withObservationTransaction { table.numbers.append(1) }
    XCTAssertEqual(recorder.takeEvents(), ["3 → 4"])
  }
}
