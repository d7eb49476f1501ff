import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Values of expressions, `autorun` and `when`.
final class ExpressionTests: TestCase {
  private final class Cart {
    @Observed var price = 1
    @Observed var count = 2
  }

  private final class Delivery: Sendable {
    let fee = AtomicObserved(wrappedValue: 10)
  }

  private let cart = Cart()
  private let other = Cart()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  // MARK: observe

  func test_expression_overTwoObjects_isNotifiedOfEachChangeOfItsValue() {
    let (cart, other) = (cart, other)
    let token = observations.observe {
      cart.price + other.price
    } handler: {
      XCTAssertEqual($1.keyPath, \ObservableValue<Int>.value)
      $0.write($1)
    }
    cart.price = 5
    other.price = 7
    cart.count = 9
    withObservationTransaction {
      cart.price = 6
      other.price = 6
    }
    XCTAssertEqual(recorder.events, ["2 → 6", "6 → 12"])
    token.invalidate()
    cart.price = 1
    XCTAssertEqual(recorder.events.count, 2)
  }

  func test_expression_initialAndPrior_areDelivered() {
    let cart = cart
    observations.observe(
      { cart.price }, options: [.initial, .old, .prior], handler: { $0.write($1) })
    cart.price = 2
    XCTAssertEqual(recorder.events, ["initially 1", "about to change from 1", "1 → 2"])
  }

  func test_expressions_ofOnePlace_areObservationsOfTheirOwn() {
    for object in [cart, other] {
      observations.observe {
        object.price
      } handler: {
        $0.write($1)
      }
    }
    (cart.price, other.price) = (2, 3)
    XCTAssertEqual(recorder.events, ["1 → 2", "1 → 3"])
    XCTAssertEqual(observations.observations.count, 2)
  }

  func test_C24_expression_thatReadsNothingObservable_isReported() {
    let issues = collectingIssues {
      let token = observations.observe({ 1 }, handler: { (_, _: ObservedChange<Int>) in })
      XCTAssertFalse(token.isActive)
    }
    guard issues.count == 1, case .nothingObservable(_, let file, _) = issues[0] else {
      return XCTFail("\(issues)")
    }
    XCTAssertTrue(file.hasSuffix("ExpressionTests.swift"))
  }

  func test_C16_expression_isReleasedWithWhatItCaptures_whenItEnds() {
    for retains in [true, false] {
      let controller = ObservationController(observer: recorder, retainsObserved: retains)
      var captured: Cart? = Cart()
      weak let cart = captured
      let token = controller.observe { [captured] in
        captured!.price
      } handler: {
        $0.write($1)
      }
      captured = nil
      cart?.price = 2
      XCTAssertEqual(recorder.takeEvents(), ["1 → 2"], "retained, whether the controller retains")
      token.invalidate()
      XCTAssertNil(cart)
    }
  }

  func test_expression_onAQueue_isDeliveredThere() {
    let (cart, queue) = (cart, DispatchQueue(label: "expression"))
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    observations.observe(
      { cart.price * 2 }, on: queue, coalescing: .latest, handler: { $0.record($1) })
    queue.whileSuspended {
      cart.price = 2
      cart.price = 3
    }
    queue.drain()
    XCTAssertEqual(recorder.events, [.changed(2, 6)])
  }

  @MainActor
  func test_expression_onTheMainActor_isDeliveredThere() async {
    let delivery = Delivery()
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    let isDone = expectation(description: "delivered")
    observations.observeOnMainActor(
      { delivery.fee.wrappedValue * 2 }, coalescing: .latest,
      handler: { recorder, change in
        MainActor.assertIsolated()
        recorder.write(change)
        isDone.fulfill()
      })
    onAnotherThread { delivery.fee.withLock { $0 += 1 } }
    await fulfillment(of: [isDone], timeout: 60)
    XCTAssertEqual(recorder.events, ["20 → 22"])
    observations.unobserveAll()
  }

  @MainActor
  func test_C23_autorun_onTheMainActor_runsThere() {
    let (cart, recorder) = (Cart(), LineRecorder())
    let observations = ObservationController(observer: recorder)
    observations.autorun { recorder in
      MainActor.assertIsolated()
      recorder.write("\(cart.price)")
    }
    cart.price = 2
    XCTAssertEqual(recorder.events, ["1", "2"])
  }

