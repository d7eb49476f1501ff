import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Random edits of dictionaries and sets, delivered at once, or joined or not on their way to a
/// queue and to a loop, and replayed there with a property of what is in them.
final class KeyedOnQueueRandomTests: TestCase {
  /// What is shown on the other side: the ranks that were delivered to it.
  private final class Shown: @unchecked Sendable {
    // Used by one queue at a time, and by the test when that is idle.
    let dictionary: DictionaryReplay<Int, Chip>
    let set: SetReplay<Chip>
    var ranks: [Int: Int]
    var setRanks: [Chip: Int]
    var deliveries = 0

    init(_ program: Program, hasOld: Bool) {
      dictionary = DictionaryReplay(program.dictionary.elements, hasOld: hasOld)
      set = SetReplay(program.set.elements)
      (ranks, setRanks) = (program.ranks, program.setRanks)
    }

    func receive(_ change: DictionaryChange<Int, Chip>) {
      deliveries += 1
      dictionary.receive(change)
      for entry in change.entries { ranks[entry.key] = entry.newValue?.rank }
    }

    func receive(_ change: SetChange<Chip>) {
      deliveries += 1
      set.receive(change)
      if change.kind == .setting || change.kind == .initial {
        setRanks = Dictionary(uniqueKeysWithValues: change.elements.map { ($0, $0.rank) })
      }
      for chip in change.removed { setRanks[chip] = nil }
      for chip in change.inserted.union(change.changedElements) { setRanks[chip] = chip.rank }
    }

    func expect(_ program: Program, file: StaticString = #filePath, line: UInt = #line) {
      XCTAssertEqual(dictionary.elements, program.dictionary.elements, file: file, line: line)
      XCTAssertEqual(set.elements, program.set.elements, file: file, line: line)
      XCTAssertEqual(ranks, program.ranks, file: file, line: line)
      XCTAssertEqual(setRanks, program.setRanks, file: file, line: line)
      XCTAssertEqual(dictionary.flaws + set.flaws, [], file: file, line: line)
    }
  }

  private struct Program {
    var generator: SeededGenerator
    let pool = (0..<5).map(Chip.init)
    let dictionary = ObservableDictionary<Int, Chip>()
    let set = ObservableSet<Chip>()

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      for key in 0..<3 { dictionary[key] = pool[key] }
      set.formUnion(pool.prefix(2))
    }

    var ranks: [Int: Int] { dictionary.elements.mapValues(\.rank) }

    var setRanks: [Chip: Int] {
      Dictionary(uniqueKeysWithValues: set.elements.map { ($0, $0.rank) })
    }

    mutating func chip() -> Chip { pool.randomElement(using: &generator)! }

    private mutating func key() -> Int { Int.random(in: 0..<4, using: &generator) }

    mutating func step() {
      switch Int.random(in: 0..<16, using: &generator) {
      case 0, 1: dictionary[key()] = chip()
      case 2, 3: dictionary[key()] = nil
      case 4: dictionary.update(to: [key(): chip(), 4: chip()])
      case 5: dictionary.setElements([key(): chip()])
      case 6, 7: set.insert(chip())
      case 8, 9: set.remove(chip())
      case 10: set.formSymmetricDifference([chip()])
      case 11: set.setElements([chip(), chip()])
      case 12:
        withObservationTransaction {
          chip().rank += 1
          dictionary[key()] = chip()
          set.insert(chip())
          chip().rank += 1
          dictionary[key()] = nil
        }
      case 13:
        dictionary.performBatchUpdates {
          dictionary[key()] = chip()
          chip().rank += 1
          dictionary[key()] = nil
        }
      default: chip().rank += 1
      }
    }
  }

  private func run(seed: UInt64, _ coalescing: ObservationCoalescing, hasOld: Bool) {
    var program = Program(seed: seed)
    let queue = DispatchQueue(label: "replay")
    let shown = Shown(program, hasOld: hasOld)
    let observations = ObservationController(observer: self)
    let options: ObservationOptions = hasOld ? .old : []
    observations.observeDictionary(
      program.dictionary, values: [\.rank], options: options, on: queue, coalescing: coalescing
    ) { _, _, change in shown.receive(change) }
    observations.observeSet(
      program.set, elements: [\.rank], options: options, on: queue, coalescing: coalescing
    ) { _, _, change in shown.receive(change) }
    for _ in 0..<8 {
      let waiting = Int.random(in: 0...6, using: &program.generator)
      let before = shown.deliveries
      queue.whileSuspended { for _ in 0..<waiting { program.step() } }
      shown.expect(program)
      if coalescing != .none { XCTAssertLessThanOrEqual(shown.deliveries - before, 2) }
    }
    observations.unobserveAll()
    queue.drain()
  }

  func test_C11_randomEdits_areReplayedRight_onceForEachTransaction() {
    for seed in seeds(quick: 60, full: 1_000) {
      var program = Program(seed: seed)
      let shown = Shown(program, hasOld: seed.isMultiple(of: 2))
      let observations = ObservationController(observer: self)
      let options: ObservationOptions = seed.isMultiple(of: 2) ? .old : []
      observations.observeDictionary(program.dictionary, values: [\.rank], options: options) {
        shown.receive($2)
      }
      observations.observeSet(program.set, elements: [\.rank], options: options) {
        shown.receive($2)
      }
      for step in 0..<40 {
        let before = shown.deliveries
        if step.isMultiple(of: 3) {
          withObservationTransaction { for _ in 0..<3 { program.step() } }
          XCTAssertLessThanOrEqual(shown.deliveries - before, 2)
        } else {
          program.step()
        }
        shown.expect(program)
      }
    }
  }

  func test_onQueue_randomEdits_areReplayedRight() {
    for seed in seeds(quick: 60, full: 600) {
      run(seed: seed, .none, hasOld: seed.isMultiple(of: 2))
      run(seed: seed, .latest, hasOld: seed.isMultiple(of: 2))
    }
  }

  func test_sequences_randomEdits_areReplayedRight() async {
    for seed in seeds(quick: 40, full: 400) {
      for coalescing in [ObservationCoalescing.none, .latest] {
        var program = Program(seed: seed)
        let shown = Shown(program, hasOld: false)
        let observations = ObservationController(observer: self)
        let dictionaries = observations.changes(
          ofDictionary: program.dictionary, values: [\.rank], coalescing: coalescing)
        let sets = observations.changes(
          ofSet: program.set, elements: [\.rank], coalescing: coalescing)
        var (nextDictionary, nextSet) = (
          dictionaries.makeAsyncIterator(), sets.makeAsyncIterator()
        )
        for _ in 0..<6 {
          for _ in 0..<4 { program.step() }
          // The loops wait for what is not there yet, and for nothing else.
          while shown.dictionary.elements != program.dictionary.elements
            || shown.ranks != program.ranks
          {
            guard let change = await nextDictionary.next() else { return XCTFail("has ended") }
            shown.receive(change)
          }
          while shown.set.elements != program.set.elements || shown.setRanks != program.setRanks {
            guard let change = await nextSet.next() else { return XCTFail("has ended") }
            shown.receive(change)
          }
        }
        observations.unobserveAll()
        while let change = await nextDictionary.next() { shown.receive(change) }
        while let change = await nextSet.next() { shown.receive(change) }
        shown.expect(program)
      }
    }
  }
}
