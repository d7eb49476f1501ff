import ObservationController
import TestSupport
import XCTest

/// Changes of arrays that a test makes by hand.
final class ArrayChangeByHandTests: TestCase {
  func test_changeByHand_equalsTheOneThatIsDelivered() {
    let array: ObservableArray<Int> = [1, 2, 3]
    let recorder = Recorder<ArrayChange<Int>>()
    let observations = ObservationController(observer: recorder)
    observations.observeArray(array, options: [.initial, .old]) { $0.append($2) }
    array.append(4)
    array[0] = 9
    array.remove(at: 1)
    array.swapAt(0, 1)
    array.setElements([5])
    array.performBatchUpdates {
      array.append(6)
      array.removeFirst()
    }
    XCTAssertEqual(recorder.events.count, 7)
    for change in recorder.events {
      let copy = ArrayChange(
        change.kind, change.entries, elements: change.elements, oldElements: change.oldElements)
      XCTAssertEqual(copy.line, change.line)
      XCTAssertEqual(copy.description, change.description)
      XCTAssertEqual(copy.difference, change.difference)
      XCTAssertEqual(copy.isAtTail, change.isAtTail)
      if let old = change.oldElements { XCTAssertEqual(copy.applying(to: old), change.elements) }
    }
  }

  func test_elementChangeByHand_namesPropertyAndValues() {
    let counters = [Counter(), Counter()]
    let change = ArrayChange(elementAt: 1, \Counter.count, from: 1, to: 2, elements: counters)
    XCTAssertEqual(change.kind, .element)
    XCTAssertEqual(change.elementKeyPath, \Counter.count)
    XCTAssertEqual(change.elementChange?.oldValue as? Int, 1)
    XCTAssertEqual(change.elementChange?.newValue as? Int, 2)
    XCTAssertEqual(change.entries.map(\.newIndex), [1])
    XCTAssertTrue(change.entries[0].element === counters[1])
    XCTAssertNil(change.oldElements)
    XCTAssertTrue(change.elements.elementsEqual(counters) { $0 === $1 })
  }
}