  func test_C21_expression_overAtomics_isAContiguousChain() {
    let (first, second) = (Delivery(), Delivery())
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    observations.observe {
      first.fee.wrappedValue + second.fee.wrappedValue
    } handler: {
      $0.record($1)
    }
    onThreads(2) { thread in
      for _ in 0..<200 { (thread == 0 ? first : second).fee.withLock { $0 += 1 } }
    }
    var last = 20
    for case .changed(let old, let new) in recorder.events {
      XCTAssertEqual(old, last)
      last = new
    }
    XCTAssertEqual(last, 420)
  }

  // MARK: ObservableValue

  func test_observableValue_isObservedBoundAndDerivedFrom() {
    let cart = cart
    var computations = 0
    let total = ObservableValue {
      computations += 1
      return cart.price * cart.count
    }
    XCTAssertEqual(computations, 0)
    let double = ObservableValue { total.value * 2 }
    observations.observe(double, \.value) { $0.write($2) }
    observations.bind(total, \.value, to: other, \.price)
    cart.price = 3
    XCTAssertEqual([total.value, double.value, other.price], [6, 12, 6])
    XCTAssertEqual(recorder.events, ["4 → 12"])
    XCTAssertEqual(computations, 2)
    XCTAssertEqual("\(double)", "12")
  }

  // MARK: autorun

  func test_autorun_runsAtOnce_andAfterEachChangeOfWhatItReads() {
    let (cart, other) = (cart, other)
    let token = observations.autorun { recorder in
      recorder.write(cart.price > 1 ? "\(cart.price) \(other.price)" : "\(cart.price)")
    }
    other.price = 2
    cart.price = 2
    other.price = 3
    withObservationTransaction { (cart.price, other.price) = (4, 5) }
    XCTAssertEqual(recorder.events, ["1", "2 2", "2 3", "4 5"])
    token.invalidate()
    cart.price = 7
    XCTAssertEqual(recorder.events.count, 4)
  }

  func test_C1_autorun_hasItsPlaceInTheOrderOfRegistration() {
    let cart = cart
    observations.observe(cart, \.price) { recorder, _, _ in recorder.write("first") }
    observations.autorun { recorder in recorder.write("autorun \(cart.price)") }
    observations.observe(cart, \.price, context: "last") { recorder, _, _ in
      recorder.write("last")
    }
    recorder.clear()
    cart.price = 2
    XCTAssertEqual(recorder.events, ["first", "autorun 2", "last"])
  }

  func test_C1_autorun_overAtomicProperties_hasItsPlaceInTheOrder() {
    let stock = Stock()
    observations.observe(stock, \.count) { $0.write("first \($2.newValue)") }
    observations.autorun { recorder in recorder.write("autorun \(stock.count) \(stock.reserved)") }
    observations.observe(stock, \.count, context: "last") { $0.write("last \($2.newValue)") }
    XCTAssertEqual(recorder.takeEvents(), ["autorun 0 0"])
    stock.count = 1
    XCTAssertEqual(recorder.takeEvents(), ["first 1", "autorun 1 0", "last 1"])
    stock.$count.withLock { $0 += 1 }
    XCTAssertEqual(recorder.takeEvents(), ["first 2", "autorun 2 0", "last 2"])
    stock.reserved = 1
    XCTAssertEqual(recorder.takeEvents(), ["autorun 2 1"])
    withObservationTransaction {
      stock.count = 3
      stock.reserved = 2
    }
    XCTAssertEqual(recorder.takeEvents(), ["first 3", "autorun 3 2", "last 3"])
  }

  func test_C8_autorun_overAnAtomicProperty_thatSetsIt_settlesOrIsACycle() {
    let stock = Stock()
    observations.autorun { recorder in
      recorder.write("\(stock.count)")
      if stock.count % 3 != 0 { stock.count += 1 }
    }
    stock.count = 1
    XCTAssertEqual(recorder.takeEvents().last, "3")
    observations.unobserveAll()
    let issues = collectingIssues {
      observations.autorun { _ in stock.count += 1 }
    }
    XCTAssertEqual(issues.count, 1)
    let count = stock.count
    _ = collectingIssues { stock.count = 0 }
    XCTAssertNotEqual(stock.count, count, "runs again after the next change")
  }

  func test_autorun_overAtomicAndPlainProperties_followsBoth() {
    let (stock, cart) = (Stock(), Cart())
    observations.autorun { recorder in recorder.write("\(stock.count) \(cart.price)") }
    cart.price = 5
    stock.count = 1
    XCTAssertEqual(recorder.takeEvents(), ["0 1", "0 5", "1 5"])
  }

