import Dispatch
import ObservationController
import TestSupport
import XCTest

/// C11: what a transaction changes in an array, edits and elements, is one change.
final class JoinedElementsTests: TransactionTestCase {
  private let a = Stamp("a")
  private let b = Stamp("b")
  private let c = Stamp("c")

  private final class Grove {
    let leaves: ObservableArray<Leaf>

    init(_ leaves: [Leaf]) { self.leaves = ObservableArray(leaves) }
  }

  // MARK: One change

  func test_C11_severalElements_areOneBatch() {
    parcel.stamps = [a, b, c]
    observeStamps(of: parcel, as: "plain", elements: [\.price])
    observeStamps(of: parcel, as: "old", elements: [\.price], options: .old)
    withObservationTransaction {
      c.price = 5
      a.price = 6
      c.price = 7
    }
    XCTAssertEqual(
      recorder.events, ["plain: batch *a0 *c2: a b c", "old: batch *a0 *c2: a b c (was a b c)"])
  }

  func test_C11_editsAndElements_areOneBatch() {
    parcel.stamps = [a, b]
    observeStamps(of: parcel, as: "stamps", elements: [\.price], options: .old)
    withObservationTransaction {
      parcel.stamps.swapAt(0, 1)
      a.price = 2
      parcel.stamps.append(c)
      c.price = 3
      b.price = 4
    }
    XCTAssertEqual(
      recorder.events, ["stamps: batch b1→0 +c2 *b0 *a1: b a c (was a b)"].map { $0 },
      "the moved element may be either")
  }

  func test_C11_elementThatIsReplaced_isNoChangedIndex() {
    parcel.stamps = [a, b]
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    withObservationTransaction {
      a.price = 2
      parcel.stamps[0] = c
      c.price = 3
      b.price = 4
    }
    XCTAssertEqual(recorder.events, ["stamps: batch -a0 +c0 *b1: c b"])
  }

  func test_C11_editsThatCancelOut_leaveASingleElementAnElement() {
    parcel.stamps = [a, b]
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    withObservationTransaction {
      parcel.stamps.append(c)
      b.price = 2
      parcel.stamps.removeLast()
    }
    XCTAssertEqual(recorder.events, ["stamps: element b@1: a b 1 → 2"])
  }

  func test_C11_setting_includesElements() {
    parcel.stamps = [a, b]
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    withObservationTransaction {
      a.price = 2
      parcel.stamps = [a, c]
    }
    XCTAssertEqual(recorder.events, ["stamps: setting -a0 +a0 -b1 +c1: a c"])
  }

  func test_C11_settingLeftOut_leavesTheElement() {
    parcel.stamps = [a]
    observeStamps(of: parcel, as: "stamps", elements: [\.price], options: .distinct)
    withObservationTransaction {
      parcel.stamps = parcel.stamps
      a.price = 2
    }
    XCTAssertEqual(recorder.events, ["stamps: element a@0: a 1 → 2"])
  }

  func test_C11_distinctElementsBackWhereTheyBegan_areNotChangedIndices() {
    parcel.stamps = [a, b, c]
    observeStamps(of: parcel, as: "stamps", elements: [\.price], options: .distinct)
    withObservationTransaction {
      a.price = 2
      a.price = 1
      b.price = 3
      c.price = 3
    }
    XCTAssertEqual(recorder.events, ["stamps: batch *b1 *c2: a b c"])
  }

  func test_C11_elementThereSeveralTimes_hasAllIndices() {
    parcel.stamps = [a, b, a]
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    withObservationTransaction {
      a.price = 2
      b.price = 2
    }
    XCTAssertEqual(recorder.events, ["stamps: batch *a0 *b1 *a2: a b a"])
  }

  func test_C11_severalPropertiesOfOneElement_areOneChange() {
    let tiles: ObservableArray = [Tile("a"), Tile("b")]
    observations.observeArray(tiles, elements: [\.rank, \.isShown]) { $0.write($2) }
    withObservationTransaction {
      tiles[1].rank = 3
      tiles[1].isShown = false
    }
    XCTAssertEqual(recorder.events, ["batch *b3-1: a0 b3-"])
  }

  func test_C11_computedAndDerivedProperties_areJoined() {
    let leaves = [Leaf("a"), Leaf("b"), Leaf("c")]
    let grove = Grove(leaves)
    let tiles: ObservableArray = [Tile("a", rank: 1), Tile("b", rank: 1)]
    observations.observeArray(grove.leaves, elements: [\.label]) { $0.write("leaves \($2.line)") }
    observations.observeArray(tiles, elements: [\.weight]) { $0.write("tiles \($2.line)") }
    withObservationTransaction {
      leaves[0].isFresh = false
      leaves[2].isFresh = false
      tiles[0].rank = 4
      tiles[1].isShown = false
    }
    XCTAssertEqual(
      recorder.events.map { String($0.prefix(14)) }, ["leaves batch *", "tiles batch *a"])
    recorder.clear()
    withObservationTransaction { tiles[0].rank = 5 }
    XCTAssertEqual(recorder.events, ["tiles element a5@0: a5 b1- 4 → 5"])
  }

