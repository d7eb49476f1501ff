import ObservationController
import TestSupport
import XCTest

/// C5 in detail: the comparisons of `.distinct`.
final class DistinctTests: TestCase {
  private let account = Account()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func observe(_ options: ObservationOptions) {
    observations.observe(account, \.balance, options: options) { recorder, _, change in
      recorder.write(change)
    }
  }

  func test_C5_distinct_withoutOld_stillCompares() {
    observe(.distinct)
    account.balance = 0
    account.balance = 1
    XCTAssertEqual(recorder.events, ["→ 1"])
  }

  func test_C5_distinct_withPrior_deliversNoEqualValue() {
    observe([.prior, .distinct])
    account.balance = 0
    account.balance = 1
    XCTAssertEqual(recorder.events, ["about to change from 0", "→ 1"])
  }

  func test_C5_distinct_comparesInstancesThatAreNotEquatable_byIdentity() {
    let shelf = Shelf()
    observations.observe(shelf, \.thing, options: .distinct) { recorder, _, _ in
      recorder.write("thing")
    }
    observations.observe(shelf, \.maybe, options: .distinct) { recorder, _, _ in
      recorder.write("maybe")
    }
    shelf.thing = shelf.thing
    shelf.maybe = nil
    XCTAssertEqual(recorder.events, [])
    let thing = Thing()
    shelf.thing = thing
    shelf.maybe = thing
    shelf.maybe = thing
    shelf.maybe = nil
    XCTAssertEqual(recorder.events, ["thing", "maybe", "maybe"])
  }

  func test_C5_distinct_comparesInstancesBehindExistentials_byIdentity() {
    final class Slot {
      @Observed var any: AnyObject = Thing()
      @Observed var maybe: (any Marked)?
    }
    final class Mark: Marked {}
    let slot = Slot()
    let issues = collectingIssues {
      observations.observe(slot, \.any, options: .distinct) { recorder, _, _ in
        recorder.write("any")
      }
      observations.observe(slot, \.maybe, options: .distinct) { recorder, _, _ in
        recorder.write("maybe")
      }
    }
    slot.any = slot.any
    slot.maybe = nil
    XCTAssertEqual(recorder.events, [])
    let mark = Mark()
    slot.any = mark
    slot.maybe = mark
    slot.maybe = mark
    XCTAssertEqual(recorder.events, ["any", "maybe"])
    XCTAssertEqual(issues.count, 0)
  }

  func test_C5_distinct_onNil_ofATypeThatCannotBeCompared_isReported() {
    final class Slot {
      @Observed var maybe: Opaque?
      @Observed var list: [Opaque]?
      @Observed var table: [String: Opaque]?
    }
    let slot = Slot()
    let issues = collectingIssues {
      observations.observeEach(slot, \.maybe, \.list, \.table, options: .distinct) {
        recorder, _, _ in recorder.write("set")
      }
    }
    XCTAssertEqual(issues.map(\.keyPath), [\Slot.maybe, \Slot.list, \Slot.table])
    for issue in issues {
      guard case .distinctNeedsEquatable = issue else { return XCTFail("\(issue)") }
    }
    slot.maybe = nil
    XCTAssertEqual(recorder.events, ["set"], "as the issue says")
  }

  func test_C5_distinct_onNil_thatMayBecomeAnInstanceOrIsEquatable_isSilent() {
    final class Slot {
      @Observed var thing: Thing?
      @Observed var any: AnyObject?
      @Observed var marked: (any Marked)?
      @Observed var printed: (any CustomStringConvertible)?
      @Observed var number: Int??
    }
    let slot = Slot()
    assertNoIssues {
      observations.observeEach(
        slot, \.thing, \.any, \.marked, \.printed, \.number, options: .distinct
      ) { _, _, _ in }
    }
    XCTAssertEqual(observations.observations.count, 5)
  }

  func test_C5_distinct_onAPath_comparesThePathsValues() {
    account.balance = 3
    observations.observe(account, \.available, options: [.old, .distinct]) { recorder, _, change in
      recorder.write(change)
    }
    account.limit = 0
    account.limit = 4
    XCTAssertEqual(recorder.events, ["3 → 7"])
  }

