import ObservationController
import TestSupport
import XCTest

/// C10 and C11: nested and computed key paths are notified once, of the change from beginning to
/// end.
final class TransactionPathTests: TransactionTestCase {
  func test_C11_computedPath_isNotifiedOnce_withoutIntermediateValues() {
    observe(parcel, \.area, as: "area")
    withObservationTransaction {
      parcel.width = 10
      parcel.height = 20
      parcel.width = 11
      XCTAssertEqual(parcel.area, 220)
    }
    XCTAssertEqual(recorder.takeEvents(), ["area: 2 → 220"])
    parcel.height = 1
    XCTAssertEqual(recorder.events, ["area: 220 → 11"])
  }

  func test_C11_distinctPath_backWhereItBegan_isNotNotified() {
    observe(parcel, \.area, as: "area", options: [.old, .distinct])
    withObservationTransaction {
      parcel.width = 2
      parcel.height = 1
    }
    XCTAssertEqual(recorder.takeEvents(), [], "2 × 1 in place of 1 × 2")
    withObservationTransaction { parcel.width = 3 }
    XCTAssertEqual(recorder.events, ["area: 2 → 3"])
  }

  func test_C11_priorOfAPath_isDeliveredAtTheEnd() {
    observe(parcel, \.area, as: "area", options: [.prior, .old])
    withObservationTransaction {
      parcel.width = 10
      parcel.height = 20
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(recorder.events, ["area: about to change from 2", "area: 2 → 200"])
  }

  func test_C11_getter_isEvaluatedOnce() {
    final class Meter {
      @Observed var a = 1
      @Observed var b = 2
      var evaluations = 0
      var sum: Int {
        evaluations += 1
        return a + b
      }
    }
    let meter = Meter()
    observe(meter, \.sum, as: "sum")
    meter.evaluations = 0
    withObservationTransaction {
      for value in 0..<10 {
        meter.a = value
        meter.b = value
      }
    }
    XCTAssertEqual(meter.evaluations, 1)
    XCTAssertEqual(recorder.events, ["sum: 3 → 18"])
  }

  func test_C11_branchThatIsSwitched_isFollowed() {
    let object = Switch()
    observe(object, \.text, as: "text")
    withObservationTransaction {
      object.on = "ON"
      object.isOn = true
      object.off = "OFF"
    }
    object.off = "hidden"
    object.on = "On"
    XCTAssertEqual(recorder.events, ["text: off → ON", "text: ON → On"])
  }

  // MARK: Links

  func test_C11_leafAndLink_areOneChange() {
    parcel.content = Parcel(width: 3, height: 4)
    observe(parcel, \.content?.width, as: "width")
    observe(parcel, \.innerArea, as: "area")
    withObservationTransaction {
      parcel.content?.width = 5
      parcel.content?.height = 5
      let other = Parcel(width: 6, height: 6)
      parcel.content = other
      other.width = 7
      other.height = 8
    }
    XCTAssertEqual(
      recorder.events, ["width: Optional(3) → Optional(7)", "area: 12 → 56"])
  }

  func test_C11_linkReplacedInside_isFollowed_andTheOldOneIsNot() {
    let old = Parcel(width: 3)
    let new = Parcel(width: 5)
    parcel.content = old
    observe(parcel, \.content!.width, as: "width")
    withObservationTransaction { parcel.content = new }
    old.width = 4
    new.width = 6
    withObservationTransaction {
      old.width = 5
      new.width = 7
      new.width = 8
    }
    XCTAssertEqual(recorder.events, ["width: 3 → 5", "width: 5 → 6", "width: 6 → 8"])
  }

  func test_C11_linkReplacedAndRestored_isOneChange_noneIfDistinct() {
    let content = Parcel(width: 3)
    parcel.content = content
    observe(parcel, \.content!.width, as: "old")
    observe(parcel, \.content!.width, as: "distinct", options: [.old, .distinct])
    withObservationTransaction {
      parcel.content = Parcel(width: 9)
      parcel.content = content
    }
    XCTAssertEqual(recorder.takeEvents(), ["old: 3 → 3"])
    withObservationTransaction {
      parcel.content = Parcel(width: 9)
      content.width = 4
      parcel.content = content
    }
    XCTAssertEqual(recorder.takeEvents(), ["old: 3 → 4", "distinct: 3 → 4"])
    content.width = 5
    XCTAssertEqual(recorder.events, ["old: 4 → 5", "distinct: 4 → 5"])
  }

  func test_C11_linkThatBecomesNil_andComesBack_isFollowed() {
    parcel.content = Parcel(width: 3)
    observe(parcel, \.content?.width, as: "width")
    withObservationTransaction {
      parcel.content?.width = 4
      parcel.content = nil
    }
    withObservationTransaction {
      parcel.content = Parcel(width: 5)
      parcel.content?.width = 6
    }
    XCTAssertEqual(
      recorder.events, ["width: Optional(3) → nil", "width: nil → Optional(6)"])
  }

  func test_C11_pathsOverSharedProperties_areNotifiedOnceEach() {
    parcel.content = Parcel(width: 3)
    let content = parcel.content!
    observe(parcel, \.innerArea, as: "inner")
    observe(content, \.area, as: "content")
    observe(parcel, \.content?.height, as: "height")
    withObservationTransaction {
      content.height = 5
      content.width = 4
    }
    XCTAssertEqual(
      recorder.events, ["inner: 6 → 20", "content: 6 → 20", "height: Optional(2) → Optional(5)"])
  }

  func test_C11_manyProperties_areOneChange() {
    final class Row {
      let cells = (0..<40).map { Parcel(width: $0) }
      var sum: Int { cells.reduce(0) { $0 + $1.width } }
    }
    let row = Row()
    observe(row, \.sum, as: "sum")
    withObservationTransaction { for cell in row.cells.reversed() { cell.width += 1 } }
    XCTAssertEqual(recorder.events, ["sum: 780 → 820"])
  }

  func test_C11_propertyOfAnArray_isDeliveredOnce() {
    let (first, second) = (Stamp("a", price: 1), Stamp("b", price: 2))
    parcel.spares = [first, second]
    observe(parcel, \.spares[0].price, as: "price")
    observe(parcel, \.stamps.count, as: "count")
    withObservationTransaction {
      first.price = 10
      parcel.spares.swapAt(0, 1)
      second.price = 20
      parcel.stamps.append(first)
      parcel.stamps.append(second)
    }
    XCTAssertEqual(recorder.events, ["price: 1 → 20", "count: 0 → 2"])
  }

  func test_C11_handlersInTheEnd_seeEverythingStored() {
    observe(parcel, \.width, as: "width") { [parcel] change in
      XCTAssertEqual(
        [change.newValue, parcel.width, parcel.height, parcel.area], [10, 10, 20, 200])
    }
    observe(parcel, \.area, as: "area") { [parcel] change in
      XCTAssertEqual([change.newValue, parcel.width, parcel.height], [200, 10, 20])
    }
    withObservationTransaction {
      parcel.width = 10
      parcel.height = 20
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 10", "area: 2 → 200"])
  }

  func test_C11_observeEach_deliversEachKeyPathOnce() {
    observations.observeEach(parcel, \.width, \.area, \.label) { recorder, _, change in
      recorder.write(change)
    }
    withObservationTransaction {
      parcel.label = "a"
      parcel.width = 10
      parcel.width = 20
    }
    XCTAssertEqual(recorder.events, ["box → a", "1 → 20", "2 → 40"])
  }

  /// A transaction changes a property of an object that is deallocated inside of it, on which a
  /// path and a derived value depend.
  func test_C11_linkDeallocatedInside_pathAndDerivedValueAreDelivered() {
    final class Wagon {
      @Observed var load = 0
      @Observed var next: Wagon?
      var nextLoad: Int { next?.load ?? 0 }
      @Derived({ (wagon: Wagon) in wagon.next?.load ?? 0 }) var derived: Int
    }
    let engine = Wagon()
    let (path, derived) = (ChangeRecorder<Int>(), ChangeRecorder<Int>())
    let observations = ObservationController(observer: self, retainsObserved: false)
    observations.observe(engine, \.nextLoad) { _, _, change in path.record(change) }
    observations.observe(engine, \.derived) { _, _, change in derived.record(change) }
    engine.next = Wagon()
    engine.next?.load = 1
    withObservationTransaction {
      engine.next?.load = 2
      engine.next = nil
    }
    let expected: [RecordedEvent<Int>] = [.changed(0, 0), .changed(0, 1), .changed(1, 0)]
    XCTAssertEqual(path.events, expected)
    XCTAssertEqual(derived.events, Array(expected[1...]), "it did not change at first")
  }
}