  func test_C8_autorun_overAnAtomicProperty_inACycleOfHandlers_runsAgain() {
    let (stock, cart) = (Stock(), Cart())
    observations.observe(cart, \.price) { _, _, _ in stock.count += 1 }
    observations.autorun { _ in cart.price = stock.count }
    let issues = collectingIssues { stock.count += 1 }
    XCTAssertFalse(issues.isEmpty)
    observations.unobserve(cart)
    stock.count = 7
    XCTAssertEqual(cart.price, 7, "runs again after the next change")
  }

  func test_autorun_thatSetsWhatItReads_settles() {
    let cart = cart
    observations.autorun { recorder in
      recorder.write("\(cart.price)")
      if cart.price < 3 { cart.price += 1 }
    }
    XCTAssertEqual(recorder.takeEvents().last, "3")
    cart.price = 0
    XCTAssertEqual(recorder.events.last, "3")
    XCTAssertEqual(cart.price, 3)
  }

  func test_C8_autorun_thatSetsWhatItReadsForEver_isACycle() {
    let cart = cart
    let issues = collectingIssues {
      observations.autorun { _ in cart.price = cart.price + 1 }
    }
    XCTAssertEqual(issues.count, 1)
    guard case .cycle(_, let file, _)? = issues.first else { return XCTFail("\(issues)") }
    XCTAssertTrue(file.hasSuffix("ExpressionTests.swift"))
  }

  func test_autorun_untrackedReads_areNoDependencies() {
    let (cart, other) = (cart, other)
    observations.autorun { recorder in
      recorder.write("\(cart.price) \(withUntrackedReads { other.price })")
    }
    other.price = 2
    cart.price = 2
    XCTAssertEqual(recorder.events, ["1 1", "2 2"])
  }

  func test_C12_autorun_doesNotRetainTheObserver_norRunForIt() {
    let cart = cart
    var observer: LineRecorder? = LineRecorder()
    weak let released = observer
    var runs = 0
    let controller = ObservationController(observer: observer!)
    controller.autorun { _ in
      runs += 1
      _ = cart.price
    }
    observer = nil
    XCTAssertNil(released)
    cart.price = 2
    XCTAssertEqual(runs, 1)
  }

  // MARK: when

  func test_when_thatHolds_performsAtOnce_andEnds() {
    let cart = cart
    let token = observations.when({ cart.price == 1 }, perform: { $0.write("done") })
    XCTAssertFalse(token.isActive)
    XCTAssertEqual(recorder.events, ["done"])
  }

  func test_when_performsOnce_asSoonAsItHolds() {
    let cart = cart
    let token = observations.when(
      { cart.price > 2 }, perform: { $0.write("done \(cart.price)") })
    cart.price = 2
    XCTAssertTrue(token.isActive)
    cart.price = 3
    cart.price = 1
    cart.price = 4
    XCTAssertEqual(recorder.events, ["done 3"])
    XCTAssertFalse(token.isActive)
  }

  func test_when_waitsForACondition_onAnotherThread() async throws {
    let delivery = Delivery()
    let observations = ObservationController(observer: SilentObserver.shared)
    Thread.detachNewThread { for _ in 0..<10 { delivery.fee.withLock { $0 += 1 } } }
    try await observations.when { delivery.fee.wrappedValue == 20 }
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_when_cancelledTask_throws() async {
    let delivery = Delivery()
    let task = Task {
      let observations = ObservationController(observer: SilentObserver.shared)
      try await observations.when { delivery.fee.wrappedValue < 0 }
    }
    task.cancel()
    await assertIsCancelled { try await task.value }
  }

  func test_when_whoseObservationEnds_throws() async {
    let delivery = Delivery()
    let observations = ObservationController(observer: SilentObserver.shared)
    let hasBegun = delivery.fee
    let task = Task {
      try await observations.when {
        hasBegun.wrappedValue < 0
      }
    }
    while ObservationDispatcher.shared.observations(ofFile: "ExpressionTests").isEmpty {
      await Task.yield()
    }
    observations.unobserveAll()
    await assertIsCancelled { try await task.value }
  }

  private func assertIsCancelled(_ body: () async throws -> Void) async {
    do {
      try await body()
      XCTFail("nothing was thrown")
    } catch {
      XCTAssertTrue(error is CancellationError, "\(error)")
    }
  }
}

extension SilentObserver {
  fileprivate static let shared = SilentObserver()
}

extension ObservationDispatcher {
  fileprivate func observations(ofFile name: String) -> [ObservationDescription] {
    observations.filter { $0.file.contains(name) }
  }
}

private final class Stock {
  @AtomicObserved var count = 0
  @AtomicObserved var reserved = 0
}
