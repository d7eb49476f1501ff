import ObservationController
import TestSupport
import XCTest

/// C11: replaced arrays, their elements, plain arrays and live views.
final class TransactionElementTests: TransactionTestCase {
  private let a = Stamp("a")
  private let b = Stamp("b")
  private let c = Stamp("c")

  private func observeSpares(
    elements: [PartialKeyPath<Stamp>] = [], options: ObservationOptions = []
  ) {
    observations.observeArray(parcel, \.spares, elements: elements, options: options) {
      $0.write("spares: \($2.line)")
    }
  }

  // MARK: Arrays that are replaced

  func test_C11_arrayThatIsReplaced_isOneSetting() {
    parcel.stamps = [a]
    observeStamps(of: parcel, as: "stamps", options: .old)
    withObservationTransaction { parcel.stamps = [b, c] }
    XCTAssertEqual(recorder.events, ["stamps: setting -a0 +b0 +c1: b c (was a)"])
  }

  func test_C11_arrayThatIsEditedAndReplacedAndEdited_isOneSetting() {
    parcel.stamps = [a]
    observeStamps(of: parcel, as: "stamps", options: .old)
    let old = parcel.stamps
    withObservationTransaction {
      old.append(b)
      parcel.stamps = [c]
      parcel.stamps.append(a)
      old.append(c)
    }
    XCTAssertEqual(recorder.takeEvents(), ["stamps: setting -a0 +c0 +a1: c a (was a)"])
    old.append(a)
    parcel.stamps.removeLast()
    XCTAssertEqual(recorder.events, ["stamps: removal -a1: c (was c a)"])
  }

  func test_C11_arrayReplacedAndRestored_isDeliveredOnce_notIfDistinct() {
    parcel.stamps = [a]
    let array = parcel.stamps
    observeStamps(of: parcel, as: "old", options: .old)
    observeStamps(of: parcel, as: "distinct", options: [.old, .distinct])
    withObservationTransaction {
      parcel.stamps = [b]
      parcel.stamps = array
    }
    XCTAssertEqual(recorder.takeEvents(), ["old: setting -a0 +a0: a (was a)"])
    withObservationTransaction {
      parcel.stamps = [b]
      array.append(c)
      parcel.stamps = array
    }
    XCTAssertEqual(
      recorder.events, ["old: batch +c1: a c (was a)", "distinct: batch +c1: a c (was a)"])
  }

  func test_C11_twoPathsToOneArray_areNotifiedOnceEach() {
    let other = Parcel()
    other.stamps = parcel.stamps
    observeStamps(of: parcel, as: "one", elements: [\.price])
    observeStamps(of: other, as: "other", elements: [\.price])
    observations.observeArray(parcel.stamps) { $0.write("itself: \($2.line)") }
    withObservationTransaction {
      parcel.stamps.append(a)
      other.stamps.append(b)
    }
    a.price = 2
    XCTAssertEqual(
      recorder.events,
      [
        "one: batch +a0 +b1: a b", "other: batch +a0 +b1: a b", "itself: batch +a0 +b1: a b",
        "one: element a@0: a b 1 → 2", "other: element a@0: a b 1 → 2",
      ])
  }

  // MARK: Elements

