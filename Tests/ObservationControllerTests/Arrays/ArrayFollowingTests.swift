import ObservationController
import TestSupport
import XCTest

/// Arrays that are edited while their elements are being read or delivered.
final class ArrayFollowingTests: TestCase {
  /// An element that calls a closure when it is read.
  private final class Card: Hashable, CustomStringConvertible {
    let letter: String
    @Observed var value = 0
    var onRead: (() -> Void)?

    init(_ letter: String) { self.letter = letter }

    var seen: Int {
      let action = onRead
      onRead = nil
      action?()
      return value * 10
    }

    var description: String { letter }

    static func == (left: Card, right: Card) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private final class Deck {
    @Observed var cards: ObservableArray<Card> = []
    @Observed var plain: [Card] = []
  }

  private let cards = ["a", "b", "c"].map(Card.init)
  private let new = Card("n")
  private let deck = Deck()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  override func setUp() {
    deck.cards = ObservableArray(cards)
    deck.plain = cards
  }

  private func note(_ change: ArrayChange<Card>) {
    let places = change.entries.compactMap(\.newIndex).map(String.init).joined(separator: ",")
    recorder.write("\(change.kind) \(change.elements) at \(places)")
  }

  /// Each element of the array is delivered with its index, removed ones are not.
  private func assertFollowed(_ elements: [Card], line: UInt = #line) {
    recorder.clear()
    for card in Set(cards + [new]) where !elements.contains(card) { card.value += 1 }
    for card in elements { card.value += 1 }
    let lines = elements.indices.map { "element \(elements) at \($0)" }
    XCTAssertEqual(recorder.events, lines, line: line)
  }

  func test_arrayEditedByAnElementsGetter_isFollowedAsEdited() {
    let array = deck.cards
    cards[1].onRead = { [new] in
      array.removeFirst()
      array.append(new)
    }
    observations.observeArray(array, elements: [\.seen]) { [unowned self] _, _, change in
      note(change)
    }
    XCTAssertEqual(array.elements, [cards[1], cards[2], new])
    assertFollowed(array.elements)
  }

  func test_arrayOfAnObject_editedByAnElementsGetter_isFollowedAsEdited() {
    cards[0].onRead = { [deck, new] in
      deck.cards.insert(new, at: 0)
      deck.cards.removeLast()
    }
    observations.observeArray(deck, \.cards, elements: [\.seen], options: .initial) {
      [unowned self] _, _, change in
      note(change)
    }
    assertFollowed([new, cards[0], cards[1]])
  }

  func test_C3_elementChangedByItsGetter_isDeliveredAfterTheInitialChange() {
    for card in cards { card.onRead = { [unowned card] in card.value += 1 } }
    observations.observeArray(deck.cards, elements: [\.value, \.seen], options: .initial) {
      [unowned self] _, _, change in
      note(change)
    }
    let lines = cards.indices.map { "element \(cards) at \($0)" }
    XCTAssertEqual(recorder.events, ["initial \(cards) at 0,1,2"] + lines)
  }

  func test_plainArray_changedByAnElementsGetter_isFollowedAsChanged() {
    cards[2].onRead = { [deck, new] in
      deck.plain.swapAt(0, 2)
      deck.plain[1] = new
    }
    observations.observeArray(deck, \.plain, elements: [\.seen]) { [unowned self] _, _, change in
      note(change)
    }
    assertFollowed([cards[2], new, cards[0]])
  }

  func test_arrayEditedByANewElementsGetter_isFollowedAsEdited() {
    let array = deck.cards
    let replay = ArrayReplay(array.elements)
    replay.follow(array, elements: [\.seen], by: observations) { [unowned self] in note($0) }
    new.onRead = { [cards] in array.insert(cards[0], at: 0) }
    array.append(contentsOf: [new, new])
    XCTAssertEqual(replay.elements, array.elements)
    XCTAssertEqual(replay.flaws, [])
    recorder.clear()
    new.value = 1
    cards[0].value = 1
    XCTAssertEqual(
      recorder.events, ["element \(array.elements) at 4,5", "element \(array.elements) at 0,1"])
  }

  func test_arrayReplacedInABatch_andAgainByItsHandler_isDeliveredInOrder() {
    let (old, next, last) = (
      deck.cards, ObservableArray<Card>([cards[1]]), ObservableArray<Card>([cards[2]])
    )
    observations.observeArray(deck, \.cards, elements: [\.value], options: .old) {
      [unowned self] _, deck, change in
      recorder.write("\(change.kind) \(change.oldElements ?? []) → \(change.elements)")
      if change.kind == .insertion || change.kind == .batch { deck.cards = last }
    }
    old.performBatchUpdates {
      old.append(new)
      deck.cards = next
    }
    XCTAssertEqual(deck.cards.elements, [cards[2]])
    let whole = cards + [new]
    XCTAssertEqual(recorder.events.first, "batch \(cards) → \(whole)")
    XCTAssertEqual(recorder.events.last, "setting [b] → [c]")
    XCTAssertEqual(recorder.events.count, 3, "\(recorder.events)")
    recorder.clear()
    for card in whole { card.value += 1 }
    old.removeAll()
    next.removeAll()
    XCTAssertEqual(recorder.events, ["element [c] → [c]"], "only the last one is followed")
  }

  func test_C9_observerAddedInATransactionInABatch_isNotifiedOfLaterEdits() {
    let array = deck.cards
    let first = ArrayReplay(array.elements)
    first.follow(array, by: observations, context: "first")
    var late: ArrayReplay<Card>?
    array.performBatchUpdates {
      array.append(new)
      withObservationTransaction {
        late = ArrayReplay(array.elements)
        late?.follow(array, by: observations, context: "late")
        array.removeFirst()
      }
      array.swapAt(0, 1)
    }
    for replay in [first, late!] {
      XCTAssertEqual(replay.elements, array.elements)
      XCTAssertEqual(replay.flaws, [])
    }
    XCTAssertEqual(late?.changes.count, 1)
  }

  func test_C8_elementsThatChangeEachOtherForEver_stop() {
    let array = deck.cards
    var isCyclic = true
    let issues = collectingIssues {
      observations.observeArray(array, elements: [\.value]) { [cards] recorder, _, change in
        recorder.write("\(change.kind) \(change.entries.map(\.element))")
        guard isCyclic, let element = change.entries.first?.element else { return }
        cards[element === cards[0] ? 1 : 0].value += 1
      }
      cards[0].value = 1
    }
    guard case .cycle? = issues.first, issues.count == 1 else { return XCTFail("\(issues)") }
    XCTAssertEqual(recorder.events.prefix(3), ["element [a]", "element [b]", "element [a]"])
    XCTAssertEqual(recorder.events.count, 200, "100 of each property")
    isCyclic = false
    recorder.clear()
    cards[2].value += 1
    cards[2].value += 1
    array.removeLast()
    XCTAssertEqual(recorder.events, ["element [c]", "element [c]", "removal [c]"])
  }
}
