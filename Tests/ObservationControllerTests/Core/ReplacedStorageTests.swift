import ObservationController
import TestSupport
import XCTest

/// Storage that is replaced (`_name = …`) by code that runs because of a change of it, other than
/// by a handler of the property itself: harmless. With AddressSanitizer, in release too.
final class ReplacedStorageTests: TestCase {
  private final class Cell {
    @Observed var value = 1
    @AtomicObserved var count = 1
    @Derived({ (cell: Cell) in cell.value * 2 }) var double: Int
    @Derived({ (cell: Cell) in cell.double + 1 }) var next: Int
    @Derived({ (cell: Cell) in cell.count * 2 }) var counted: Int
    var willRead: () -> Void = {}

    var computed: Int {
      willRead()
      return value + 1
    }

    func replaceValue() { _value = Observed(wrappedValue: 100) }
    func replaceCount() { _count = AtomicObserved(wrappedValue: 100) }
    func replaceDouble() { _double = Derived({ (cell: Cell) in cell.value * 3 }) }
  }

  private let cell = Cell()
  private lazy var observations = ObservationController(observer: self)

  func test_storedProperty_replacedByAHandlerOfADerivedOne_isHarmless() {
    for keyPath in [\Cell.double, \Cell.next] {
      for change: (Cell) -> Void in [
        { $0.value = 5 }, { $0.value += 5 },
        { cell in withObservationTransaction { cell.value = 5 } },
      ] {
        let cell = Cell()
        var isFirst = true
        observations.observe(cell, keyPath) { _, cell, _ in
          if isFirst { cell.replaceValue() }
          isFirst = false
        }
        change(cell)
        XCTAssertEqual([cell.value, cell.double, cell.next], [100, 200, 201])
        cell.value = 7
        XCTAssertEqual([cell.value, cell.double, cell.next], [7, 14, 15])
      }
    }
  }

  func test_storedProperty_replacedByAGetterInATransaction_isHarmless() {
    observations.observe(cell, \.computed, options: [.old, .prior]) { _, _, _ in }
    var isFirst = true
    cell.willRead = { [unowned cell] in
      if isFirst {
        isFirst = false
        cell.replaceValue()
      }
    }
    withObservationTransaction { cell.value += 5 }
    cell.value += 1
    XCTAssertEqual(cell.computed, cell.value + 1)
  }

  func test_atomicProperty_replacedByHandlers_isHarmless() {
    observations.observe(cell, \.count, options: [.old, .prior]) { _, cell, _ in
      cell.replaceCount()
    }
    observations.observe(cell, \.counted) { _, cell, _ in cell.replaceCount() }
    cell.count = 5
    cell.count += 1
    cell.$count.withLock {
      $0 += 1
      cell.replaceCount()
    }
    withObservationTransaction { cell.count = 6 }
    XCTAssertEqual(cell.counted, cell.count * 2)
  }

  func test_derivedProperty_replacedByItsHandler_isHarmless() {
    observations.observe(cell, \.double) { _, cell, _ in cell.replaceDouble() }
    cell.value = 5
    cell.value = 6
    XCTAssertEqual(cell.double, 18)
  }
}
