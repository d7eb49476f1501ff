import ObservationController
import TestSupport
import XCTest

/// C11: deliveries of arrays in a transaction.
final class TransactionArrayTests: TransactionTestCase {
  private let a = Stamp("a")
  private let b = Stamp("b")
  private let c = Stamp("c")

  // MARK: Edits

  func test_C11_edits_areOneBatch() {
    parcel.stamps = [a, b]
    observeStamps(of: parcel, as: "plain")
    observeStamps(of: parcel, as: "old", options: .old)
    withObservationTransaction {
      parcel.stamps.append(c)
      parcel.stamps.remove(at: 0)
      parcel.stamps.append(a)
      XCTAssertEqual(recorder.events, [])
      XCTAssertEqual(parcel.stamps.elements.map(\.letter), ["b", "c", "a"])
    }
    XCTAssertEqual(
      recorder.takeEvents(),
      ["plain: batch -a0 +c1 +a2: b c a", "old: batch -a0 +c1 +a2: b c a (was a b)"])
    parcel.stamps.append(Stamp("d"))
    XCTAssertEqual(
      recorder.events, ["plain: insertion +d3: b c a d", "old: insertion +d3: b c a d (was b c a)"])
  }

  func test_C11_arrayEditedThenReplaced_isOneSetting_ofTheElementsBefore() {
    parcel.stamps = [a, b]
    observeStamps(of: parcel, as: "stamps")
    withObservationTransaction {
      parcel.stamps.removeLast()
      parcel.stamps = [c]
    }
    XCTAssertEqual(recorder.events, ["stamps: setting -a0 +c0 -b1: c"])
  }

  func test_C11_oneEdit_isABatchToo() {
    observeStamps(of: parcel, as: "stamps")
    withObservationTransaction { parcel.stamps.append(a) }
    XCTAssertEqual(recorder.events, ["stamps: batch +a0: a"])
  }

  func test_C28_emptyBatch_isNoFirstChange() {
    observeStamps(of: parcel, as: "stamps")
    observations.observe(parcel, \.width) { $0.write("width \($2.newValue)") }
    withObservationTransaction {
      parcel.stamps.performBatchUpdates {}
      parcel.width = 3
      parcel.stamps.append(a)
    }
    XCTAssertEqual(recorder.events, ["width 3", "stamps: batch +a0: a"])
  }

  func test_C28_derivedValue_isNotifiedInOrder_withObserversOfTheArray() {
    let album = Album()
    observe(album, \.count, as: "first")
    observations.observeArray(album.stamps) { $0.write("array \($2.kind)") }
    observe(album, \.count, as: "last")
    withObservationTransaction { album.stamps.append(a) }
    XCTAssertEqual(recorder.events, ["first: 0 → 1", "array batch", "last: 0 → 1"])
  }

  func test_C11_arrayOnItsOwn_isDeliveredOnce() {
    let array: ObservableArray<Int> = [1, 2, 3]
    observations.observeArray(array, options: .old) { $0.write($2) }
    withObservationTransaction {
      array.setElements([3, 2])
      array.append(4)
    }
    XCTAssertEqual(recorder.events, ["batch -10 +30 -21 +21 -32 +42: 3 2 4 (was 1 2 3)"])
  }

  func test_C11_editsUndone_withDistinct_areNotDelivered() {
    parcel.stamps = [a]
    observeStamps(of: parcel, as: "distinct", options: [.old, .distinct])
    observeStamps(of: parcel, as: "old", options: .old)
    withObservationTransaction {
      parcel.stamps.append(b)
      parcel.stamps.removeLast()
    }
    XCTAssertEqual(recorder.events, ["old: batch: a (was a)"])
  }

  func test_C11_batchInsideATransaction_isPartOfIt() {
    observeStamps(of: parcel, as: "stamps")
    withObservationTransaction {
      parcel.stamps.performBatchUpdates {
        parcel.stamps.append(a)
        parcel.stamps.append(b)
      }
      XCTAssertEqual(recorder.events, [])
      parcel.stamps.remove(at: 0)
    }
    XCTAssertEqual(recorder.events, ["stamps: batch +b0: b"])
  }

