import ObservationController
import TestSupport
import XCTest

/// C4, C7, C8 and C10 together: paths whose getters and handlers change what they read.
final class PathReentrancyTests: TestCase {
  private final class Model {
    @Observed var x = 0
    @Observed var y = 0
    @Observed var next: Model?
    var reads = 0
    var onRead: (() -> Void)?

    var sum: Int { x + y }
    var link: Model? { next }

    var noticed: Model? {
      onRead?()
      return next
    }

    /// Keeps twice `x` in `y`.
    var cached: Int {
      if y != x * 2 { y = x * 2 }
      return y
    }

    var clamped: Int {
      if x > 10 { x = 10 }
      return x
    }

    /// Sets its dependency on each read.
    var counting: Int {
      y += 1
      return x + y
    }
  }

  private let model = Model()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func observe<Value>(
    _ keyPath: KeyPath<Model, Value>, _ name: String, _ options: ObservationOptions = .old
  ) {
    observations.observe(model, keyPath, options: options) { recorder, _, change in
      recorder.write("\(name): \(change)")
    }
  }

  func test_C7_getterThatSetsTheProperty_doesNotReverseTheOrder() {
    observe(\.clamped, "clamped")
    observe(\.x, "x")
    model.x = 50
    XCTAssertEqual(
      recorder.events.filter { $0.hasPrefix("x") }, ["x: 0 → 50", "x: 50 → 10"])
    XCTAssertEqual(model.x, 10)
  }

