import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Sections observed on a queue, on the main actor and in loops.
final class SectionElsewhereTests: TestCase {
  /// `Sendable`: changed by the test alone, while the queue waits.
  private final class Chip: CustomStringConvertible, @unchecked Sendable {
    let number: Int
    @Observed var rank: Int
    @Observed var isShown = true

    init(_ number: Int, rank: Int) { (self.number, self.rank) = (number, rank) }

    var description: String { "\(number)" }
  }

  private typealias List = ObservableArray<ObservableSection<Int, Chip>>

  private let queue = DispatchQueue(label: "sections")
  private let chips = [0, 1, 0, 2].enumerated().map { Chip($0, rank: $1) }
  private lazy var source = ObservableArray(chips)
  private lazy var sections = source.sections(on: [\.rank]) { $0.rank }
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func lines(_ body: () -> Void) -> [String] {
    queue.whileSuspended(body)
    return recorder.takeEvents()
  }

  private func observe(
    options: ObservationOptions = [], _ coalescing: ObservationCoalescing = .none
  ) {
    observations.observeSections(
      sections, elements: [\.isShown], options: options, on: queue, coalescing: coalescing
    ) { recorder, _, change in recorder.write("\(change)") }
  }

  func test_onQueue_eachChange_isDeliveredInOrder() {
    observe(options: .initial)
    XCTAssertEqual(
      lines {
        chips[0].rank = 1
        chips[1].isShown = false
        source.removeLast()
        source.append(Chip(4, rank: 7))
      },
      [
        "initial", "moved rows 0.0→1.0, changed rows 1.0", "changed rows 1.1",
        "removed sections 2", "inserted sections 2",
      ])
  }

  func test_onQueue_joined_areOneChange() {
    observe(.latest)
    XCTAssertEqual(
      lines {
        chips[0].rank = 1
        chips[3].isShown = false
        chips[3].isShown = true
        source.insert(Chip(4, rank: -1), at: 0)
        source.removeAll { $0.rank == 0 }
        source.append(Chip(5, rank: 2))
        source.append(Chip(6, rank: 3))
        source.removeLast()
      },
      [
        "removed sections 0, inserted sections 0, inserted rows 1.0 2.1, changed rows 2.0"
      ])
  }

  func test_onQueue_joinedInitial_isTheSectionsByThen() {
    let lines = lines {
      observations.observeSections(sections, options: .initial, on: queue, coalescing: .latest) {
        recorder, _, change in
        recorder.write("\(change): " + change.sections.map { "\($0.key)\($0.elements)" }.joined())
      }
      chips[3].rank = 5
      source.append(Chip(4, rank: 1))
    }
    XCTAssertEqual(lines, ["initial: 0[0, 2]1[1, 4]5[3]"])
  }

  func test_onQueue_joinedThatCancelOut_areNotDelivered() {
    observations.observeSections(sections, on: queue, coalescing: .latest) {
      recorder, _, change in recorder.write("\(change)")
    }
    XCTAssertEqual(
      lines {
        chips[2].rank = 1
        chips[2].rank = 0
        source.append(Chip(4, rank: 1))
        source.removeLast()
      }, [])
    XCTAssertEqual(lines { chips[2].rank = 1 }, ["moved rows 0.1→1.1"])
  }

  func test_onQueue_joined_elementThatComesASecondTime_changesWhereItWas() {
    let sections = source.sections(on: [\.rank, \.isShown]) { $0.rank }
    observations.observeSections(
      sections, elements: [\.isShown], on: queue, coalescing: .latest
    ) { recorder, _, change in recorder.write("\(change)") }
    XCTAssertEqual(
      lines {
        chips[0].isShown = false
        source.insert(chips[0], at: 0)
      }, ["inserted rows 0.0, changed rows 0.1"])
  }

  func test_onQueue_endsWithTheSections_andReleasesTheHandler() {
    let counter = LifetimeCounter()
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    var list: List? = source.sections(on: [\.rank]) { $0.rank }
    let token = observations.observeSections(list!, on: queue) { [ticket = counter.makeTicket()] in
      withExtendedLifetime(ticket) {}
      $0.write("\($2)")
    }
    XCTAssertEqual(counter.count, 1)
    list = nil
    XCTAssertFalse(token.isActive)
    XCTAssertEqual(counter.count, 0)
  }

