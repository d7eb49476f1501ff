import ObservationController
import TestSupport
import XCTest

/// Observations of storage that is deallocated: alone, in transactions, and inside user code.
final class SubjectLifetimeTests: CountingTestCase {
  private let recorder = ChangeRecorder<Int>()

  private func makeController() -> ObservationController<ChangeRecorder<Int>> {
    ObservationController(observer: recorder, retainsObserved: false)
  }

  private final class Node {
    @Observed var value = 0
    @AtomicObserved var atomic = 0
    @Observed var next: Node?
    var total: Int { value + (next?.value ?? 0) }

    init(next: Node? = nil) { self.next = next }

    func takeStorage(of other: Node) { _value = other._value }
  }

  // MARK: Transactions

  func test_C14_objectDeallocatedInATransaction_leavesAtOnce() {
    let controller = makeController()
    withObservationTransaction {
      do {
        let node = Node(next: Node())
        for options in [[.old, .prior], []] as [ObservationOptions] {
          let context = ObservationContext()
          controller.observe(node, \.value, options: options, context: context) { _, _, _ in
            XCTFail("delivered for a deallocated object")
          }
          controller.observe(node, \.total, options: options, context: context) { _, _, _ in
            XCTFail("delivered for a deallocated object")
          }
          controller.observe(node, \.atomic, options: options, context: context) { _, _, _ in }
        }
        node.value = 1
        node.atomic = 1
        node.next?.value = 2
        node.next = nil
        XCTAssertEqual(newObservations, 6)
      }
      XCTAssertLessThanOrEqual(
        newObservations, 2, "an atomic property is retained until its delivery")
    }
    XCTAssertEqual(newObservations, 0)
  }

  // MARK: Copied storage

