#if DEBUG && (os(Linux) || os(macOS))
  import Foundation
  import ObservationController
  import TestSupport
  import XCTest

  /// Misuse that traps, with a message that names it.
  final class TrapTests: TestCase {
    private let observer = SilentObserver()
    private lazy var observations = ObservationController(observer: observer)

    /// Runs the test again in another process, in which `body` has to trap with `message`.
    private func assertTraps(
      with message: String, in test: String = #function, line: UInt = #line, _ body: () -> Void
    ) {
      let variable = "OBSERVATION_TRAPS"
      if ProcessInfo.processInfo.environment[variable] != nil { return body() }
      let (status, output) = Subprocess.runAgain(
        "TrapTests/\(test.dropLast(2))", environment: [variable: "1"])
      XCTAssertNotEqual(status, 0, line: line)
      XCTAssertTrue(output.contains(message), output, line: line)
    }

    func test_derivedValueThatReadsItself_withoutAPlaceholder_traps() {
      enum Light { case red, green }
      final class Crossing {
        @Derived({ (crossing: Crossing) in crossing.light == .red ? Light.green : .red })
        var light: Light
      }
      assertTraps(with: "reads itself") {
        _ = collectingIssues { _ = Crossing().light }
      }
    }

    func test_storageReplacedDuringADelivery_traps() {
      final class Cell {
        @Observed var value = 0
        func replace() { _value = Observed(wrappedValue: 5) }
      }
      assertTraps(with: "The storage of an observed property was replaced (`_name = …`)") {
        let cell = Cell()
        observations.observe(cell, \.value) { _, cell, _ in cell.replace() }
        cell.value = 1
      }
    }

    func test_storageReplacedByAPriorHandler_traps() {
      final class Cell {
        @Observed var value = 0
        func replace() { _value = Observed(wrappedValue: 5) }
      }
      assertTraps(with: "The storage of an observed property was replaced (`_name = …`)") {
        let cell = Cell()
        observations.observe(cell, \.value, options: .prior) { _, cell, change in
          if change.isPrior { cell.replace() }
        }
        cell.value = 1
      }
    }

    func test_storageOfADerivedProperty_replacedByItsGetter_traps() {
      final class Cell {
        @Observed var value = 0
        @Derived({ (cell: Cell) in cell.compute() }) var double: Int
        @Derived({ (cell: Cell) in cell.double + 1 }) var next: Int
        func compute() -> Int {
          if value > 0 { _double = Derived({ (cell: Cell) in cell.value }) }
          return value * 2
        }
      }
      assertTraps(with: "The storage of a derived property was replaced (`_name = …`)") {
        let cell = Cell()
        observations.observe(cell, \.next) { _, _, _ in }
        cell.value = 1
      }
    }

    func test_changeAppliedToAnotherArray_traps() {
      assertTraps(with: "The change does not belong to this array") {
        let array = ObservableArray(0..<40)
        observations.observeArray(array) { _, _, change in _ = change.applying(to: [1, 2, 3]) }
        array.removeSubrange(5..<30)
      }
    }

    func test_changeAppliedToALongerArray_traps() {
      assertTraps(with: "The change does not belong to this array, which has 5 elements") {
        let array = ObservableArray([1, 2, 3])
        observations.observeArray(array) { _, _, change in
          _ = change.applying(to: [1, 2, 3, 4, 5])
        }
        array.insert(0, at: 0)
      }
    }

    func test_editInAClosureOfAnEdit_ofAnArrayWithoutObservers_traps() {
      assertTraps(with: "was edited by a closure that was passed to an edit of it") {
        let array = ObservableArray([3, 2, 1])
        array.sort { _, _ in true }
        array.removeAll { element in
          array[0] = 4
          return element == 1
        }
      }
    }

    func test_editAtAnIndex_thatAPriorHandlerRemoved_traps() {
      assertTraps(with: "there were 3 elements, and what ran before the edit has left 1") {
        let array = ObservableArray([1, 2, 3])
        observations.observe(array, \.count, options: .prior) { _, array, change in
          if change.isPrior, array.count == 3 { array.removeSubrange(1...) }
        }
        array.remove(at: 2)
      }
    }

    func test_editAtAnIndex_thatAPriorHandlerRemoved_insideABatch_traps() {
      assertTraps(with: "there were 2 elements, and what ran before the edit has left 0") {
        let array = ObservableArray([1, 2])
        observations.observe(array, \.count, options: .prior) { _, array, change in
          if change.isPrior, array.count == 2 { array.removeAll() }
        }
        array.performBatchUpdates { array[0] = 3 }
      }
    }
  }
#endif
