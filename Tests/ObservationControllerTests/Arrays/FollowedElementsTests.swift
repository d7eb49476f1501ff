import TestSupport
import XCTest

@testable import ObservationController

/// `ArraySink.FollowedElements` checked against lookups in the array.
final class FollowedElementsTests: TestCase {
  func test_randomEdits_ofAShortArrayWithRepeats_keepEveryPlace() {
    for seed in seeds(quick: 1, full: 25) {
      let model = PlacesModel(count: 12, poolCount: 16, seed: seed)
      for _ in 0..<500 where model.flaws.isEmpty {
        model.edit(limit: 24)
        model.lookUp(oneOutOf: 2)
      }
      XCTAssertEqual(model.flaws, [])
    }
  }

  func test_randomEdits_withFewLookups_keepEveryPlace() {
    for seed in seeds(quick: 1, full: 10) {
      let model = PlacesModel(count: 400, poolCount: 1_000, seed: seed)
      for step in 1...300 where model.flaws.isEmpty {
        model.edit(limit: 450)
        model.lookUp(oneOutOf: step % 150 == 0 ? 4 : 400)
      }
      XCTAssertEqual(model.flaws, [])
    }
  }

  func test_hint_afterManyInsertions_startsWhereTheElementBeforeWasFound() throws {
    let marks = (0..<1_000).map { _ in Mark() }
    var elements = ArraySink.FollowedElements()
    elements.set(marks)
    let shifted = (0..<500).map { _ in Mark() } + marks
    let entries = (0..<500).map { Entry(element: shifted[$0], oldIndex: nil, newIndex: $0) }
    _ = elements.follow((isOfEverything: false, entries))
    let hint = try XCTUnwrap(elements.hint(for: marks[0]))
    XCTAssertEqual(hint.index, 0)
    elements.note(marks[0], at: 500, near: hint)
    XCTAssertEqual(elements.guess?.start, 500)
    XCTAssertEqual(elements.hint(for: marks[700])?.index, 700)
    XCTAssertEqual(elements.hint(for: marks[700])?.start, 1_200)
    XCTAssertEqual(elements.hint(for: marks[0])?.index, 500)
  }

  func test_guess_ofAnElementThatIsThereTwice_isNone() {
    let marks = (0..<3).map { _ in Mark() }
    var elements = ArraySink.FollowedElements()
    elements.set(marks)
    XCTAssertNotNil(elements.guess)
    let entry = Entry(element: marks[0], oldIndex: nil, newIndex: 3)
    _ = elements.follow((isOfEverything: false, [entry]))
    XCTAssertNil(elements.guess)
    elements.set(marks)
    XCTAssertNotNil(elements.guess, "all are there once")
  }

  func test_forget_anElementThatIsThereTwice_leavesNothingOfIt() {
    let marks = (0..<3).map { _ in Mark() }
    var elements = ArraySink.FollowedElements()
    elements.set([marks[0], marks[1], marks[0]])
    XCTAssertEqual(elements.hint(for: marks[0])?.index, -1)
    _ = elements.forget(ObjectIdentifier(marks[0]))
    XCTAssertNil(elements.hint(for: marks[0]))
    _ = elements.forget(ObjectIdentifier(marks[0]))
    XCTAssertEqual(elements.hint(for: marks[1])?.index, 1)
  }

  func test_removeAll_leavesNothing_andStartsAgain() {
    let marks = (0..<4).map { _ in Mark() }
    var elements = ArraySink.FollowedElements()
    elements.set(marks)
    XCTAssertEqual(elements.takeJoined().compactMap(\.self).count, 4)
    XCTAssertEqual(elements.takeJoined().count, 0)
    _ = elements.removeAll()
    XCTAssertNil(elements.hint(for: marks[0]))
    elements.set([marks[2], nil, marks[1]])
    XCTAssertEqual(elements.takeJoined().map { $0 == nil }, [false, true, false])
    XCTAssertEqual(elements.hint(for: marks[1])?.index, 2)
  }
}

private typealias Entry = ArrayChange<AnyObject?>.Entry

extension ArraySink.FollowedElements {
  /// Follows a change that sets all elements.
  fileprivate mutating func set(_ elements: [AnyObject?]) {
    let entries = elements.enumerated().map {
      Entry(element: $0.element, oldIndex: nil, newIndex: $0.offset)
    }
    _ = follow((isOfEverything: true, entries))
  }
}

/// An element of which only the identity matters.
private final class Mark {}

/// Elements that are followed in an array, and their expected indices.
private final class PlacesModel {
  private(set) var flaws: [String] = []

  private var elements = ArraySink.FollowedElements()

  /// `nil` is an element that is not followed.
  private let array: ObservableArray<Mark?>
  private let pool: [Mark?]
  private var generator: SeededGenerator
  private lazy var observations = ObservationController(observer: self)

  init(count: Int, poolCount: Int, seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    pool = [nil] + (0..<poolCount).map { _ in Mark() }
    array = ObservableArray(pool.prefix(count))
    elements.set(array.elements)
    check(from: [])
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
      Entry(
        element: $0.element, oldIndex: $0.oldIndex, newIndex: $0.newIndex)
    }
    if change.kind == .setting {
      elements.set(change.elements)
    } else {
      _ = elements.follow((isOfEverything: false, entries))
    }
    check(from: change.oldElements ?? [])
  }

  /// Whether `takeJoined` lists the elements inserted.
  private func check(from old: [Mark?]) {
    let before = Set(old.compactMap { $0.map(ObjectIdentifier.init) })
    let after = Set(array.elements.compactMap { $0.map(ObjectIdentifier.init) })
    let joined = elements.takeJoined().compactMap { $0.map(ObjectIdentifier.init) }
    expect(Set(joined) == after.subtracting(before) && Set(joined).count == joined.count, "joined")
  }

  // MARK: - Lookups

  func lookUp(oneOutOf divisor: Int) {
    for mark in pool.dropFirst() where divisor == 1 || below(divisor) == 0 { lookUp(mark!) }
  }

  private func lookUp(_ mark: Mark) {
    let places = array.elements.indices.filter { array.elements[$0] === mark }
    let hint = elements.hint(for: mark)
    expect((hint == nil) == places.isEmpty, "hint \(String(describing: hint)) for \(places)")
    guard let hint, places.count == 1 else {
      expect(places.isEmpty || elements.guess == nil, "a guess, and several")
      return expect(hint?.index ?? -1 < 0, "several")
    }
    if hint.index >= 0 {
      let found = ElementIdentity.index(of: mark, in: array.elements, near: hint)
      expect(found == places[0], "found at \(String(describing: found)) in place of \(places)")
    }
    if let guess = elements.guess {
      let found = ElementIdentity.index(of: mark, in: array.elements, near: guess)
      expect(found == nil || places == [found], "guessed \(String(describing: found))")
    }
    elements.note(mark, at: places[0], near: hint)
    expect(elements.hint(for: mark)?.index == places[0], "not set")
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
