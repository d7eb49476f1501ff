import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Random edits, joined or not on their way to a queue and to a loop, and replayed there.
final class ArrayOnQueueRandomTests: TestCase {
  /// What a list on the other side shows: the ranks that were delivered to it.
  private final class Shown: @unchecked Sendable {
    // Used by one queue at a time, and by the test when that is idle.
    let replay: ArrayReplay<Chip>
    var ranks: [Int]
    var deliveries = 0

    init(_ elements: [Chip], hasOld: Bool) {
      replay = ArrayReplay(elements, hasOld: hasOld)
      ranks = elements.map(\.rank)
    }

    func receive(_ change: ArrayChange<Chip>) {
      deliveries += 1
      replay.receive(change)
      // The ranks move as the entries say, and are read where something has changed.
      let before = ranks
      var origins = Array(before.indices)
      if change.kind == .setting || change.kind == .initial {
        ranks = change.elements.map(\.rank)
        return
      }
      let gone = change.entries.compactMap(\.oldIndex).sorted(by: >)
      for index in gone where change.kind != .element { origins.remove(at: index) }
      for entry in change.entries.filter({ $0.newIndex != nil }).sorted(by: {
        $0.newIndex! < $1.newIndex!
      }) where change.kind != .element {
        origins.insert(entry.oldIndex ?? -1, at: entry.newIndex!)
      }
      ranks = origins.enumerated().map { index, origin in
        origin < 0 ? change.elements[index].rank : before[origin]
      }
      for index in change.changedIndices { ranks[index] = change.elements[index].rank }
    }
  }

  private struct Program {
    var generator: SeededGenerator
    let pool = (0..<6).map(Chip.init)
    let array: ObservableArray<Chip>

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      array = ObservableArray(
        pool.shuffled(using: &generator).prefix(seed.isMultiple(of: 3) ? 2 : 6))
    }

    mutating func chip() -> Chip { pool.randomElement(using: &generator)! }

    mutating func step() {
      let count = array.count
      func index(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
      switch Int.random(in: 0..<16, using: &generator) {
      case 0, 1: array.append(chip())
      case 2: array.insert(chip(), at: index(count + 1))
      case 3 where count > 0: array.remove(at: index(count))
      case 4 where count > 0: array.removeLast()
      case 5 where count > 0: array[index(count)] = chip()
      case 6 where count > 1: array.swapAt(index(count), index(count))
      case 7 where count > 1: array.move(from: index(count), to: index(count))
      case 8:
        let doomed = chip()
        array.removeAll { $0 === doomed }
      case 9: array.sort { $0.rank < $1.rank }
      case 10:
        let new = (0..<index(7)).map { _ in chip() }
        array.update(to: new)
      case 11 where Bool.random(using: &generator): array.setElements([chip(), chip()])
      case 12:
        withObservationTransaction {
          chip().rank += 1
          array.append(chip())
          chip().rank += 1
        }
      case 13:
        array.performBatchUpdates {
          array.append(chip())
          chip().rank += 1
          array.remove(at: 0)
        }
      default: chip().rank += 1
      }
    }
  }

  private func run(seed: UInt64, _ coalescing: ObservationCoalescing, hasOld: Bool) {
    var program = Program(seed: seed)
    let array = program.array
    let queue = DispatchQueue(label: "replay")
    let shown = Shown(array.elements, hasOld: hasOld)
    let observations = ObservationController(observer: self)
    observations.observeArray(
      array, elements: [\.rank], options: hasOld ? .old : [], on: queue, coalescing: coalescing
    ) { _, _, change in shown.receive(change) }
    for _ in 0..<8 {
      let waiting = Int.random(in: 0...6, using: &program.generator)
      let before = shown.deliveries
      queue.whileSuspended { for _ in 0..<waiting { program.step() } }
      XCTAssertEqual(shown.replay.elements, array.elements)
      XCTAssertEqual(shown.ranks, array.map(\.rank))
      XCTAssertEqual(shown.replay.flaws, [])
      if coalescing != .none { XCTAssertLessThanOrEqual(shown.deliveries - before, 1) }
    }
    observations.unobserveAll()
    queue.drain()
  }

  func test_onQueue_randomEdits_areReplayedRight() {
    for seed in seeds(quick: 150, full: 1_500) {
      run(seed: seed, .none, hasOld: seed.isMultiple(of: 2))
      run(seed: seed, .latest, hasOld: seed.isMultiple(of: 2))
    }
  }

  func test_onQueue_manyRandomEdits_areComposedInBetween() {
    for seed in seeds(quick: 1, full: 40) {
      var program = Program(seed: seed)
      let array = program.array
      let queue = DispatchQueue(label: "replay")
      let shown = Shown(array.elements, hasOld: false)
      let observations = ObservationController(observer: self)
      observations.observeArray(array, elements: [\.rank], on: queue, coalescing: .latest) {
        _, _, change in shown.receive(change)
      }
      for _ in 0..<2 {
        queue.whileSuspended {
          // More than wait as they are made; and no array that grows without an end.
          for step in 0..<6_000 {
            program.step()
            if step.isMultiple(of: 200) { while array.count > 20 { array.removeLast() } }
          }
        }
        XCTAssertEqual(shown.replay.elements, array.elements)
        XCTAssertEqual(shown.ranks, array.map(\.rank))
        XCTAssertEqual(shown.replay.flaws, [])
      }
      XCTAssertLessThanOrEqual(shown.deliveries, 2)
      observations.unobserveAll()
      queue.drain()
    }
  }

  func test_sequence_randomEdits_areReplayedRight() async {
    for seed in seeds(quick: 80, full: 800) {
      for coalescing in [ObservationCoalescing.none, .latest] {
        var program = Program(seed: seed)
        let array = program.array
        let shown = Shown(array.elements, hasOld: false)
        let observations = ObservationController(observer: self)
        let changes = observations.changes(
          ofArray: array, elements: [\.rank], coalescing: coalescing)
        var iterator = changes.makeAsyncIterator()
        for _ in 0..<6 {
          for _ in 0..<4 { program.step() }
          // A change that is seen for certain, so that the loop need not wait.
          array.append(program.pool[0])
          while shown.replay.elements != array.elements || shown.ranks != array.map(\.rank) {
            guard let change = await iterator.next() else { return XCTFail("has ended") }
            shown.receive(change)
          }
          XCTAssertEqual(shown.replay.flaws, [])
        }
        observations.unobserveAll()
        while let change = await iterator.next() { shown.receive(change) }
        XCTAssertEqual(shown.replay.elements, array.elements)
      }
    }
  }
}
