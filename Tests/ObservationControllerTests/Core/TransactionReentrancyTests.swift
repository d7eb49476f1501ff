import ObservationController
import TestSupport
import XCTest

/// C7 and C11: handlers that set during a transaction's deliveries, and transactions in handlers.
final class TransactionReentrancyTests: TransactionTestCase {
  // MARK: Handlers that set

  func test_C7_handlerThatSetsItsProperty_isDeliveredAfterwards_toAll() {
    observe(parcel, \.width, as: "1") { [parcel] change in
      if change.newValue == 10 { parcel.width = 100 }
    }
    observe(parcel, \.width, as: "2")
    withObservationTransaction {
      parcel.width = 5
      parcel.width = 10
    }
    XCTAssertEqual(recorder.events, ["1: 1 → 10", "2: 1 → 10", "1: 10 → 100", "2: 10 → 100"])
  }

  func test_C7_handlerThatSetsAWaitingProperty_isDeliveredAfterItsChange() {
    observe(parcel, \.width, as: "width") { [parcel] _ in
      parcel.height = 30
      XCTAssertEqual(parcel.height, 30, "stored at once")
    }
    observe(parcel, \.height, as: "height 1")
    observe(parcel, \.height, as: "height 2")
    withObservationTransaction {
      parcel.width = 10
      parcel.height = 20
    }
    XCTAssertEqual(
      recorder.events,
      [
        "width: 1 → 10", "height 1: 2 → 20", "height 2: 2 → 20", "height 1: 20 → 30",
        "height 2: 20 → 30",
      ])
  }

