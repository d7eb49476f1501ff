import Observation
import ObservationController
import TestSupport
import XCTest

/// Derived values that Observation tracks: clean or not, notified once, before the store.
final class TrackedDerivedTests: TestCase {
  private let shop = TrackedShop()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_derived_readForTheFirstTime_isNotifiedOnce() {
    recorder.track("total") { shop.total }
    shop.price = 2
    shop.price = 3
    shop.count = 4
    XCTAssertEqual(recorder.events, ["total"])
    XCTAssertEqual(shop.total, 12)
  }

  func test_derived_readClean_isNotifiedOnce() {
    for _ in 1...3 {
      XCTAssertEqual(shop.total, shop.price * shop.count)
      recorder.track("total") { shop.total }
      shop.price += 1
      shop.price += 1
    }
    XCTAssertEqual(recorder.events, ["total", "total", "total"])
  }

  func test_derived_ofADerivedValue_isNotifiedOnce() {
    _ = shop.label
    recorder.track("label") { shop.label }
    recorder.track("total") { shop.total }
    shop.count = 3
    shop.count = 4
    XCTAssertEqual(recorder.events.sorted(), ["label", "total"])
  }

  func test_derived_isNotifiedBeforeTheStore_andObserversAfterIt() {
    observations.observe(shop, \.total) { $0.write($2) }
    observations.observe(shop, \.price, options: .prior) { recorder, _, change in
      recorder.write(change.isPrior ? "prior" : "price")
    }
    let shop = UncheckedReference(shop)
    for property in ["plain", "tracked"] {
      withObservationTracking {
        _ = shop.object.total
      } onChange: { [recorder] in
        recorder.write("tracked at \(shop.object.total)")
      }
      if property == "plain" { shop.object.price = 2 } else { shop.object.count = 2 }
      XCTAssertEqual(
        recorder.takeEvents(),
        property == "plain"
          ? ["tracked at 1", "prior", "1 → 2", "price"] : ["tracked at 2", "2 → 4"])
    }
  }

  func test_derived_inATransaction_isNotifiedAtTheStore_once() {
    observations.observe(shop, \.total) { $0.write($2) }
    recorder.track("total") { shop.total }
    withObservationTransaction {
      shop.price = 2
      recorder.write("stored")
      shop.count = 3
      shop.price = 4
    }
    XCTAssertEqual(recorder.events, ["total", "stored", "1 → 12"])
  }

  func test_derived_readAgainInATransaction_isNotifiedAgain() {
    recorder.track("first") { shop.total }
    withObservationTransaction {
      shop.price = 2
      recorder.track("second at \(shop.total)") { shop.total }
      shop.price = 3
    }
    XCTAssertEqual(recorder.events, ["first", "second at 2"])
  }

  func test_derived_thatEqualAssignmentsLeaveClean_isNotNotified() {
    _ = shop.total
    recorder.track("total") { shop.total }
    shop.price = 1
    XCTAssertEqual(recorder.events, [])
    shop.price = 2
    XCTAssertEqual(recorder.events, ["total"])
  }

  func test_derived_ofWhatIsNotRead_isNotNotified() {
    recorder.track("total") { shop.total }
    shop.goods.append(TrackedAuthor("Ada"))
    TrackedShop().price = 2
    XCTAssertEqual(recorder.events, [])
  }

  func test_derived_isNotComputedForTracking_unlessItIsRead() {
    _ = shop.isExpensive
    recorder.track("expensive") { shop.isExpensive }
    for price in 2...20 { shop.price = price }
    XCTAssertEqual(recorder.events, ["expensive"])
    XCTAssertEqual(shop.computations, 1)
    XCTAssertTrue(shop.isExpensive)
    XCTAssertEqual(shop.computations, 2)
  }

  func test_derived_changedWhileTheClosureIsTracked_isNotifiedOfTheNextChange() {
    _ = shop.total
    recorder.track("total") {
      _ = shop.label
      shop.price = 2
    }
    XCTAssertEqual(recorder.events, [])
    shop.price = 3
    shop.price = 4
    XCTAssertEqual(recorder.events, ["total"])
  }

