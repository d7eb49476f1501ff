import TestSupport
import XCTest

@testable import ObservationController

/// `ElementPositions` checked against lookups in the array.
final class ElementPositionsTests: TestCase {
  func test_randomEdits_ofAShortArrayWithRepeats_keepEveryPlace() {
    for seed in seeds(quick: 1, full: 25) {
      let model = PositionsModel(count: 12, poolCount: 16, seed: seed)
      for _ in 0..<500 where model.flaws.isEmpty {
        model.edit(limit: 24)
        model.lookUp(oneOutOf: 2)
      }
      XCTAssertEqual(model.flaws, [])
      XCTAssertGreaterThan(model.rebuilds, 5)
    }
  }

  func test_randomEdits_withFewLookups_overflowTheLogAndKeepEveryPlace() {
    for seed in seeds(quick: 1, full: 10) {
      let model = PositionsModel(count: 400, poolCount: 1_000, seed: seed)
      for step in 1...300 where model.flaws.isEmpty {
        model.edit(limit: 450)
        model.lookUp(oneOutOf: step % 150 == 0 ? 4 : 400)
      }
      XCTAssertEqual(model.flaws, [])
      XCTAssertGreaterThan(model.rebuilds, 2)
      XCTAssertLessThan(model.rebuilds, 150, "mostly, an edit is logged")
    }
  }

  func test_forget_anElementThatIsThereTwice_leavesNothingOfIt() {
    let marks = (0..<3).map { _ in Mark() }
    var positions = ElementPositions()
    XCTAssertEqual(positions.rebuild(with: [marks[0], marks[1], marks[0]]).joined.count, 2)
    let slot = positions.slot(of: marks[0])
    XCTAssertEqual(positions.forget(ObjectIdentifier(marks[0])).left, [slot])
    XCTAssertNil(positions.slot(of: marks[0]))
    XCTAssertEqual(positions.forget(ObjectIdentifier(marks[0])).left, [])
    guard case .at(1) = positions.place(of: marks[1]) else { return XCTFail("not at 1") }
  }

  func test_removeAll_leavesEverySlot_andStartsAgain() {
    let marks = (0..<4).map { _ in Mark() }
    var positions = ElementPositions()
    _ = positions.rebuild(with: marks)
    XCTAssertEqual(positions.removeAll().left.sorted(), [0, 1, 2, 3])
    XCTAssertNil(positions.slot(of: marks[0]))
    XCTAssertEqual(positions.rebuild(with: [marks[2], nil, marks[1]]).joined.count, 2)
    guard case .at(2) = positions.place(of: marks[1]) else { return XCTFail("not at 2") }
  }
}

/// An element of which only the identity matters.
private final class Mark {}

/// Positions that follow an array, and the expected ones.
private final class PositionsModel {
  private(set) var flaws: [String] = []

  /// The number of full logs, or edits in too many places.
  private(set) var rebuilds = 0

  private var positions = ElementPositions()
  private var slots: [ObjectIdentifier: Int] = [:]

  /// `nil` is an element that is not followed.
  private let array: ObservableArray<Mark?>
  private let pool: [Mark?]
  private var generator: SeededGenerator
  private lazy var observations = ObservationController(observer: self)

  init(count: Int, poolCount: Int, seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    pool = [nil] + (0..<poolCount).map { _ in Mark() }
    array = ObservableArray(pool.prefix(count))
    check(positions.rebuild(with: array.elements), from: [])
    observations.observeArray(array, options: .old) { model, _, change in model.follow(change) }
  }

  // MARK: - Edits

  func edit(limit: Int) {
    let count = array.count
    let isFull = count > limit
    let range = range(upTo: 4)
    let marks = (0..<below(isFull ? 1 : 4)).map { _ in pool[below(pool.count)] }
    switch below(20) {
    case 0..<8: array.replaceSubrange(range, with: marks)
    case 8..<12: array.insert(contentsOf: marks, at: below(count + 1))
    case 12..<15: array.removeSubrange(range)
    case 15 where count > 0: array.swapAt(below(count), below(count))
    case 16 where count > 0: array.move(from: below(count), to: below(count))
    case 17: array.append(contentsOf: marks)
    case 18 where below(10) == 0: array.setElements(array.elements.shuffled(using: &generator))
    case 18 where count > 0:
      array.performBatchUpdates {
        for _ in 0..<below(8) { array.swapAt(below(count), below(count)) }
        array.remove(at: below(count))
        array.insert(pool[below(pool.count)], at: 0)
      }
    default: if count > 0 { array.remove(at: below(count)) }
    }
  }

  private func follow(_ change: ArrayChange<Mark?>) {
    let entries = change.entries.map {
      ArrayChange<AnyObject?>.Entry(
        element: $0.element, oldIndex: $0.oldIndex, newIndex: $0.newIndex)
    }
    let isSetting = change.kind == .setting
    var movement = isSetting ? nil : positions.apply(entries, count: change.elements.count)
    if movement == nil {
      rebuilds += isSetting ? 0 : 1
      movement = positions.rebuild(with: change.elements)
    }
    check(movement!, from: change.oldElements ?? [])
  }

  /// Whether `joined` and `left` list the elements inserted and removed.
  private func check(_ movement: ElementPositions.Movement, from old: [Mark?]) {
    let before = Set(old.compactMap { $0.map(ObjectIdentifier.init) })
    let after = Set(array.elements.compactMap { $0.map(ObjectIdentifier.init) })
    let joined = movement.joined.map { ObjectIdentifier($0.element) }
    expect(Set(joined) == after.subtracting(before) && Set(joined).count == joined.count, "joined")
    let gone = before.subtracting(after)
    expect(movement.left.sorted() == gone.map { slots[$0] ?? -1 }.sorted(), "left")
    for element in gone { slots[element] = nil }
    for (slot, element) in movement.joined {
      slots[ObjectIdentifier(element)] = slot
    }
    expect(Set(slots.values).count == slots.count, "two elements in one slot")
    expect((slots.values.max() ?? -1) < positions.slotCount, "slotCount")
  }

  // MARK: - Lookups

  func lookUp(oneOutOf divisor: Int) {
    for mark in pool.dropFirst() where divisor == 1 || below(divisor) == 0 { lookUp(mark!) }
  }

  private func lookUp(_ mark: Mark) {
    let places = array.elements.indices.filter { array.elements[$0] === mark }
    expect(positions.slot(of: mark) == slots[ObjectIdentifier(mark)], "slot")
    switch positions.place(of: mark) {
    case .nowhere: expect(places.isEmpty, "nowhere in place of \(places)")
    case .at(let index): expect(places == [index], "at \(index) in place of \(places)")
    case .somewhere:
      expect(!places.isEmpty, "somewhere in place of nowhere")
      guard let place = places.first else { return }
      positions.setPlace(of: mark, to: place)
      guard places.count == 1 else { return }
      if case .at(place) = positions.place(of: mark) {} else { expect(false, "not set") }
    }
  }

  private func range(upTo length: Int) -> Range<Int> {
    let start = below(array.count + 1)
    return start..<min(array.count, start + below(length))
  }

  private func below(_ end: Int) -> Int { .random(in: 0..<end, using: &generator) }

  private func expect(_ isRight: Bool, _ flaw: @autoclosure () -> String) {
    if !isRight { flaws.append(flaw()) }
  }
}
