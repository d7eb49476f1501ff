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
}