  func test_derived_trackedAgainInOnChange_isNotifiedOfTheNextChange() {
    let (shop, recorder) = (UncheckedReference(shop), recorder)
    @Sendable func track(_ times: Int) {
      withObservationTracking {
        recorder.write("read \(shop.object.total)")
      } onChange: {
        if times > 0 { track(times - 1) }
      }
    }
    track(3)
    for price in [2, 3, 4, 5, 6] { shop.object.price = price }
    XCTAssertEqual(recorder.events, ["read 1", "read 1", "read 2", "read 3"])
  }

  func test_derived_mutatedInPlace_isNotifiedOnce_alsoIfItThrows() {
    struct Stop: Error {}
    func change(_ count: inout Int, throwing: Bool) throws {
      count += 1
      if throwing { throw Stop() }
    }
    for throwing in [false, true] {
      XCTAssertEqual(shop.total, shop.count)
      recorder.track("total") { shop.total }
      try? change(&shop.count, throwing: throwing)
      XCTAssertEqual(shop.total, shop.count)
    }
    XCTAssertEqual(recorder.events, ["total", "total"])
  }

  func test_derived_severalTrackings_areEachNotifiedOnce() {
    for index in 0..<3 { recorder.track("\(index)") { shop.total } }
    shop.price = 2
    shop.price = 3
    XCTAssertEqual(recorder.events.sorted(), ["0", "1", "2"])
  }

  func test_derived_ofAPlainClass_isNotTracked() {
    final class Plain {
      @Observed var price = 1
      @Derived({ (plain: Plain) in plain.price * 2 }) var double: Int
    }
    let plain = Plain()
    recorder.track("first") { plain.double }
    recorder.track("clean") { plain.double }
    plain.price = 2
    XCTAssertEqual(recorder.events, [])
  }

  // MARK: ObservableValue

  func test_observableValue_isNotifiedOnce_alsoInATransaction() {
    let shop = shop
    let price = ObservableValue { shop.price + 1 }
    let double = ObservableValue { price.value * 2 }
    XCTAssertEqual(double.value, 4)
    recorder.track("double") { double.value }
    shop.price = 2
    shop.price = 3
    XCTAssertEqual(recorder.takeEvents(), ["double"])
    recorder.track("double") { double.value }
    withObservationTransaction {
      shop.price = 4
      shop.price = 5
    }
    XCTAssertEqual(recorder.takeEvents(), ["double"])
    XCTAssertEqual(double.value, 12)
  }

  // MARK: Lifetime

  func test_derived_trackedObject_isNotRetained_norAreItsClosures() {
    let closures = LifetimeCounter()
    var shop: TrackedShop? = TrackedShop()
    weak let released = shop
    let other = shop!.goods
    withObservationTracking { [shop] in
      _ = shop!.total
      _ = shop!.goods
    } onChange: { [ticket = closures.makeTicket()] in
      _ = ticket
    }
    shop = nil
    XCTAssertNil(released)
    other.append(TrackedAuthor("Ada"))
    XCTAssertEqual(closures.count, 0)
  }

  func test_derived_ofATrackedValueThatIsGone_isNotified() {
    let shop = shop
    var value: ObservableValue<Int>? = ObservableValue { shop.price }
    recorder.track("gone") { value!.value }
    value = nil
    shop.price = 2
    recorder.track("there") { shop.total }
    shop.price = 3
    XCTAssertEqual(recorder.events, ["there"])
  }

  // MARK: Threads

  /// A change that is made while a closure is tracked may go by, as one of a property of the
  /// macro's; the one after it may not.
  func test_C31_derived_trackedOnOneThread_isNotifiedOfChangesOnAnother() {
    let meter = TrackedMeter()
    let (notified, isDone) = (CallCounter(), Flag())
    let rounds = Effort.count(quick: 30, full: 3_000)
    onThreads(2) { thread in
      if thread == 0 {
        while !isDone.isSet { meter.count.withLock { $0 += 1 } }
      } else {
        for round in 1...rounds {
          withObservationTracking {
            XCTAssertTrue(meter.double.isMultiple(of: 2))
          } onChange: {
            notified.increment()
          }
          while notified.count < round {}
        }
        isDone.set()
      }
    }
    XCTAssertEqual(notified.count, rounds)
    XCTAssertEqual(meter.double, meter.count.wrappedValue * 2)
  }
}
