import ObservationController
import TestSupport
import XCTest

/// `update(to:)` and its kin: the smallest change that leads to other elements.
final class ArrayUpdateTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private struct Row: Identifiable, Hashable, CustomStringConvertible {
    let id: Int
    var text = ""

    var description: String { "\(id)\(text)" }
  }

  /// Without an id, and equal whatever the text is.
  private struct Word: Hashable {
    let letter: String
    var text = ""

    static func == (left: Word, right: Word) -> Bool { left.letter == right.letter }
    func hash(into hasher: inout Hasher) { hasher.combine(letter) }
  }

  private struct Opaque {
    let number: Int
    let text: String
  }

  private func lines<Element>(
    of array: ObservableArray<Element>, _ body: () -> Void
  ) -> [String] {
    var lines: [String] = []
    let token = observations.observeArray(array) { lines.append($2.description) }
    body()
    token.invalidate()
    return lines
  }

  // MARK: Fewest entries

  /// Entries of a diff that matches the n-th occurrence of an id with the n-th, and leaves as many
  /// elements as can be where they are among each other.
  private func leastEntries(from old: [Row], to new: [Row]) -> Int {
    var unused = Array(old.indices)
    let origins = new.map { row -> Int? in
      guard let place = unused.firstIndex(where: { old[$0].id == row.id }) else { return nil }
      let origin = unused.remove(at: place)
      return old[origin] == row ? origin : nil
    }
    let kept = origins.compactMap { $0 }
    var longest = [Int](repeating: 1, count: kept.count)
    for index in kept.indices {
      for before in 0..<index where kept[before] < kept[index] {
        longest[index] = max(longest[index], longest[before] + 1)
      }
    }
    let staying = longest.max() ?? 0
    return old.count + new.count - kept.count - staying
  }

  /// Updates an array, and checks what its observers and views receive.
  private func check(from old: [Row], to new: [Row], line: UInt = #line) {
    let array = ObservableArray(old)
    let replay = ArrayReplay<Row>(old, hasOld: true)
    replay.follow(array, by: observations)
    let isEven = array.filtered(on: []) { $0.id.isMultiple(of: 2) }
    let sorted = array.sorted(on: []) { $0.id > $1.id }
    let texts = array.mapped(on: []) { $0.description }
    let replays = [ArrayReplay<Row>(isEven.elements), ArrayReplay<Row>(sorted.elements)]
    replays[0].follow(isEven, by: observations)
    replays[1].follow(sorted, by: observations)
    array.update(to: new)
    let message = "\(old) → \(new)"
    XCTAssertEqual(array.elements, new, message, line: line)
    XCTAssertEqual(replay.elements, new, message, line: line)
    XCTAssertEqual(replay.flaws, [], message, line: line)
    let changes = replay.takeChanges()
    XCTAssertEqual(changes.map(\.kind), old == new ? [] : [.batch], message, line: line)
    XCTAssertEqual(
      changes.first?.entries.count ?? 0, leastEntries(from: old, to: new), message, line: line)
    XCTAssertEqual(isEven.elements, new.filter { $0.id.isMultiple(of: 2) }, message, line: line)
    XCTAssertEqual(texts.elements, new.map(\.description), message, line: line)
    XCTAssertEqual(sorted.map(\.id), new.map(\.id).sorted(by: >), message, line: line)
    XCTAssertEqual(replays[0].elements, isEven.elements, message, line: line)
    XCTAssertEqual(replays[1].elements, sorted.elements, message, line: line)
    XCTAssertEqual(replays.flatMap(\.flaws), [], message, line: line)
    observations.unobserveAll()
  }

  func test_update_anySmallArrays_hasTheFewestEntries() {
    let arrays = allArrays(of: [0, 1, 2], upTo: 4).map { $0.map { Row(id: $0) } }
    var cases = Cases(quickOneOutOf: 31)
    for old in arrays {
      for new in arrays where cases.takesNext() { check(from: old, to: new) }
    }
  }

  func test_update_anyOrderOfFiveElements_movesTheFewest() {
    func orders(of rows: [Row]) -> [[Row]] {
      rows.isEmpty
        ? [[]]
        : rows.indices.flatMap { index -> [[Row]] in
          var rest = rows
          let row = rest.remove(at: index)
          return orders(of: rest).map { [row] + $0 }
        }
    }
    let rows = (0..<5).map { Row(id: $0) }
    for order in orders(of: rows) { check(from: rows, to: order) }
  }

  func test_update_randomLargeArrays_hasTheFewestEntries() {
    for seed in seeds(quick: 60, full: 2_000) {
      var generator = SeededGenerator(seed: seed)
      func rows() -> [Row] {
        let ids = Int.random(in: 1...60, using: &generator)
        return (0..<Int.random(in: 0...80, using: &generator)).map { _ in
          let isOther = Int.random(in: 0..<9, using: &generator) == 0
          return Row(id: .random(in: 0..<ids, using: &generator), text: isOther ? "b" : "a")
        }
      }
      check(from: rows(), to: rows())
    }
  }

  // MARK: Matching

  func test_update_ofNothingThatDiffers_deliversNothing() {
    let text = String(repeating: "long", count: 9)
    let texts = ObservableArray([text, "b", text])
    XCTAssertEqual(
      lines(of: texts) { texts.update(to: [String(repeating: "long", count: 9), "b", text]) }, [])
    let tiles = [Tile("a"), Tile("b")]
    let array = ObservableArray(tiles)
    XCTAssertEqual(lines(of: array) { array.update(to: array) }, [])
    XCTAssertEqual(lines(of: array) { array.update(to: tiles) { $0.letter } }, [])
  }

  func test_update_ofAnIdWithAnotherValue_isAReplacement() {
    let rows = ObservableArray([Row(id: 1), Row(id: 2, text: "a"), Row(id: 3)])
    XCTAssertEqual(
      lines(of: rows) { rows.update(to: [Row(id: 1), Row(id: 2, text: "b"), Row(id: 3)]) },
      ["batch: 2a away from 1, 2b at 1"])
  }

  func test_update_ofAnIdThatOccursTwice_matchesTheNthWithTheNth() {
    let rows = ObservableArray([Row(id: 1, text: "a"), Row(id: 2), Row(id: 1, text: "b")])
    XCTAssertEqual(
      lines(of: rows) {
        rows.update(to: [Row(id: 1, text: "a"), Row(id: 1, text: "b"), Row(id: 2)])
      },
      ["batch: 1b from 2 to 1"])
    XCTAssertEqual(
      lines(of: rows) { rows.update(to: [Row(id: 1, text: "b"), Row(id: 2)]) },
      ["batch: 1a away from 0, 1b at 0, 1b away from 1"])
  }

  func test_update_ofInstances_matchesByIdentity_whateverTheirEquality() {
    let (a, b) = (EqualTile("x"), EqualTile("x"))
    let tiles = ObservableArray([a, b])
    XCTAssertEqual(lines(of: tiles) { tiles.update(to: [b, a]) }, ["batch: x from 1 to 0"])
    XCTAssertTrue(tiles[0] === b)
    let anything = ObservableArray<any AnyObject & CustomStringConvertible>([a, b])
    XCTAssertEqual(lines(of: anything) { anything.update(to: [b]) }, ["batch: x away from 0"])
    let optional = ObservableArray<EqualTile?>([a, nil, b])
    XCTAssertEqual(
      lines(of: optional) { optional.update(to: [nil, b]) }, ["batch: Optional(x) away from 0"])
  }

  func test_update_ofEqualValuesThatCanBeToldApart_takesTheNewOnes() {
    let words = ObservableArray([Word(letter: "a", text: "1"), Word(letter: "b")])
    words.update(to: [Word(letter: "b"), Word(letter: "a", text: "2")])
    XCTAssertEqual(words.map(\.text), ["", "2"])
  }

  func test_update_ofElementsThatCantBeMatched_replacesWhatIsBetween() {
    let array = ObservableArray((0..<4).map { Opaque(number: $0, text: "a") })
    var kinds: [String] = []
    observations.observeArray(array) { _, _, change in
      kinds.append("\(change.kind) \(change.entries.map { $0.oldIndex ?? $0.newIndex! })")
    }
    array.update(to: [0, 7, 8, 3].map { Opaque(number: $0, text: "a") })
    array.update(to: [0, 7, 8, 3].map { Opaque(number: $0, text: "a") })
    XCTAssertEqual(kinds, ["batch [1, 1, 2, 2]"])
    XCTAssertEqual(array.map(\.number), [0, 7, 8, 3])
  }

  func test_update_inGenericCode_matchesAsElsewhere() {
    func update<Element>(_ array: ObservableArray<Element>, to new: [Element]) {
      array.update(to: new)
    }
    let rows = ObservableArray((0..<4).map { Row(id: $0) })
    let moved = [3, 0, 1, 2].map { Row(id: $0) }
    XCTAssertEqual(lines(of: rows) { update(rows, to: moved) }, ["batch: 3 from 3 to 0"])
    let numbers: ObservableArray = [1, 2, 3]
    XCTAssertEqual(lines(of: numbers) { update(numbers, to: [3, 1, 2]) }, ["batch: 3 from 2 to 0"])
  }

  func test_update_byAnId_matchesByThat() {
    let tiles = [Tile("a"), Tile("b"), Tile("c")]
    let array = ObservableArray(tiles)
    let other = Tile("b", rank: 9)
    XCTAssertEqual(
      lines(of: array) { array.update(to: [tiles[2], tiles[0], other], by: \.letter) },
      ["batch: b0 away from 1, c0 from 2 to 0, b9 at 2"])
  }

  // MARK: Records

  func test_updateFromRecords_keepsElements_andIsOneChange() {
    let tiles = [Tile("a"), Tile("b"), Tile("c")]
    let array = ObservableArray(tiles)
    let high = array.filtered(on: [\.rank]) { $0.rank > 4 }
    observations.observeArray(array, elements: [\.rank]) {
      $0.write($2)
    }
    observations.observeArray(high) { $0.write("high \($2.kind) \($2.elements)") }
    array.update(
      from: [("c", 5), ("d", 6), ("a", 7)], by: \.0, matching: \.letter,
      make: { Tile($0.0, rank: $0.1) }, refresh: { $0.rank = $1.1 })
    XCTAssertTrue(array[0] === tiles[2] && array[2] === tiles[0])
    XCTAssertEqual(
      recorder.takeEvents().sorted(),
      ["batch -b01 +d61 c52→0 *c50 *a72: c5 d6 a7", "high batch [c5, d6, a7]"])
    array.update(
      from: [("c", 5), ("d", 6), ("a", 7)], by: \.0, matching: \.letter,
      make: { Tile($0.0, rank: $0.1) }, refresh: { if $0.rank != $1.1 { $0.rank = $1.1 } })
    XCTAssertEqual(recorder.events, [])
  }

  func test_updateFromRecords_ofAnIdThatOccursTwice_matchesTheNthWithTheNth() {
    let tiles = [Tile("a", rank: 1), Tile("b", rank: 2), Tile("a", rank: 3)]
    let array = ObservableArray(tiles)
    array.update(
      from: [("a", 10), ("a", 30), ("a", 40)], by: \.0, matching: \.letter,
      make: { Tile($0.0, rank: $0.1) }, refresh: { $0.rank = $1.1 })
    XCTAssertEqual(array.map(\.rank), [10, 30, 40])
    XCTAssertTrue(array[0] === tiles[0] && array[1] === tiles[2])
  }

  // MARK: Around it

  func test_update_ofALiveView_isReported_andCallsNothing() {
    let array = ObservableArray([Tile("a")])
    let view = array.filtered(on: []) { _ in true }
    let issues = collectingIssues {
      view.update(to: [])
      view.update(
        from: [1], by: { $0 }, matching: { _ in 1 }, make: { _ in Tile("b") },
        refresh: { _, _ in XCTFail("refreshes an element of a view") })
    }
    XCTAssertEqual(issues.count, 2)
    XCTAssertEqual(view.count, 1)
  }

  func test_update_inBatchesAndTransactions_isPartOfTheOneChange() {
    let rows = ObservableArray([Row(id: 1), Row(id: 2)])
    XCTAssertEqual(
      lines(of: rows) {
        rows.performBatchUpdates {
          rows.append(Row(id: 3))
          rows.update(to: [Row(id: 3), Row(id: 1)])
        }
      }, ["batch: 3 at 0, 2 away from 1"])
    XCTAssertEqual(
      lines(of: rows) {
        withObservationTransaction {
          rows.update(to: [])
          rows.update(to: [Row(id: 4)])
        }
      }, ["batch: 3 away from 0, 4 at 0, 1 away from 1"])
  }

  func test_update_inAHandler_isDeliveredAfterTheCurrentChange() {
    let rows = ObservableArray([Row(id: 1)])
    let replay = ArrayReplay<Row>(rows.elements)
    replay.follow(rows, by: observations) { _ in
      if rows.count < 5 { rows.update(to: [Row(id: rows.count)] + rows.elements) }
    }
    rows.append(Row(id: 9))
    XCTAssertEqual(replay.elements, rows.elements)
    XCTAssertEqual(replay.flaws, [])
    XCTAssertEqual(rows.count, 5)
  }
}

/// Equal to every other one.
private final class EqualTile: Hashable, CustomStringConvertible {
  let letter: String

  init(_ letter: String) { self.letter = letter }

  var description: String { letter }
  static func == (left: EqualTile, right: EqualTile) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