  func test_C14_copiedStorage_ownerDeallocatedFirst_endsOnlyItsObservations() {
    let controller = makeController()
    var original: Node? = Node()
    let copy = Node()
    controller.observe(original!, \.value, action: ChangeRecorder<Int>.record)
    controller.observe(copy, \.atomic, action: ChangeRecorder<Int>.record)
    copy.takeStorage(of: original!)
    original?.value = 1
    original = nil
    XCTAssertEqual(newObservations, 1)
    copy.value = 7
    controller.observe(copy, \.value, action: ChangeRecorder<Int>.record)
    copy.value = 8
    XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(7, 8)])
  }

  func test_C14_copiedStorage_copyDeallocatedFirst_keepsTheOwnersObservations() {
    let controller = makeController()
    let original = Node()
    var copy: Node? = Node()
    controller.observe(original, \.value, action: ChangeRecorder<Int>.record)
    copy?.takeStorage(of: original)
    copy?.value = 5
    copy = nil
    original.value = 1
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
    XCTAssertEqual(newObservations, 1)
  }

  func test_C14_copiedStorage_observedOnBoth_endsEachWithItsObject() {
    for ownerIsReleasedFirst in [true, false] {
      let controller = makeController()
      var original: Node? = Node()
      var copy: Node? = Node()
      controller.observe(copy!, \.value, context: "before") { _, _, _ in XCTFail("replaced") }
      controller.observe(original!, \.value, action: ChangeRecorder<Int>.record)
      copy!.takeStorage(of: original!)
      XCTAssertEqual(newObservations, 1)
      controller.observe(copy!, \.value, action: ChangeRecorder<Int>.record)
      controller.observe(copy!, \.total, context: "total", action: ChangeRecorder<Int>.record)
      copy!.value = 10
      original!.value = 20
      XCTAssertEqual(
        recorder.takeEvents(), [.changed(0, 10), .changed(0, 10), .changed(0, 20)])
      if ownerIsReleasedFirst { original = nil } else { copy = nil }
      original?.value = 30
      copy?.value = 40
      XCTAssertEqual(
        recorder.takeEvents(),
        ownerIsReleasedFirst ? [.changed(10, 40), .changed(10, 40)] : [.changed(20, 30)])
      (original, copy) = (nil, nil)
      XCTAssertEqual(newObservations, 0)
    }
  }

  /// The `deinit` reads while the library resolves the key path.
  func test_C14_copiedStorage_lastOneFreedByObserving_isNoDependency() {
    let controller = makeController()
    let other = Node()
    func observe(_ node: Node) {
      controller.observe(node, \.value, action: ChangeRecorder<Int>.record)
    }
    // The key path is known to be a property from here on.
    let first = Node()
    observe(first)
    var isDeallocated = false
    var original: Node? = Node()
    do {
      let sentinel = Sentinel {
        isDeallocated = true
        _ = other.value
      }
      controller.observe(original!, \.value) { _, _, _ in withExtendedLifetime(sentinel) {} }
    }
    let copy = Node()
    copy.takeStorage(of: original!)
    original = nil
    XCTAssertFalse(isDeallocated)
    observe(copy)
    XCTAssertTrue(isDeallocated)
    other.value = 1
    copy.value = 2
    XCTAssertEqual(recorder.events, [.changed(0, 2)])
    XCTAssertEqual(ObservationDispatcher.shared.observations(of: other).count, 0)
  }

  func test_C14_copiedStorage_passedOn_carriesNoObservations() {
    let controller = makeController()
    var node = Node()
    for _ in 0..<100 {
      controller.observe(node, \.value, action: ChangeRecorder<Int>.record)
      let next = Node()
      next.takeStorage(of: node)
      node = next
      node.value += 1
    }
    XCTAssertEqual(recorder.events, [])
    XCTAssertEqual(newObservations, 0)
  }

  // MARK: Temporary objects

  private final class Maker {
    @Observed var seed = 0
    var text: String { Person("\(seed)").name }
    var deep: Int {
      let node = Node(next: Node())
      node.value = seed
      node.next?.value = seed
      return node.total + node.atomic
    }
    /// Reads no property of its own.
    var constant: String { Person().name }
  }

  func test_path_thatReadsTemporaryObjects_isNotifiedOfTheOthers() {
    let controller = ObservationController(observer: recorder)
    let maker = Maker()
    let texts = LineRecorder()
    controller.observe(maker, \.text, options: [.old, .prior]) { _, _, change in
      texts.write(change)
    }
    controller.observe(maker, \.deep, action: ChangeRecorder<Int>.record)
    let constant = controller.observe(maker, \.constant) { _, _, _ in XCTFail("never changes") }
    for seed in 1...3 { maker.seed = seed }
    XCTAssertEqual(
      texts.events,
      (0..<3).flatMap { ["about to change from \($0)", "\($0) → \($0 + 1)"] })
    XCTAssertEqual(recorder.events, [.changed(0, 2), .changed(2, 4), .changed(4, 6)])
    constant.invalidate()
    XCTAssertEqual(newObservations, 2)
    controller.unobserveAll()
    XCTAssertEqual(newObservations, 0)
  }

  func test_elements_withTemporaryObjectsInTheirPath_areFollowed() {
    let controller = ObservationController(observer: recorder)
    let array = ObservableArray((0..<5).map { _ in Maker() })
    let kinds = Recorder<ArrayChange<Maker>.Kind>()
    controller.observeArray(array, elements: [\.text, \.constant, \.deep]) { _, _, change in
      kinds.append(change.kind)
    }
    array[2].seed = 1
    array.removeLast()
    array[0].seed = 1
    XCTAssertEqual(kinds.events, [.element, .element, .removal, .element, .element])
  }

  // MARK: Objects deallocated in user code

  func test_object_droppedInItsOwnHandler_livesUntilTheChangeIsDelivered() {
    let controller = makeController()
    var node: Node? = Node()
    controller.observe(node!, \.value, context: "drop") { _, _, _ in node = nil }
    controller.observe(node!, \.value, action: ChangeRecorder<Int>.record)
    controller.observe(node!, \.total, context: "total", action: ChangeRecorder<Int>.record)
    node!.value = 1
    XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(0, 1)])
    XCTAssertEqual(newObservations, 0)
  }

  func test_object_droppedInAHandlerOfAnAtomicProperty_deliversNothingMore() {
    let controller = makeController()
    var node: Node? = Node()
    controller.observe(node!, \.atomic, context: "drop") { _, _, _ in node = nil }
    controller.observe(node!, \.atomic, action: ChangeRecorder<Int>.record)
    node!.atomic = 1
    XCTAssertNil(node)
    XCTAssertEqual(newObservations, 0)
  }

  func test_object_droppedInAPriorHandler_storesAndDelivers() {
    let controller = makeController()
    var node: Node? = Node()
    controller.observe(node!, \.value, options: [.old, .prior]) { recorder, _, change in
      node = nil
      recorder.record(change)
    }
    node!.value = 1
    XCTAssertEqual(recorder.events, [.prior(0), .changed(0, 1)])
    XCTAssertEqual(newObservations, 0)
  }

  func test_object_deallocatedInTheHandlerOfAnother_endsItsObservations() {
    let controller = makeController()
    let trigger = Counter()
    var node: Node? = Node(next: Node())
    controller.observe(node!, \.value, action: ChangeRecorder<Int>.record)
    controller.observe(node!, \.next?.value, context: "next") { _, _, _ in }
    controller.observe(trigger, \.count) { _, _, _ in node = nil }
    XCTAssertEqual(newObservations, 3)
    trigger.count = 1
    XCTAssertEqual(newObservations, 1)
  }

  func test_object_deallocatedInAGetterOfAPath_isNoDependency() {
    final class Keeper {
      @Observed var flag = false
      var node: Node? = Node()
      var value: Int {
        let value = node?.value ?? -1
        if flag { node = nil }
        return value
      }
    }
    let controller = makeController()
    let keeper = Keeper()
    controller.observe(keeper, \.value, action: ChangeRecorder<Int>.record)
    controller.observe(keeper.node!, \.value, context: "node") { _, _, _ in XCTFail("deallocated") }
    keeper.flag = true
    XCTAssertEqual(recorder.takeEvents(), [.changed(0, 0)])
    XCTAssertEqual(newObservations, 1)
    keeper.flag = false
    XCTAssertEqual(recorder.takeEvents(), [.changed(0, -1)], "from the value last delivered")
  }

  func test_links_replacedAndReleasedInHandlers_areFollowed() {
    for options in [[.old], [.old, .prior]] as [ObservationOptions] {
      let controller = makeController()
      let root = Node(next: Node(next: Node()))
      let first = Weak(root.next)
      controller.observe(root, \.next?.next?.value, options: options) { _, root, change in
        guard change.newValue == 1, !change.isPrior else { return }
        root.next?.next = nil
        root.next = Node(next: Node())
      }
      let optionals = ChangeRecorder<Int?>()
      controller.observe(root, \.next?.next?.value, context: "record") { _, _, change in
        optionals.record(change)
      }
      root.next?.next?.value = 1
      XCTAssertNil(first.object)
      root.next?.next?.value = 2
      XCTAssertEqual(
        optionals.events,
        [.changed(0, 1), .changed(1, nil), .changed(.some(nil), 0), .changed(0, 2)])
      XCTAssertEqual(newObservations, 2)
    }
    XCTAssertEqual(newObservations, 0)
  }
}