  func test_C11_transactionInsideABatch_leavesTheArrayToTheBatch() {
    observeStamps(of: parcel, as: "stamps")
    observe(parcel, \.width, as: "width")
    parcel.stamps.performBatchUpdates {
      withObservationTransaction {
        parcel.stamps.append(a)
        parcel.width = 10
      }
      XCTAssertEqual(recorder.events, ["width: 1 → 10"])
      parcel.stamps.append(b)
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 10", "stamps: batch +a0 +b1: a b"])
  }

  func test_C11_transactionBetweenTheEditsOfABatch_leavesTheArrayToTheBatch() {
    observe(parcel, \.stamps.count, as: "count")
    observeStamps(of: parcel, as: "stamps")
    parcel.stamps.performBatchUpdates {
      parcel.stamps.append(a)
      withObservationTransaction { parcel.stamps.append(b) }
      parcel.stamps.append(c)
    }
    XCTAssertEqual(recorder.takeEvents(), ["count: 0 → 3", "stamps: batch +a0 +b1 +c2: a b c"])
    parcel.stamps.removeLast()
    XCTAssertEqual(recorder.events, ["count: 3 → 2", "stamps: removal -c2: a b"])
  }

  func test_C10_batchAfterItsTransaction_notifiesPathsOfNoEditAgain() {
    observe(parcel, \.stamps.count, as: "count")
    observations.observeArray(parcel, \.stamps.elements, options: .old) { recorder, _, change in
      recorder.write("elements: \(change.line)")
    }
    parcel.stamps.performBatchUpdates {
      withObservationTransaction { parcel.stamps.append(a) }
    }
    XCTAssertEqual(recorder.events, ["count: 0 → 1", "elements: insertion +a0: a (was )"])
  }

  func test_C11_batchThatATransactionEnds_updatesTheViewsOfTheArray() {
    let other = Parcel()
    let view = ObservableArray.following(parcel, \.stamps)
    observations.observeArray(view) { recorder, _, change in recorder.write(change) }
    observeStamps(of: other, as: "other")
    parcel.stamps.performBatchUpdates {
      withObservationTransaction {
        parcel.stamps.append(a)
        // Leads an observation to the array: ends the batch so far.
        other.stamps = parcel.stamps
      }
      XCTAssertEqual(view.map(\.letter), ["a"])
    }
    XCTAssertEqual(recorder.events, ["other: setting +a0: a", "batch +a0: a"])
  }

  func test_C11_throwingBatchAndTransaction_deliverTheStoredEdits() {
    observeStamps(of: parcel, as: "stamps")
    try? withObservationTransaction {
      try parcel.stamps.performBatchUpdates {
        parcel.stamps.append(a)
        throw Failure()
      }
    }
    XCTAssertEqual(recorder.takeEvents(), ["stamps: batch +a0: a"])
    parcel.stamps.append(b)
    XCTAssertEqual(recorder.events, ["stamps: insertion +b1: a b"])
  }

  func test_C11_twoArraysAndAProperty_areDeliveredInTheOrderOfFirstChange() {
    let other = Parcel()
    observeStamps(of: parcel, as: "stamps")
    observeStamps(of: other, as: "others")
    observe(parcel, \.width, as: "width")
    withObservationTransaction {
      other.stamps.append(a)
      parcel.width = 10
      parcel.stamps.append(a)
      other.stamps.append(b)
    }
    XCTAssertEqual(
      recorder.events,
      ["others: batch +a0 +b1: a b", "width: 1 → 10", "stamps: batch +a0: a"])
  }

  // MARK: Observations that begin inside

  func test_C11_observationBegunBeforeTheFirstEdit_isNotifiedOfAll() {
    observeStamps(of: parcel, as: "early")
    withObservationTransaction {
      observeStamps(of: parcel, as: "late", options: .initial)
      parcel.stamps.append(a)
      parcel.stamps.append(b)
    }
    XCTAssertEqual(
      recorder.events, ["late: initial: ", "early: batch +a0 +b1: a b", "late: batch +a0 +b1: a b"])
  }

  func test_C11_observationBegunAfterAnEdit_isNotifiedOfLaterEdits() {
    observeStamps(of: parcel, as: "early")
    withObservationTransaction {
      parcel.stamps.append(a)
      observeStamps(of: parcel, as: "late", options: .initial)
      XCTAssertEqual(recorder.takeEvents(), ["late: initial +a0: a"])
      parcel.stamps.append(b)
    }
    XCTAssertEqual(
      recorder.takeEvents(), ["early: batch +a0 +b1: a b", "late: batch +b1: a b"])
    parcel.stamps.removeLast()
    XCTAssertEqual(recorder.events, ["early: removal -b1: a", "late: removal -b1: a"])
  }

  func test_C11_observationBegunAfterAllEdits_isNotNotified() {
    observeStamps(of: parcel, as: "early")
    withObservationTransaction {
      parcel.stamps.append(a)
      observeStamps(of: parcel, as: "late")
    }
    XCTAssertEqual(recorder.events, ["early: batch +a0: a"])
  }

  // MARK: Handlers

  func test_C7_handlerThatEditsTheArray_isDeliveredAfterwards_toAll() {
    observations.observeArray(parcel, \.stamps, context: "1") { [c] recorder, parcel, change in
      recorder.write("1: \(change.line)")
      if change.elements.count == 2 { parcel.stamps.append(c) }
    }
    observeStamps(of: parcel, as: "2")
    withObservationTransaction {
      parcel.stamps.append(a)
      parcel.stamps.append(b)
    }
    XCTAssertEqual(
      recorder.events,
      [
        "1: batch +a0 +b1: a b", "2: batch +a0 +b1: a b", "1: insertion +c2: a b c",
        "2: insertion +c2: a b c",
      ])
  }

  func test_C7_handlerOfAProperty_thatEditsAWaitingArray_isDeliveredOnce() {
    observe(parcel, \.width, as: "width") { [parcel, c] _ in parcel.stamps.append(c) }
    observeStamps(of: parcel, as: "stamps")
    withObservationTransaction {
      parcel.width = 10
      parcel.stamps.append(a)
    }
    XCTAssertEqual(
      recorder.events, ["width: 1 → 10", "stamps: batch +a0: a", "stamps: insertion +c1: a c"])
  }
}

private final class Album {
  let stamps: ObservableArray<Stamp> = []

  @Derived({ (album: Album) in album.stamps.count }) var count: Int
}