  func test_C11_changesOfAnElement_areDeliveredOnce() {
    parcel.stamps = [a, b, a]
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    withObservationTransaction {
      a.price = 5
      a.price = 6
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(recorder.events, ["stamps: element a@0 a@2: a b a 1 → 6"])
  }

  func test_C11_changesOfAnElement_areDeliveredWithTheArray() {
    parcel.stamps = [a, b]
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    withObservationTransaction {
      a.price = 5
      parcel.stamps.insert(c, at: 0)
      c.price = 7
      a.price = 6
    }
    XCTAssertEqual(recorder.events, ["stamps: batch +c0 *a1: c a b"])
  }

  func test_C11_changesOfARemovedElement_areNotDelivered() {
    parcel.stamps = [a, b]
    observeStamps(of: parcel, as: "stamps", elements: [\.price])
    withObservationTransaction {
      a.price = 5
      parcel.stamps.remove(at: 0)
      a.price = 6
    }
    a.price = 7
    XCTAssertEqual(recorder.events, ["stamps: batch -a0: b"])
  }

  func test_C11_distinctElementsBackWhereTheyBegan_areNotDelivered() {
    parcel.stamps = [a]
    observeStamps(of: parcel, as: "stamps", elements: [\.price], options: [.old, .distinct])
    withObservationTransaction {
      a.price = 5
      a.price = 1
    }
    XCTAssertEqual(recorder.events, [])
  }

  // MARK: Plain arrays

  func test_C11_plainArray_isDeliveredOnce() {
    parcel.spares = [a, b]
    observeSpares(options: .old)
    withObservationTransaction {
      parcel.spares.append(c)
      parcel.spares.remove(at: 0)
    }
    XCTAssertEqual(recorder.events, ["spares: batch -a0 +c1: b c (was a b)"])
  }

  func test_C11_plainArrayAndItsElements_areDeliveredOnce() {
    parcel.spares = [a, b]
    observeSpares(elements: [\.price])
    withObservationTransaction {
      b.price = 4
      parcel.spares.insert(c, at: 0)
      b.price = 5
      c.price = 6
    }
    XCTAssertEqual(recorder.takeEvents(), ["spares: batch +c0 *b2: c a b"])
    c.price = 7
    XCTAssertEqual(recorder.events, ["spares: element c@0: c a b 6 → 7"])
  }

  func test_C11_plainArrayBackWhereItBegan_isNotDelivered_ifDistinct() {
    parcel.spares = [a, b]
    observeSpares(options: [.old, .distinct])
    withObservationTransaction {
      parcel.spares.swapAt(0, 1)
      parcel.spares.swapAt(0, 1)
    }
    XCTAssertEqual(recorder.events, [])
  }

  // MARK: Live views

  func test_C11_liveViews_followAtTheEnd_andDeliverOnce() {
    parcel.stamps = [a, b]
    let cheap = parcel.stamps.filtered(on: [\.price]) { $0.price < 3 }
    let sorted = parcel.stamps.sorted(on: [\.price]) { $0.price < $1.price }
    observations.observeArray(cheap) { $0.write("cheap: \($2.elements)") }
    observations.observeArray(sorted) { $0.write("sorted: \($2.elements)") }
    withObservationTransaction {
      parcel.stamps.append(c)
      parcel.stamps.removeFirst()
    }
    XCTAssertEqual(recorder.takeEvents(), ["cheap: [b, c]", "sorted: [b, c]"])
    b.price = 3
    XCTAssertEqual(recorder.events, ["cheap: [c]", "sorted: [c, b]"])
  }

  func test_C11_liveViewOfAView_followsAtTheEnd() {
    parcel.stamps = [a, b]
    let letters = parcel.stamps.filtered(on: [\.price]) { $0.price < 3 }.mapped(on: []) {
      $0.letter
    }
    observations.observeArray(letters) { $0.write($2.elements) }
    withObservationTransaction {
      parcel.stamps.append(c)
      parcel.stamps.removeFirst()
    }
    XCTAssertEqual(recorder.events, [#"["b", "c"]"#])
  }

  func test_C11_liveViewsOfSeveralChanges_deliverOnce() {
    parcel.stamps = [a, b, c]
    let cheap = parcel.stamps.filtered(on: [\.price]) { $0.price < 3 }
    observations.observeArray(cheap) { $0.write($2.elements) }
    withObservationTransaction {
      a.price = 3
      b.price = 4
      parcel.stamps.removeLast()
      c.price = 0
    }
    XCTAssertEqual(cheap.elements.map(\.letter), [])
    XCTAssertEqual(recorder.events, ["[]"])
  }

  func test_C11_liveViewsOnDerivedProperties_deliverOnce_andArePathsSources() {
    final class Grove {
      let leaves: ObservableArray<Leaf> = []
      lazy var short = leaves.filtered(on: [\.label]) { $0.label.count == 1 }
      lazy var letters = short.mapped(on: [\.label]) { $0.label }
      var text: String { "\(short.count) of \(leaves.count), \(leaves.first?.label ?? "")" }
    }
    let grove = Grove()
    let leaves = [Leaf("a"), Leaf("b"), Leaf("c")]
    grove.leaves.append(contentsOf: leaves)
    observe(grove, \.text, as: "text")
    observations.observeArray(grove.short) { $0.write("short: \($2.line)") }
    observations.observeArray(grove.letters) { $0.write("letters: \($2.line)") }
    withObservationTransaction {
      leaves[0].isFresh = false
      leaves[2].isFresh = false
      leaves[0].weight = 3
      XCTAssertEqual(grove.short.count, 0, "follows at the end")
    }
    XCTAssertEqual(
      recorder.takeEvents(),
      [
        "text: 0 of 3, a1 → 2 of 3, a", "short: batch +a0 +c1: a c", "letters: batch +a0 +c1: a c",
      ])
    leaves[0].isFresh = true
    XCTAssertEqual(
      recorder.events.filter { !$0.hasPrefix("text") }.sorted(),
      ["letters: removal -a0: c", "short: removal -a0: c"])
  }

  func test_C11_viewsOfViews_thatFollowElements_deliverOnce() {
    parcel.stamps = [a, b, c]
    let cheap = parcel.stamps.filtered(on: [\.price]) { $0.price < 3 }
    let sorted = cheap.sorted(on: [\.price]) { $0.price < $1.price }
    let prices = sorted.mapped(on: [\.price]) { $0.price }
    for view in [sorted, cheap] { observations.observeArray(view) { $0.write($2.elements) } }
    observations.observeArray(prices) { $0.write($2.elements) }
    withObservationTransaction {
      a.price = 2
      parcel.stamps.append(Stamp("d", price: 0))
      b.price = 9
      c.price = -1
      parcel.stamps.remove(at: 0)
      a.price = 0
      parcel.stamps.append(a)
    }
    XCTAssertEqual(recorder.events.sorted(), ["[-1, 0, 0]", "[c, d, a]", "[c, d, a]"])
  }

  func test_C11_handlersInTheEnd_seeLiveViewsThatFollowed() {
    parcel.stamps = [a, b]
    let cheap = parcel.stamps.filtered(on: [\.price]) { $0.price < 3 }
    observe(parcel, \.width, as: "width") { _ in XCTAssertEqual(cheap.count, 1) }
    withObservationTransaction {
      parcel.width = 2
      a.price = 3
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 2"])
  }

  func test_C11_pathOverAnArrayAndItsView_isNotifiedOnce_andConsistent() {
    final class Board {
      let all: ObservableArray<Int> = [1, 2]
      lazy var even = all.filtered(on: []) { $0.isMultiple(of: 2) }
      var text: String { "\(even.count) of \(all.count)" }
    }
    let board = Board()
    observe(board, \.text, as: "text")
    withObservationTransaction {
      board.all.append(4)
      board.all.append(5)
    }
    XCTAssertEqual(recorder.events, ["text: 1 of 2 → 2 of 4"])
  }
}
