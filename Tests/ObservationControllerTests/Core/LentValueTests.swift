import ObservationController
import TestSupport
import XCTest

/// Changes are lent to handlers; references that a handler keeps are counted as usual, for every
/// type.
final class LentValueTests: TestCase {
  /// Counts its instances.
  final class Item: Equatable, @unchecked Sendable {
    static let alive = LifetimeCounter()
    private let ticket = Item.alive.makeTicket()
    let name: String
    init(_ name: String = "item") { self.name = name }
    static func == (left: Item, right: Item) -> Bool { left.name == right.name }
  }

  /// Not bitwise takable.
  struct Reference {
    weak var target: Item?
    var item = Item()
  }

  struct Large {
    var items = (Item(), Item(), Item())
    var numbers = (0, 1, 2, 3, 4, 5, 6, 7)
    var text = String(repeating: "long enough for a buffer ", count: 2) + "\(Item.alive.count)"
    var list = [Item(), Item()]
  }

  enum Shape {
    case empty
    case one(Item)
    case two(Item, String)
    indirect case nested(Shape, Item)
  }

  struct Wrapper<Value> {
    var pair: (value: Value, item: Item)
    init(_ value: Value) { pair = (value, Item()) }
  }

  private final class AtomicHolder<Value: Sendable> {
    @AtomicObserved var value: Value
    init(_ value: Value) { self.value = value }
  }

  private let observer = SilentObserver()

  /// Changes a property with all kinds of observations, some of which keep their changes.
  private func exercise<Value>(
    _ make: () -> Value, file: StaticString = #filePath, line: UInt = #line
  ) {
    let before = Item.alive.count
    var kept: [ObservedChange<Value>] = []
    scoped {
      let controller = ObservationController(observer: observer)
      let holder = Holder(make())
      let inside = Item.alive.count
      for index in 0..<3 {
        let context = ObservationContext("\(index)")
        let options: ObservationOptions = index == 0 ? [] : index == 1 ? .old : [.old, .prior]
        controller.observe(holder, \.value, options: options, context: context) { _, _, change in
          _ = change
        }
        controller.observe(holder, \.copy, options: options, context: context) { _, _, change in
          _ = change.oldValue
        }
      }
      for _ in 0..<5 {
        holder.value = make()
        withObservationTransaction { holder.value = make() }
      }
      XCTAssertEqual(Item.alive.count, inside, "handlers keep nothing", file: file, line: line)
      let token = controller.observe(holder, \.value, options: [.initial, .old], context: "keep") {
        _, _, change in kept.append(change)
      }
      holder.value = make()
      token.invalidate()
      holder.value = make()
    }
    // Observation, object and controller have been deallocated.
    XCTAssertEqual(kept.map(\.isInitial), [true, false], file: file, line: line)
    XCTAssertGreaterThan(Item.alive.count, before, file: file, line: line)
    for change in kept {
      XCTAssertFalse("\(change.newValue) \(change)".isEmpty, file: file, line: line)
      XCTAssertEqual(change.context, "keep", file: file, line: line)
    }
    kept = []
    XCTAssertEqual(Item.alive.count, before, file: file, line: line)
  }

  func test_change_ofAnObject_isBalanced() {
    exercise { Item() }
  }

  func test_change_ofAStructWithAWeakReference_isBalanced() {
    let target = Item()
    exercise { Reference(target: target) }
    exercise { [Reference(target: target), Reference(target: nil)] }
    exercise { Optional(Reference(target: target)) }
    exercise { Wrapper(Reference(target: target)) }
    withExtendedLifetime(target) {}
  }

  func test_change_ofAStructWithAWeakReference_readsIt() {
    let controller = ObservationController(observer: observer)
    let target = Item("target")
    let holder = Holder(Reference(target: nil))
    let names = Recorder<String?>()
    var kept: ObservedChange<Reference>?
    controller.observe(holder, \.value) { _, _, change in
      names.append(change.newValue.target?.name)
      kept = change
    }
    holder.value = Reference(target: target)
    scoped {
      let item = Item("other")
      holder.value = Reference(target: item)
    }
    holder.value.target = target
    XCTAssertEqual(names.events, ["target", "other", "target"])
    XCTAssertEqual(kept?.newValue.target?.name, "target")
  }