  func test_C5_distinct_comparesInstancesThatAreEquatable_byEquality() {
    final class Word: Equatable {
      let text: String
      init(_ text: String) { self.text = text }
      static func == (left: Word, right: Word) -> Bool { left.text == right.text }
    }
    final class Slot {
      @Observed var word = Word("a")
      @Observed var maybe: Word? = Word("a")
    }
    let slot = Slot()
    observations.observe(slot, \.word, options: .distinct) { recorder, _, change in
      recorder.write("word \(change.newValue.text)")
    }
    observations.observe(slot, \.maybe, options: .distinct) { recorder, _, change in
      recorder.write("maybe \(change.newValue?.text ?? "-")")
    }
    slot.word = Word("a")
    slot.maybe = Word("a")
    XCTAssertEqual(recorder.events, [])
    slot.word = Word("b")
    slot.maybe = nil
    XCTAssertEqual(recorder.events, ["word b", "maybe -"])
  }

  /// Sets the property again at each delivery.
  private func checkThatItSettles<Value>(_ first: Value, _ value: Value, line: UInt = #line) {
    let holder = Holder(first)
    let issues = collectingIssues {
      observations.observe(holder, \.value, options: .distinct) { recorder, holder, _ in
        recorder.write("set")
        holder.value = value
      }
      observations.observe(holder, \.copy, options: .distinct) { recorder, _, _ in
        recorder.write("copy")
      }
      holder.value = value
      holder.value = value
    }
    XCTAssertEqual(recorder.takeEvents(), ["set", "copy"], line: line)
    XCTAssertEqual(issues.count, 0, line: line)
    observations.unobserveAll()
  }

  func test_C27_distinct_valueThatIsNotEqualToItself_settles() {
    struct Point: Equatable { var x, y: Double }
    enum Measure: Equatable {
      case unknown
      case some(Float)
    }
    checkThatItSettles(0, Double.nan)
    checkThatItSettles(0, -Double.nan)
    checkThatItSettles(0, Double.signalingNaN)
    checkThatItSettles(0, Float.nan)
    checkThatItSettles(0, Double.nan as Double?)
    checkThatItSettles(nil, .nan as Double??)
    checkThatItSettles([], [Double.nan, 1])
    checkThatItSettles([:], [1: Double.nan])
    checkThatItSettles([], [[Double.nan]])
    checkThatItSettles(Point(x: 0, y: 0), Point(x: .nan, y: 0))
    checkThatItSettles(nil, Point(x: .nan, y: 0) as Point?)
    checkThatItSettles([], [Point(x: .nan, y: 0)])
    checkThatItSettles(.unknown, Measure.some(.nan))
  }

  func test_C27_distinct_leavesOutWhatIsEqual_alsoIfItCanBeToldApart() {
    let zero = Holder(0.0)
    let text = Holder("\u{E9}")
    for _ in 0..<2 {
      observations.observe(zero, \.value, options: .distinct) { recorder, _, _ in
        recorder.write("zero")
      }
      observations.observe(text, \.value, options: .distinct) { recorder, _, _ in
        recorder.write("text")
      }
    }
    zero.value = -0.0
    text.value = "e\u{301}"
    XCTAssertEqual(recorder.events, [])
    zero.value = .nan
    zero.value = -.nan
    XCTAssertEqual(recorder.events, ["zero", "zero"], "of which the bits differ")
  }

  func test_C5_distinct_comparesInstancesInCollections_byIdentity() {
    let thing = Thing()
    let (list, table) = (Holder([thing]), Holder(["a": thing]))
    let issues = collectingIssues {
      observations.observe(list, \.value, options: .distinct) { recorder, _, _ in
        recorder.write("list")
      }
      observations.observe(table, \.value, options: .distinct) { recorder, _, _ in
        recorder.write("table")
      }
    }
    list.value = [thing]
    table.value = ["a": thing]
    XCTAssertEqual(recorder.takeEvents(), [])
    list.value = [Thing()]
    table.value = ["a": Thing()]
    XCTAssertEqual(recorder.takeEvents(), ["list", "table"])
    XCTAssertEqual(issues.count, 0)
  }
}

private final class Holder<Value> {
  @Observed var value: Value
  @Observed var isShown = true

  var copy: Value? { isShown ? value : nil }

  init(_ value: Value) { self.value = value }
}