  @MainActor
  func test_onMainActor_changesAreDelivered() async {
    observations.observeSectionsOnMainActor(
      sections, elements: [\.isShown], options: .initial, coalescing: .none
    ) { recorder, _, change in
      MainActor.assertIsolated()
      recorder.append("\(change)")
    }
    chips[0].rank = 1
    chips[0].isShown = false
    await drainMainQueue()
    XCTAssertEqual(
      recorder.takeEvents(),
      ["initial", "moved rows 0.0→1.0", "changed rows 1.0"].map {
        $0.hasPrefix("moved") ? $0 + ", changed rows 1.0" : $0
      })
  }

  func test_changesOfSections_areTakenOneByOne() async {
    let changes = observations.changes(
      ofSections: sections, elements: [\.isShown], options: .initial)
    chips[3].rank = 1
    chips[0].isShown = false
    observations.unobserveAll()
    chips[0].isShown = true
    let lines = await changes.collect().map(\.description)
    XCTAssertEqual(
      lines, ["initial", "removed sections 2, inserted rows 1.1", "changed rows 0.0"])
  }

  func test_changesOfSections_coalescing_areJoined_andEndWithTheList() async {
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    var list: List? = source.sections(on: [\.rank]) { $0.rank }
    let changes = observations.changes(ofSections: list!, coalescing: .latest)
    chips[0].rank = 1
    chips[2].rank = 1
    var iterator = changes.makeAsyncIterator()
    let first = await iterator.next()
    list = nil
    let second = await iterator.next()
    XCTAssertEqual(first?.description, "removed sections 0, inserted rows 0.0 0.2")
    XCTAssertNil(second)
  }

  // MARK: - At random

  private func run(seed: UInt64, _ coalescing: ObservationCoalescing) {
    var generator = SeededGenerator(seed: seed)
    func number(_ range: Range<Int>) -> Int { .random(in: range, using: &generator) }
    let chips = (0..<5).map { Chip($0, rank: number(0..<4)) }
    let source = ObservableArray(chips.dropLast())
    let list = source.sections(
      on: [\.rank], by: { $0.rank % 3 }, sortedBy: { $0.number < $1.number })
    let shown = list.filtered(on: []) { $0.key != 2 }
    let observations = ObservationController(observer: recorder)
    let replays = [list, shown].map { list in
      SectionReplay(of: list) { $0.rank * 2 + ($0.isShown ? 1 : 0) }
    }
    for (list, replay) in zip([list, shown], replays) {
      observations.observeSections(
        list, elements: [\.rank, \.isShown], on: queue, coalescing: coalescing
      ) { _, _, change in replay.receive(change) }
    }
    func act() {
      let chip = chips[number(0..<5)]
      switch number(0..<10) {
      case 0, 1, 2: chip.rank = number(0..<4)
      case 3, 4: chip.isShown.toggle()
      case 5: source.insert(chip, at: number(0..<source.count + 1))
      case 6 where !source.isEmpty: source.remove(at: number(0..<source.count))
      case 7 where source.count > 1: source.swapAt(0, source.count - 1)
      case 8: source.setElements([chip, chips[number(0..<5)]])
      default: source.update(to: chips.shuffled(using: &generator))
      }
    }
    for step in 0..<12 {
      queue.whileSuspended {
        for _ in 0..<number(1..<5) {
          if number(0..<4) == 0 {
            withObservationTransaction { for _ in 0..<3 { act() } }
          } else {
            act()
          }
        }
      }
      for (list, replay) in zip([list, shown], replays) {
        XCTAssertEqual(replay.flaws, [], "step \(step)")
        XCTAssertEqual(replay.sections.map(\.key), list.map(\.key), "step \(step)")
        XCTAssertTrue(
          zip(replay.sections, list).allSatisfy { $0.elements.elementsEqual($1.elements, by: ===) },
          "step \(step)")
        XCTAssertTrue(replay.isDrawn, "step \(step)")
      }
      guard testRun?.totalFailureCount == 0 else { return }
    }
  }

  func test_onQueue_atRandom_eachChange_leadsToTheSections() {
    for seed in seeds(quick: 2, full: 40) { run(seed: seed, .none) }
  }

  func test_onQueue_atRandom_joined_leadToTheSections() {
    for seed in seeds(quick: 3, full: 40) { run(seed: seed, .latest) }
  }
}