  func test_C7_handlerThatSetsADeliveredProperty_isDeliveredAtOnce() {
    observe(parcel, \.width, as: "width")
    observe(parcel, \.height, as: "height") { [parcel, recorder] change in
      guard change.newValue == 20 else { return }
      parcel.width = 30
      XCTAssertEqual(recorder.events.last, "width: 10 → 30")
    }
    withObservationTransaction {
      parcel.width = 10
      parcel.height = 20
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 10", "height: 2 → 20", "width: 10 → 30"])
  }

  func test_C7_path_setByHandlers_getsAContiguousChain() {
    observe(parcel, \.width, as: "width") { [parcel] change in
      if change.newValue == 10 { parcel.height = 30 }
    }
    observe(parcel, \.area, as: "area")
    observe(parcel, \.height, as: "height")
    withObservationTransaction {
      parcel.width = 10
      parcel.height = 20
    }
    XCTAssertEqual(
      recorder.events,
      [
        "width: 1 → 10", "area: 2 → 200", "height: 2 → 20", "area: 200 → 300", "height: 20 → 30",
      ])
  }

  func test_C7_priorOfASetInAHandler_waitsForItsTurn() {
    observe(parcel, \.width, as: "width") { [parcel] _ in parcel.height = 30 }
    observe(parcel, \.height, as: "height", options: [.prior, .old])
    withObservationTransaction {
      parcel.width = 10
      parcel.height = 20
    }
    XCTAssertEqual(
      recorder.events,
      [
        "width: 1 → 10", "height: about to change from 2", "height: 2 → 20",
        "height: about to change from 20", "height: 20 → 30",
      ])
  }

  func test_C7_handlerThatMutatesAWaitingProperty_isDeliveredAfterItsChange() {
    observe(parcel, \.width, as: "width") { [parcel] _ in parcel.layers.append(2) }
    observe(parcel, \.layers, as: "layers")
    withObservationTransaction {
      parcel.width = 10
      parcel.layers.append(1)
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 10", "layers: [] → [1]", "layers: [1] → [1, 2]"])
  }

  // MARK: Transactions in handlers

  func test_C11_transactionInAHandler_deliversOtherPropertiesAtItsEnd() {
    observe(parcel, \.width, as: "width") { [parcel, recorder] _ in
      withObservationTransaction {
        parcel.height = 20
        parcel.height = 21
        XCTAssertEqual(recorder.events, ["width: 1 → 10"])
      }
      XCTAssertEqual(recorder.events, ["width: 1 → 10", "height: 2 → 21"])
    }
    observe(parcel, \.height, as: "height")
    parcel.width = 10
    XCTAssertEqual(recorder.events, ["width: 1 → 10", "height: 2 → 21"])
  }

  func test_C11_transactionInAHandler_ofItsProperty_isDeliveredInItsTurn() {
    observe(parcel, \.width, as: "1") { [parcel] change in
      guard change.newValue == 10 else { return }
      parcel.width = 11
      withObservationTransaction {
        parcel.width = 12
        parcel.width = 13
      }
      parcel.width = 14
    }
    observe(parcel, \.width, as: "2")
    parcel.width = 10
    XCTAssertEqual(
      recorder.events,
      [
        "1: 1 → 10", "2: 1 → 10", "1: 10 → 11", "2: 10 → 11", "1: 11 → 13", "2: 11 → 13",
        "1: 13 → 14", "2: 13 → 14",
      ])
  }

  func test_C11_transactionInAHandler_ofItsPath_isDeliveredInItsTurn_toAll() {
    // An inherited property is observed as a path.
    for setter in 0..<3 {
      let pupil = Pupil("a")
      var isFirst = true
      for number in 0..<3 {
        observe(pupil, \.age, as: "\(number)") { _ in
          guard number == setter, isFirst else { return }
          isFirst = false
          withObservationTransaction {
            pupil.age = 30
            pupil.age = 22
          }
        }
      }
      pupil.age = 21
      XCTAssertEqual(
        recorder.takeEvents(),
        ["0: 20 → 21", "1: 20 → 21", "2: 20 → 21", "0: 21 → 22", "1: 21 → 22", "2: 21 → 22"],
        "set by \(setter)")
    }
  }

  func test_C11_transactionInAHandlerOfATransaction_isOneOfItsOwn() {
    observe(parcel, \.width, as: "width") { [parcel] change in
      guard change.newValue == 10 else { return }
      withObservationTransaction {
        parcel.height = 30
        parcel.label = "a"
        parcel.label = "b"
      }
    }
    observe(parcel, \.height, as: "height")
    observe(parcel, \.label, as: "label")
    withObservationTransaction {
      parcel.width = 10
      parcel.height = 20
    }
    XCTAssertEqual(
      recorder.events, ["width: 1 → 10", "label: box → b", "height: 2 → 20", "height: 20 → 30"])
  }

  func test_C11_transactionInAnInitialHandler_deliversAtItsEnd() {
    observe(parcel, \.height, as: "height")
    observe(parcel, \.width, as: "width", options: [.initial, .old]) { [parcel, recorder] change in
      guard change.isInitial else { return }
      withObservationTransaction {
        parcel.height = 20
        parcel.width = 10
        XCTAssertEqual(recorder.events, ["width: initially 1"])
      }
    }
    XCTAssertEqual(recorder.events, ["width: initially 1", "height: 2 → 20", "width: 1 → 10"])
  }

  func test_C11_initialHandlerInATransaction_isPartOfIt() {
    observe(parcel, \.height, as: "height")
    withObservationTransaction {
      observe(parcel, \.width, as: "width", options: [.initial, .old]) { [parcel] change in
        if change.isInitial { parcel.height = 20 }
      }
      XCTAssertEqual(recorder.events, ["width: initially 1"])
      parcel.height = 21
    }
    XCTAssertEqual(recorder.events, ["width: initially 1", "height: 2 → 21"])
  }

  func test_C11_transactionInAPriorHandler_deliversAtItsEnd() {
    observe(parcel, \.height, as: "height")
    observe(parcel, \.width, as: "width", options: [.prior, .old]) { [parcel] change in
      guard change.isPrior, change.newValue == 1 else { return }
      withObservationTransaction {
        parcel.height = 20
        parcel.height = 21
      }
    }
    parcel.width = 10
    XCTAssertEqual(
      recorder.events, ["width: about to change from 1", "height: 2 → 21", "width: 1 → 10"])
  }

  // MARK: Cycles

  func test_C8_cycleInTheDeliveryAtTheEnd_stopsAndIsReported() {
    let line: UInt = #line + 1
    let token = observations.observe(parcel, \.width) { recorder, parcel, change in
      recorder.write(change)
      parcel.width += 1
    }
    let issues = collectingIssues { withObservationTransaction { parcel.width = 10 } }
    XCTAssertEqual(recorder.events.count, 100)
    XCTAssertEqual(recorder.events[..<2], ["1 → 10", "10 → 11"])
    XCTAssertEqual(parcel.width, 110)
    guard case .cycle(\Parcel.width, #fileID, line)? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)")
    }
    token.invalidate()
    observe(parcel, \.width, as: "width")
    withObservationTransaction { parcel.width = 5 }
    XCTAssertEqual(recorder.events.last, "width: 110 → 5")
  }

  func test_C8_twoPropertiesThatSetEachOther_stop() {
    observe(parcel, \.width, as: "width") { [parcel] _ in parcel.height += 1 }
    observe(parcel, \.height, as: "height") { [parcel] _ in parcel.width += 1 }
    let issues = collectingIssues {
      withObservationTransaction {
        parcel.width = 10
        parcel.height = 20
      }
    }
    XCTAssertFalse(issues.isEmpty)
    observations.unobserveAll()
    recorder.clear()
    observe(parcel, \.width, as: "width")
    parcel.width = 0
    XCTAssertEqual(recorder.events.count, 1)
  }

  func test_C8_transactionsInTheirOwnHandler_stop() {
    observe(parcel, \.width, as: "width") { [parcel] _ in
      withObservationTransaction { parcel.width += 1 }
    }
    let issues = collectingIssues { withObservationTransaction { parcel.width = 10 } }
    XCTAssertEqual(recorder.events.count, 100)
    XCTAssertEqual(issues.count, 1)
  }
}