  func test_C8_getterThatSetsItsDependency_onEachRead_isACycle() {
    let issues = collectingIssues {
      observe(\.counting, "counting")
      model.x = 1
    }
    XCTAssertEqual(recorder.events.count, 1)
    guard case .cycle(let keyPath, _, _) = issues.first else {
      return XCTFail("not reported: \(issues)")
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(keyPath, \Model.counting)
  }

  func test_C7_getterThatSets_andAHandlerThatSetsItsDependency_isReadAgain() {
    var isFirst = true
    observe(\.cached, "cached")
    observations.observe(model, \.y) { _, model, _ in
      if isFirst {
        isFirst = false
        model.x = 10
      }
    }
    model.x = 9
    model.x = 11
    XCTAssertEqual(model.cached, 22)
    XCTAssertEqual(recorder.events, ["cached: 0 → 20", "cached: 20 → 22"])
  }

  func test_C1_pathRelinkedInAPriorDelivery_isNotifiedBeforeTheSetReturns() {
    final class Node {
      @Observed var a = 1
      @Observed var b = 0
      @Observed var next: Node?
      var branch: Int { a % 2 == 0 ? b : (next?.a ?? -1) }
    }
    let node = Node()
    node.next = node
    var (isFirst, isSecond) = (true, true)
    observations.observe(node, \.next?.a, options: .prior) { _, node, change in
      guard change.isPrior, isFirst else { return }
      isFirst = false
      node.a = 2
    }
    observations.observe(node, \.branch, options: [.prior, .old]) { recorder, node, change in
      if !change.isPrior { recorder.write(change) }
      guard change.isPrior, !isFirst, isSecond, node.a == 2 else { return }
      isSecond = false
      node.a = 7
    }
    node.next = nil
    XCTAssertEqual(recorder.events, ["1 → -1"])
  }

  func test_C10_pathObservedInsideAPriorDelivery_followsTheNewLink() {
    let (first, second) = (Model(), Model())
    model.next = first
    var isFirst = true
    observations.observe(model, \.next, options: .prior) { [unowned self] _, _, change in
      guard change.isPrior, isFirst else { return }
      isFirst = false
      self.observe(\.next?.x, "path")
    }
    second.x = 4
    model.next = second
    second.x = 5
    first.x = 7
    XCTAssertEqual(
      recorder.events,
      ["path: Optional(0) → Optional(4)", "path: Optional(4) → Optional(5)"])
  }

  func test_C4_priorOfAPath_insideANestedInPlaceMutation_isOneChange() {
    func hold(_ value: inout Int, _ body: () -> Void) {
      value = 1
      body()
    }
    observe(\.sum, "sum", [.prior, .old])
    hold(&model.x) { model.y = 10 }
    XCTAssertEqual(recorder.events, ["sum: about to change from 0", "sum: 0 → 11"])
  }

  func test_C4_priorOfAPath_withAWaitingChange_isDeliveredInItsTurn() {
    observations.observe(model, \.x) { recorder, model, change in
      recorder.write("x: \(change)")
      if change.newValue == 1 { model.x = 2 }
    }
    observe(\.sum, "sum", [.prior, .old])
    model.x = 1
    XCTAssertEqual(
      recorder.events.filter { $0.hasPrefix("sum") },
      [
        "sum: about to change from 0", "sum: 0 → 1",
        "sum: about to change from 1", "sum: 1 → 2",
      ])
  }

  func test_C4_priorOfAPath_isDeliveredAfterThePreviousChange() {
    observations.observe(model, \.x) { _, model, _ in model.y = 10 }
    observe(\.sum, "sum", [.prior, .old])
    model.x = 1
    XCTAssertEqual(
      recorder.events,
      [
        "sum: about to change from 0", "sum: 0 → 1",
        "sum: about to change from 1", "sum: 1 → 11",
      ])
  }

  func test_C8_afterACycle_pathsHaveNothingLeftToDeliver() {
    var isCyclic = true
    _ = collectingIssues {
      observations.observe(model, \.x) { _, model, change in
        if isCyclic { model.x = change.newValue + 1 }
      }
      observe(\.sum, "sum")
      model.x = 1
    }
    isCyclic = false
    recorder.clear()
    model.x = 1_000
    XCTAssertEqual(recorder.events, ["sum: 101 → 1000"])
  }

  func test_C10_overriddenGetter_deliversItsValue() {
    let pet: ChainedPet = ChainedLoudPet("ada")
    observations.observe(pet, \.name) { [recorder] _, _, change in
      recorder.write(change)
    }
    pet.name = "bob"
    XCTAssertEqual(recorder.events, ["ADA → BOB"])
  }

  func test_C15_pathEndedBeforeItsDelivery_keepsNoOldValue() {
    var token: ObservationToken?
    func run() -> Weak<Model> {
      let link = Model()
      model.next = link
      observations.observe(model, \.next) { _, _, _ in token?.invalidate() }
      token = observations.observe(model, \.link) { _, _, _ in }
      model.next = nil
      return Weak(link)
    }
    let link = run()
    XCTAssertNil(link.object)
    XCTAssertEqual(token?.isActive, false)
  }

  func test_C15_pathEndedByItsGetter_keepsNoValue() {
    // Has the change delivered in turns, so that the one of the path is queued.
    observations.observe(model, \.next) { _, _, _ in }
    let token = observations.observe(model, \.noticed) { _, _, _ in XCTFail("has ended") }
    func run() -> Weak<Model> {
      let link = Model()
      model.onRead = { [model] in if model.next === link { token.invalidate() } }
      model.next = link
      model.onRead = nil
      model.next = nil
      return Weak(link)
    }
    let link = run()
    XCTAssertNil(link.object)
    XCTAssertFalse(token.isActive)
  }

  func test_C15_pathEndedByTheComparison_keepsNoValue() {
    final class Value: Equatable {
      var onCompare: (() -> Void)?

      static func == (left: Value, right: Value) -> Bool {
        left.onCompare?()
        return left === right
      }
    }
    let holder = Holder(Value())
    let token = observations.observe(holder, \.copy, options: [.old, .distinct]) { _, _, _ in
      XCTFail("has ended")
    }
    func run() -> Weak<Value> {
      let first = holder.value
      first.onCompare = { token.invalidate() }
      holder.value = Value()
      return Weak(first)
    }
    let first = run()
    XCTAssertNil(first.object)
    XCTAssertFalse(token.isActive)
  }
}
