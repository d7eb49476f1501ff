import ObservationController
import TestSupport
import XCTest

/// One change delivered to several infos of one property: they share one load of the observer, and
/// an observer that a handler drops is deallocated before the next delivery.
final class ConsecutiveDeliveryTests: TestCase {
  /// An observer that records its `deinit`, and may end an observation then.
  private final class Leaver {
    let name: String
    let recorder: LineRecorder
    var onDeinit: () -> Void = {}

    init(_ name: String, _ recorder: LineRecorder) {
      (self.name, self.recorder) = (name, recorder)
    }

    deinit {
      recorder.write("\(name) deinit")
      onDeinit()
    }
  }

  private let account = Account()
  private let recorder = LineRecorder()
  private let observer = SilentObserver()
  private lazy var others = ObservationController(observer: observer)

  func test_observerDroppedByAHandler_isDeallocatedBeforeTheNextDelivery() {
    for dropper in 0..<4 {
      recorder.clear()
      var leaver: Leaver? = Leaver("leaver", recorder)
      let observations = ObservationController(observer: leaver!)
      for number in 0..<4 {
        observations.observe(account, \.balance, context: ObservationContext("\(number)")) {
          leaver, _, _ in
          leaver.recorder.write(number)
          if number == dropper { drop() }
        }
      }
      func drop() { leaver = nil }
      let token = others.observe(account, \.balance) { [recorder] _, _, _ in
        recorder.write("other")
      }
      account.balance += 1
      XCTAssertEqual(
        recorder.events, (0...dropper).map { "\($0)" } + ["leaver deinit", "other"], "\(dropper)")
      token.invalidate()
      observations.unobserveAll()
    }
  }

  func test_C12_observerDroppedByAHandler_isNotCalledByItsNextController() {
    var leaver: Leaver? = Leaver("leaver", recorder)
    let controllers = (0..<3).map { _ in ObservationController(observer: leaver!) }
    for (number, controller) in controllers.enumerated() {
      controller.observe(account, \.balance) { leaver, _, _ in
        leaver.recorder.write(number)
        drop()
      }
    }
    func drop() { leaver = nil }
    account.balance += 1
    XCTAssertEqual(recorder.events, ["0", "leaver deinit"])
  }

  private final class Shelf {
    @Observed var list: ObservableArray<Leaver> = []
  }

  func test_C12_observerHeldOnlyByAChange_isNotNotifiedOfTheNext() {
    let shelf = Shelf()
    var leaver: Leaver? = Leaver("leaver", recorder)
    let observations = ObservationController(observer: leaver!)
    observations.observeArray(shelf, \.list) { leaver, shelf, change in
      leaver.recorder.write(change.kind)
      switch change.kind {
      case .setting: shelf.list.removeAll()
      case .removal: dropAndAppend()
      default: break
      }
    }
    func dropAndAppend() {
      leaver = nil
      shelf.list.append(Leaver("other", LineRecorder()))
    }
    shelf.list = [leaver!]
    XCTAssertEqual(recorder.events, ["setting", "removal", "leaver deinit"])
  }

  private final class SelfObserver {
    @Observed var list: ObservableArray<Counter> = []
    let recorder: LineRecorder

    init(_ recorder: LineRecorder) { self.recorder = recorder }

    deinit { recorder.write("deinit") }
  }

  func test_C12_observerOfItsOwnArray_droppedByItsHandler_isNotNotifiedAgain() {
    let counter = Counter()
    var observer: SelfObserver? = SelfObserver(recorder)
    let observations = ObservationController(observer: observer!, retainsObserved: false)
    observations.observeArray(observer!, \.list, elements: [\.count]) { [recorder] _, _, change in
      recorder.write("\(change.kind)")
      observer = nil
      counter.count += 1
    }
    withObservationTransaction { observer?.list.append(counter) }
    XCTAssertEqual(recorder.events, ["batch", "deinit"])
  }

  func test_C14_objectDroppedInADeliveryOfAnElement_isNotKeptForTheNextChange() {
    let counter = Counter()
    let array: ObservableArray<Counter> = [counter]
    var object: SelfObserver? = SelfObserver(recorder)
    object?.list = array
    let observations = ObservationController(observer: self, retainsObserved: false)
    observations.observeArray(object!, \.list, elements: [\.count]) { [recorder] _, _, change in
      recorder.write("\(change.kind)")
      object = nil
      array.append(counter)
    }
    counter.count += 1
    XCTAssertEqual(recorder.events, ["element", "deinit"])
  }

  func test_observationEndedByTheDeinitOfADroppedObserver_isNotDelivered() {
    var leaver: Leaver? = Leaver("leaver", recorder)
    let observations = ObservationController(observer: leaver!)
    observations.observe(account, \.balance) { [recorder] _, _, _ in
      recorder.write("delivered")
      leaver = nil
    }
    // An observation of another controller comes next, then a distinct one.
    let next = others.observe(account, \.balance) { [recorder] _, _, _ in
      recorder.write("next")
    }
    let distinct = others.observe(account, \.balance, options: [.distinct], context: "2") {
      [recorder] _, _, _ in
      recorder.write("distinct")
    }
    others.observe(account, \.available) { [recorder] _, _, _ in recorder.write("path") }
    leaver?.onDeinit = {
      next.invalidate()
      distinct.invalidate()
    }
    account.balance = 1
    XCTAssertEqual(recorder.events, ["delivered", "leaver deinit", "path"])
  }

  func test_observerDroppedBeforeADistinctObservation_isDeallocatedFirst() {
    for takesMore: ObservationOptions in [[.distinct], [.old, .distinct]] {
      recorder.clear()
      var leaver: Leaver? = Leaver("leaver", recorder)
      let observations = ObservationController(observer: leaver!)
      observations.observe(account, \.balance) { [recorder] _, _, _ in
        recorder.write("delivered")
        leaver = nil
      }
      observations.observe(account, \.balance, options: takesMore, context: "2") {
        [recorder] _, _, _ in
        recorder.write("distinct")
      }
      observations.observe(account, \.available) { [recorder] _, _, _ in
        recorder.write("path")
      }
      account.balance += 1
      XCTAssertEqual(recorder.events, ["delivered", "leaver deinit"])
    }
  }

  func test_severalControllers_areNotifiedInOrder_andReleaseTheirObserver() {
    weak var first: Leaver?
    do {
      let leavers = (0..<3).map { Leaver("\($0)", recorder) }
      first = leavers[0]
      let controllers = leavers.map { ObservationController(observer: $0) }
      for round in 0..<2 {
        for controller in controllers {
          for number in 0..<2 {
            controller.observe(
              account, \.balance, context: ObservationContext("\(round).\(number)")
            ) {
              leaver, _, change in
              leaver.recorder.write("\(leaver.name) \(round).\(number)")
            }
          }
        }
      }
      account.balance = 1
      XCTAssertEqual(
        recorder.events,
        (0..<2).flatMap { round in
          leavers.flatMap { ["\($0.name) \(round).0", "\($0.name) \(round).1"] }
        })
      recorder.clear()
      withExtendedLifetime((leavers, controllers)) {}
    }
    XCTAssertNil(first)
    account.balance = 2
    XCTAssertEqual(recorder.events.sorted(), ["0 deinit", "1 deinit", "2 deinit"])
  }
}