  func test_change_ofExistentials_isBalanced() {
    exercise { Item() as Any }
    exercise { Large() as Any }
    exercise { Item() as AnyObject }
    exercise { Item() as any Equatable }
    exercise { [Item() as any Equatable] }
    exercise { Reference(target: nil) as Any }
  }

  func test_change_ofLargeStructs_isBalanced() {
    exercise { Large() }
    exercise { Wrapper(Large()) }
  }

  func test_change_ofEnums_isBalanced() {
    exercise { Shape.one(Item()) }
    exercise { Shape.two(Item(), "a string that does not fit into sixteen bytes") }
    exercise { Shape.nested(.one(Item()), Item()) }
    exercise { Result<Item, Error>.success(Item()) }
  }

  func test_change_ofTuplesInStructs_isBalanced() {
    exercise { Wrapper((Item(), 1, "a string that does not fit into sixteen bytes")) }
    exercise { Wrapper(Wrapper(Item())) }
  }

  func test_change_ofOptionals_isBalanced() {
    var turn = 0
    exercise { Item?.some(Item()) }
    exercise { () -> Item?? in
      turn += 1
      return turn.isMultiple(of: 3) ? .some(nil) : .some(.some(Item()))
    }
    exercise { Wrapper(Item??.some(nil)) }
  }

  func test_change_ofClosures_isBalanced() {
    exercise { () -> (() -> Item) in
      let item = Item()
      return { item }
    }
  }

  func test_change_inGenericCode_isBalanced() {
    func wrapped<Value>(_ make: () -> Value) { exercise { Wrapper(make()) } }
    func listed<Value>(_ make: () -> Value) { exercise { [make()] } }
    func optional<Value>(_ make: () -> Value) { exercise { Optional(make()) } }
    wrapped { Item() }
    wrapped { Reference(target: nil) }
    listed { Large() }
    optional { Shape.one(Item()) }
    optional { Item() as Any }
  }

  func test_change_ofAtomicProperties_isBalanced() {
    let before = Item.alive.count
    scoped {
      let controller = ObservationController(observer: observer)
      let holder = AtomicHolder<Item?>(Item())
      var kept: [ObservedChange<Item?>] = []
      controller.observe(holder, \.value, options: [.old, .initial, .prior]) { _, _, change in
        kept.append(change)
      }
      controller.observe(holder, \.value?.name) { _, _, _ in }
      for _ in 0..<5 { holder.value = Item() }
      holder.value = nil
      XCTAssertEqual(Item.alive.count, before + 6)
      kept = []
      XCTAssertEqual(Item.alive.count, before)
    }
    XCTAssertEqual(Item.alive.count, before)
  }

  func test_change_keptFromADistinctObservation_isBalanced() {
    let before = Item.alive.count
    var kept: ObservedChange<Item>?
    scoped {
      let controller = ObservationController(observer: observer)
      let holder = Holder(Item("a"))
      controller.observe(holder, \.value, options: [.distinct, .old]) { _, _, change in
        kept = change
      }
      holder.value = Item("a")
      XCTAssertNil(kept)
      holder.value = Item("b")
    }
    XCTAssertEqual(kept?.oldValue?.name, "a")
    XCTAssertEqual(kept?.newValue.name, "b")
    XCTAssertEqual(Item.alive.count, before + 2)
    kept = nil
    XCTAssertEqual(Item.alive.count, before)
  }

  func test_change_keptByAHandlerThatReplacesTheValue_isBalanced() {
    let before = Item.alive.count
    scoped {
      let controller = ObservationController(observer: observer)
      let holder = Holder(Item("0"))
      let names = LineRecorder()
      controller.observe(holder, \.value) { _, holder, change in
        if names.events.count < 3 { holder.value = Item("\(names.events.count + 2)") }
        names.write(change.oldValue!.name + change.newValue.name)
      }
      holder.value = Item("1")
      XCTAssertEqual(names.events, ["01", "12", "23", "34"])
    }
    XCTAssertEqual(Item.alive.count, before)
  }
}
