import ObservationController
import TestSupport
import XCTest

/// Changes of elements that wait while an array with the same elements is set.
final class EqualArrayTests: TestCase {
  private final class Item: CustomStringConvertible {
    @Observed var number = 1
    @Derived({ (item: Item) -> Int in item.number * 10 }) var tenfold: Int
    let description = "i"
  }

  private final class Box {
    @Observed var list: ObservableArray<Item>

    init(_ item: Item) { list = [item] }
  }

  private let item = Item()
  private lazy var box = Box(item)
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_C5_distinct_equalArrayIsSet_pendingElementChangesAreDelivered() {
    observations.observeArray(
      box, \.list, elements: [\.tenfold, \.number], options: [.initial, .distinct]
    ) { [item] recorder, box, change in
      recorder.write(change.line)
      if change.elementKeyPath == \Item.number, item.number == 2 { box.list = [item] }
    }
    item.number = 2
    XCTAssertEqual(
      recorder.takeEvents(),
      ["initial +i0: i", "element i@0: i 1 → 2", "element i@0: i 10 → 20"])
    item.number = 3
    XCTAssertEqual(recorder.takeEvents(), ["element i@0: i 2 → 3", "element i@0: i 20 → 30"])
  }

  func test_C5_distinct_instancesOfAProtocolOrInOptionals_areIdentical() {
    let objects: ObservableArray<AnyObject> = [item]
    let items: ObservableArray<Item?> = [item, nil]
    observations.observeArray(objects, options: .distinct) { $0.write("objects \($2.kind)") }
    observations.observeArray(items, options: .distinct) { $0.write("items \($2.kind)") }
    objects.setElements([item])
    items.setElements([item, nil])
    XCTAssertEqual(recorder.takeEvents(), [])
    objects.setElements([Item()])
    items.setElements([nil, item])
    XCTAssertEqual(recorder.takeEvents(), ["objects setting", "items setting"])
  }
}
