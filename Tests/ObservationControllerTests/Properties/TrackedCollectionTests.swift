import Observation
import ObservationController
import TestSupport
import XCTest

/// Collections in tracked properties: each edit is a change of the property, for Observation.
final class TrackedCollectionTests: TestCase {
  private let shop = TrackedShop()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private let edits: [(String, (ObservableArray<TrackedAuthor>) -> Void)] = [
    ("append", { $0.append(TrackedAuthor("new")) }),
    ("removal", { $0.removeLast() }),
    ("replacement", { $0[0] = TrackedAuthor("other") }),
    ("in place", { $0[0] = $0[0] }),
    ("move", { $0.swapAt(0, 1) }),
    ("setting", { $0.setElements([TrackedAuthor("only")]) }),
    (
      "batch",
      { array in
        array.performBatchUpdates {
          array.append(TrackedAuthor("first"))
          array.removeFirst()
        }
      }
    ),
    (
      "transaction",
      { array in
        withObservationTransaction {
          array.append(TrackedAuthor("first"))
          array.removeFirst()
        }
      }
    ),
  ]

  private func fill() {
    shop.goods = ObservableArray(["a", "b", "c"].map { TrackedAuthor($0) })
  }

  func test_array_eachEdit_isNotifiedOnce_beforeTheStore() {
    for (name, edit) in edits {
      fill()
      let (before, shop) = (shop.goods.elements.map(\.name), UncheckedReference(shop))
      withObservationTracking {
        _ = shop.object.goods.count
      } onChange: { [recorder] in
        recorder.write("\(name) \(shop.object.goods.elements.map(\.name) == before)")
      }
      edit(shop.object.goods)
      shop.object.goods.append(TrackedAuthor("later"))
      XCTAssertEqual(recorder.takeEvents(), ["\(name) true"])
    }
  }

  func test_array_thatIsOnlyRead_isNotifiedOfAnEdit() {
    fill()
    recorder.track("goods") { shop.goods }
    shop.goods.append(TrackedAuthor("d"))
    recorder.track("again") { shop.goods }
    shop.goods.append(TrackedAuthor("e"))
    XCTAssertEqual(recorder.events, ["goods", "again"])
  }

  func test_array_thatIsReplaced_isNotifiedOnce_andNotOfTheOldOne() {
    fill()
    let old = shop.goods
    recorder.track("goods") { shop.goods }
    shop.goods = []
    old.append(TrackedAuthor("d"))
    XCTAssertEqual(recorder.takeEvents(), ["goods"])
    recorder.track("goods") { shop.goods }
    old.append(TrackedAuthor("e"))
    XCTAssertEqual(recorder.takeEvents(), [])
    shop.goods.append(TrackedAuthor("f"))
    XCTAssertEqual(recorder.takeEvents(), ["goods"])
  }

  func test_array_observedAndTracked_isNotifiedInThisOrder() {
    fill()
    observations.observeArray(shop, \.goods) { recorder, _, change in
      recorder.write("\(change.kind)")
    }
    recorder.track("tracked") { shop.goods.first?.name }
    shop.goods.removeFirst()
    XCTAssertEqual(recorder.events, ["tracked", "removal"])
  }

  func test_optionalView_andViewOfAView_areNotifiedOnce_alsoInATransaction() {
    fill()
    let named = shop.goods.filtered(on: [\.count]) { $0.count == 0 }
    for view in [named, named.sorted(on: [\.name]) { $0.name < $1.name }] {
      shop.shown = view
      for isTransaction in [false, true] {
        for change in 0..<2 {
          recorder.track("shown") { shop.shown?.count }
          func edit() {
            if change == 0 {
              shop.goods.insert(TrackedAuthor("z"), at: 0)
            } else {
              shop.goods.elements.first { $0.count == 0 }!.count = 1
            }
          }
          if isTransaction { withObservationTransaction(edit) } else { edit() }
          XCTAssertEqual(recorder.takeEvents(), ["shown"])
          XCTAssertEqual(shop.shown?.count, shop.goods.count { $0.count == 0 })
        }
      }
    }
  }

  func test_view_thatAnEditLeavesAsItIs_isNotNotified() {
    fill()
    shop.shown = shop.goods.filtered(on: [\.count]) { $0.count == 0 }
    let other = TrackedAuthor("other")
    other.count = 1
    recorder.track("shown") { shop.shown?.count }
    shop.goods.append(other)
    XCTAssertEqual(recorder.events, [])
  }

  func test_array_nothingTracks_addsNoObservation_andIsDeallocated() {
    assertLeavesNoObservations {
      weak var array: ObservableArray<TrackedAuthor>?
      do {
        let shop = TrackedShop()
        array = shop.goods
        recorder.track("goods") { shop.goods }
        shop.goods.append(TrackedAuthor("a"))
      }
      XCTAssertNil(array)
    }
    XCTAssertEqual(recorder.events, ["goods"])
  }
}
