import ObservationController
import TestSupport
import XCTest

/// C20: a transaction affects its own thread alone.
final class TransactionThreadTests: TestCase {
  func test_transaction_doesNotDelayChangesOfAnotherThread() {
    let (here, there) = (UncheckedReference(Parcel()), UncheckedReference(Parcel()))
    let recorder = LineRecorder()
    let controller = ObservationController(observer: recorder)
    controller.observe(here.object, \.width) { recorder, _, change in
      recorder.write("here \(change)")
    }
    controller.observe(there.object, \.width) { recorder, _, change in
      recorder.write("there \(change)")
    }
    controller.observe(there.object, \.area) { recorder, _, change in
      recorder.write("area \(change)")
    }
    withObservationTransaction {
      here.object.width = 10
      onAnotherThread {
        there.object.width = 20
        XCTAssertEqual(recorder.events, ["there 1 → 20", "area 2 → 40"])
      }
      here.object.width = 11
    }
    XCTAssertEqual(recorder.events, ["there 1 → 20", "area 2 → 40", "here 1 → 11"])
  }

  func test_C11_propertyInTransactionsOfTwoThreads_isDeliveredByEach() {
    for isFirst in [false, true] {
      let (parcel, other) = (UncheckedReference(Parcel()), UncheckedReference(Parcel()))
      let recorder = LineRecorder()
      let controller = ObservationController(observer: recorder)
      controller.observe(parcel.object, \.width) { recorder, _, change in
        recorder.write("\(change)")
      }
      controller.observe(other.object, \.width) { _, _, _ in }
      withObservationTransaction {
        // At one place in both transactions, or at two.
        if isFirst { other.object.width = 0 }
        parcel.object.width = 10
        onAnotherThread {
          withObservationTransaction {
            parcel.object.width = 20
            parcel.object.width = 30
            other.object.width = 40
            parcel.object.width = 50
            XCTAssertEqual(recorder.events, [])
          }
          XCTAssertEqual(recorder.takeEvents(), ["10 → 50"])
        }
        parcel.object.width = 60
        parcel.object.width = 70
        XCTAssertEqual(recorder.events, [])
      }
      XCTAssertEqual(recorder.takeEvents(), ["1 → 70"])
      withObservationTransaction { parcel.object.width = 80 }
      XCTAssertEqual(recorder.events, ["70 → 80"])
    }
  }

  func test_transactionsOfSeveralThreads_areIndependent() {
    let mixed = LineRecorder()
    onThreads(8) { thread in
      let parcel = Parcel()
      let recorder = ChangeRecorder<Int>()
      let controller = ObservationController(observer: recorder)
      controller.observe(parcel, \.area, action: ChangeRecorder<Int>.record)
      controller.observe(parcel, \.width, action: ChangeRecorder<Int>.record)
      for round in 1...200 {
        withObservationTransaction {
          parcel.width = -1
          parcel.height = thread
          withObservationTransaction { parcel.width = round }
        }
        let expected: [RecordedEvent<Int>] = [
          .changed(round == 1 ? 2 : (round - 1) * thread, round * thread),
          .changed(round == 1 ? 1 : round - 1, round),
        ]
        let events = recorder.takeEvents()
        if events != expected { mixed.write(events) }
      }
    }
    XCTAssertEqual(mixed.events, [])
  }

  func test_C20_observingAndUnobserving_whileAnotherThreadRunsTransactions() {
    let parcel = UncheckedReference(Parcel())
    let delivered = Guarded(0)
    let lastingObserver = SilentObserver()
    let lasting = ObservationController(observer: lastingObserver)
    lasting.observe(parcel.object, \.width) { _, _, change in
      delivered.withLock { $0 += change.newValue - change.oldValue! }
    }
    let transactions = Effort.count(quick: 200, full: 2_000)
    onThreads(4) { thread in
      if thread == 0 {
        for _ in 0..<transactions {
          withObservationTransaction {
            parcel.object.width += 1
            parcel.object.width += 1
          }
        }
      } else {
        let observer = SilentObserver()
        for _ in 0..<Effort.count(quick: 30, full: 300) {
          let controller = ObservationController(observer: observer)
          // The property itself is read by `observe`, which needs isolation, as a path of another
          // object would. Adding to an existing subject does not.
          controller.observe(parcel.object, \.label) { _, _, _ in }
          controller.unobserve(parcel.object)
        }
      }
    }
    XCTAssertEqual(delivered.withLock { $0 }, 2 * transactions)
    withExtendedLifetime(lasting) {}
  }

  func test_C20_tokensInvalidatedByAnotherThread_duringTransactions() {
    let parcel = UncheckedReference(Parcel())
    let observer = SilentObserver()
    let controller = ObservationController(observer: observer)
    let handlers = LifetimeCounter()
    let tokens = (0..<Effort.count(quick: 200, full: 2_000)).map { index in
      controller.observe(parcel.object, \.width, context: ObservationContext("\(index)")) {
        [ticket = handlers.makeTicket()] _, _, _ in _ = ticket
      }
    }
    onThreads(2) { thread in
      if thread == 0 {
        while tokens.contains(where: \.isActive) {
          withObservationTransaction { parcel.object.width += 1 }
        }
      } else {
        for token in tokens { token.invalidate() }
      }
    }
    withObservationTransaction { parcel.object.width += 1 }
    XCTAssertEqual(handlers.count, 0)
    withExtendedLifetime(controller) {}
  }
}