  func test_C11_manyElements_areDeliveredOnce() {
    let stamps = (0..<1_000).map { Stamp("\($0)") }
    parcel.stamps = ObservableArray(stamps)
    var changes: [[Int]] = []
    observations.observeArray(parcel, \.stamps, elements: [\.price]) {
      changes.append($2.changedIndices)
    }
    withObservationTransaction {
      for stamp in stamps.reversed() where !stamp.letter.hasSuffix("3") { stamp.price += 1 }
    }
    XCTAssertEqual(changes, [(0..<1_000).filter { $0 % 10 != 3 }])
  }

  // MARK: Order

  func test_C11_joinedChange_comesWhereTheFirstWould() {
    parcel.stamps = [a, b]
    observe(a, \.price, as: "a")
    observe(b, \.price, as: "b")
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    observe(b, \.price, as: "b again")
    withObservationTransaction {
      a.price = 2
      b.price = 3
      parcel.stamps.append(c)
    }
    XCTAssertEqual(
      recorder.events,
      ["a: 1 → 2", "stamps: batch +c2 *a0 *b1: a b c", "b: 1 → 3", "b again: 1 → 3"])
  }

  func test_C11_viewsAndTheirObservers_haveFollowedBefore() {
    parcel.stamps = [a, b]
    let cheap = parcel.stamps.filtered(on: [\.price]) { $0.price < 3 }
    observations.observeArray(cheap, elements: [\.price]) { $0.write("cheap: \($2.line)") }
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    withObservationTransaction {
      a.price = 3
      b.price = 2
      parcel.stamps.append(c)
    }
    XCTAssertEqual(
      Set(recorder.events),
      ["stamps: batch +c2 *a0 *b1: a b c", "cheap: batch -a0 +c1 *b0: b c"])
  }

  // MARK: Around it

  func test_C11_transactionInAHandlerOfTheProperty_isDeliveredAfterIt() {
    parcel.stamps = [a, b]
    observe(a, \.price, as: "a") { [self] _ in
      guard a.price == 2 else { return }
      withObservationTransaction {
        a.price = 3
        b.price = 3
      }
    }
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    a.price = 2
    XCTAssertEqual(
      recorder.events,
      [
        "a: 1 → 2", "stamps: element b@1: a b 1 → 3", "stamps: element a@0: a b 1 → 2",
        "a: 2 → 3", "stamps: element a@0: a b 2 → 3",
      ])
  }

  func test_C11_transactionInAHandlerOfTheArray_isOneChangeAfterIt() {
    parcel.stamps = [a, b]
    observations.observeArray(parcel, \.stamps, elements: [\.price]) { [self] recorder, _, change in
      recorder.write(change)
      guard change.kind == .insertion else { return }
      withObservationTransaction {
        a.price = 3
        parcel.stamps.remove(at: 1)
        c.price = 3
      }
      recorder.write("end")
    }
    parcel.stamps.append(c)
    XCTAssertEqual(recorder.events, ["insertion +c2: a b c", "end", "batch -b1 *a0 *c1: a c"])
  }

  func test_C11_endedInTheMidst_receivesNothing() {
    parcel.stamps = [a, b]
    var token: ObservationToken?
    observe(a, \.price, as: "a") { _ in token?.invalidate() }
    token = observeStamps(of: parcel, as: "stamps", elements: [\.price])
    withObservationTransaction {
      a.price = 2
      b.price = 2
    }
    b.price = 3
    XCTAssertEqual(recorder.events, ["a: 1 → 2"])
  }

  func test_C11_observationThatBeginsInIt_receivesLaterChanges() {
    parcel.stamps = [a, b, c]
    withObservationTransaction {
      a.price = 2
      observeStamps(of: parcel, as: "stamps", elements: [\.price])
      b.price = 2
      c.price = 2
    }
    b.price = 3
    XCTAssertEqual(
      recorder.events, ["stamps: batch *b1 *c2: a b c", "stamps: element b@1: a b c 2 → 3"])
  }

  func test_C11_transactionInABatch_isDeliveredBehindIt() {
    parcel.stamps = [a, b]
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    parcel.stamps.performBatchUpdates {
      parcel.stamps.append(c)
      withObservationTransaction {
        a.price = 2
        b.price = 2
      }
    }
    XCTAssertEqual(
      recorder.events,
      [
        "stamps: batch +c2: a b c", "stamps: element a@0: a b c 1 → 2",
        "stamps: element b@1: a b c 1 → 2",
      ])
  }

  func test_C11_afterIt_changesAreDeliveredAsUsual() {
    parcel.stamps = [a, b]
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    withObservationTransaction {
      a.price = 2
      b.price = 2
    }
    recorder.clear()
    a.price = 3
    b.price = 3
    parcel.stamps.removeLast()
    withObservationTransaction { a.price = 4 }
    XCTAssertEqual(
      recorder.events,
      [
        "stamps: element a@0: a b 2 → 3", "stamps: element b@1: a b 2 → 3",
        "stamps: removal -b1: a", "stamps: element a@0: a 3 → 4",
      ])
  }
}
