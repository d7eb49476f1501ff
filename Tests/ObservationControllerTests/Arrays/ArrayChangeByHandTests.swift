import ObservationController
import TestSupport
import XCTest

/// Changes of arrays that a test makes, to call a handler.
final class ArrayChangeByHandTests: TestCase {
  private typealias Change = ArrayChange<Tile>
  private let (a, b) = (Tile("a"), Tile("b"))

  func test_changeByHand_hasWhatItWasMadeOf() {
    let change = Change(
      kind: .batch,
      entries: [.init(element: b, oldIndex: nil, newIndex: 1)], elements: [a, b],
      oldElements: [a], changedIndices: [0])
    XCTAssertEqual(change.line, "batch +b01 *a00: a0 b0 (was a0)")
    XCTAssertEqual(change.applying(to: [a]), [a, b])
    XCTAssertEqual(change.flaws(leadingFrom: [a], hasOld: true), [])
  }

  func test_changeByHand_ofAnElement_namesItsProperty() {
    let change = Change(
      kind: .element, entries: [.init(element: b, oldIndex: 1, newIndex: 1)], elements: [a, b],
      elementKeyPath: \.rank, elementChange: ObservedChange(oldValue: 1, newValue: 2))
    XCTAssertEqual(change.elementKeyPath, \Tile.rank)
    XCTAssertEqual(change.elementChange?.oldValue as? Int, 1)
    XCTAssertEqual(change.elementChange?.newValue as? Int, 2)
    XCTAssertEqual(change.changedIndices, [1])
    XCTAssertNil(change.oldElements)
    XCTAssertEqual(change.flaws(leadingFrom: [a, b], hasOld: false), [])
  }
}
