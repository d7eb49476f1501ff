import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Every form of observing dictionaries and sets elsewhere, at a path, at one that may lead to
/// none, of plain ones, and of one on its own, with properties, options, contexts and coalescing.
final class KeyedFormsElsewhereTests: TestCase {
  private final class Shelf: @unchecked Sendable {
    let chip = Chip()
    @Observed var chips: ObservableDictionary<String, Chip>
    @Observed var chipsOrNone: ObservableDictionary<String, Chip>?
    @Observed var plainChips: [String: Chip]
    @Observed var tags: ObservableSet<Chip>
    @Observed var tagsOrNone: ObservableSet<Chip>?
    @Observed var plainTags: Set<Chip>

    init() {
      chips = ["a": chip]
      chipsOrNone = ["a": chip]
      plainChips = ["a": chip]
      tags = [chip]
      tagsOrNone = [chip]
      plainTags = [chip]
    }

    /// Adds one to each, changes the one that is there, and takes the other one away again.
    func change() {
      let other = Chip()
      chips["b"] = other
      chipsOrNone?["b"] = other
      plainChips["b"] = other
      tags.insert(other)
      tagsOrNone?.insert(other)
      plainTags.insert(other)
      chip.rank += 1
      chips["b"] = nil
      chipsOrNone?["b"] = nil
      plainChips["b"] = nil
      tags.remove(other)
      tagsOrNone?.remove(other)
      plainTags.remove(other)
    }
  }

  /// What observations were told, by their names.
  private final class Log: Sendable {
    private let lines = Guarded<[String: [String]]>([:])

    func receive(_ name: String, _ change: DictionaryChange<String, Chip>) {
      let changed = change.entries.filter { $0.oldValue === $0.newValue }.map(\.key)
      write(
        name, "\(change.kind)", change.elements.count, change.oldElements?.count, changed.count,
        change.valueChange)
    }

    func receive(_ name: String, _ change: SetChange<Chip>) {
      write(
        name, change.kind == .element ? "value" : "\(change.kind)", change.elements.count,
        change.oldElements?.count, change.changedElements.count, change.elementChange)
    }

    private func write(
      _ name: String, _ kind: String, _ count: Int, _ old: Int?, _ changed: Int,
      _ value: ObservedChange<Any>?
    ) {
      let values = value.map { " \($0.oldValue ?? "-")→\($0.newValue)" } ?? ""
      let line = "\(kind) \(old.map { "\($0)→" } ?? "")\(count) *\(changed)\(values)"
      lines.withLock { $0[name, default: []].append(line) }
    }

    func take() -> [String: [String]] { lines.withLock { exchange(&$0, with: [:]) } }
  }

  private struct Setup {
    var options: ObservationOptions = []
    var context: ObservationContext?
    var coalescing = ObservationCoalescing.none

    /// What each form delivers of the shelf's change.
    var expected: [String] {
      let old = options.contains(.old) ? "1→" : ""
      let before = options.contains(.old) ? "2→" : ""
      let initial = options.contains(.initial) ? ["initial 1 *0"] : []
      guard coalescing == .none else {
        // What is joined to an initial delivery is part of it.
        return initial.isEmpty ? ["batch \(old)1 *1"] : initial
      }
      return initial + [
        "insertion \(old)2 *0", "value \(before)2 *1 0→1", "removal \(before)1 *0",
      ]
    }

    static let all: [Setup] = [ObservationCoalescing.none, .latest, .debounce(.seconds(1))]
      .flatMap { coalescing in
        [[], .initial, .old, [.initial, .old, .distinct]].flatMap { options in
          [nil, "context"].map { context in
            Setup(options: options, context: context, coalescing: coalescing)
          }
        }
      }
  }

  private static let names = [
    "path", "path to none", "plain", "alone", "set at a path", "set at a path to none",
    "plain set", "set alone",
  ]

  private let shelf = Shelf()
  private let log = Log()
  private lazy var observations = ObservationController(observer: log)

  private func check(_ setup: Setup, file: StaticString = #filePath, line: UInt = #line) {
    let all = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, setup.expected) })
    XCTAssertEqual(log.take(), all, "\(setup)", file: file, line: line)
  }

  // MARK: Queues

  private func observe(on queue: DispatchQueue, _ setup: Setup) {
    let (options, context, coalescing) = (setup.options, setup.context, setup.coalescing)
    observations.observeDictionary(
      shelf, \.chips, values: [\.rank], options: options, context: context, on: queue,
      coalescing: coalescing
    ) { $0.receive("path", $2) }
    observations.observeDictionary(
      shelf, \.chipsOrNone, values: [\.rank], options: options, context: context, on: queue,
      coalescing: coalescing
    ) { $0.receive("path to none", $2) }
    observations.observeDictionary(
      shelf, \.plainChips, values: [\.rank], options: options, context: context, on: queue,
      coalescing: coalescing
    ) { $0.receive("plain", $2) }
    observations.observeDictionary(
      shelf.chips, values: [\.rank], options: options, context: context, on: queue,
      coalescing: coalescing
    ) { $0.receive("alone", $2) }
    observations.observeSet(
      shelf, \.tags, elements: [\.rank], options: options, context: context, on: queue,
      coalescing: coalescing
    ) { $0.receive("set at a path", $2) }
    observations.observeSet(
      shelf, \.tagsOrNone, elements: [\.rank], options: options, context: context, on: queue,
      coalescing: coalescing
    ) { $0.receive("set at a path to none", $2) }
    observations.observeSet(
      shelf, \.plainTags, elements: [\.rank], options: options, context: context, on: queue,
      coalescing: coalescing
    ) { $0.receive("plain set", $2) }
    observations.observeSet(
      shelf.tags, elements: [\.rank], options: options, context: context, on: queue,
      coalescing: coalescing
    ) { $0.receive("set alone", $2) }
  }

  func test_onQueue_everyForm_deliversAsItIsAskedTo() {
    let queue = DispatchQueue(label: "forms")
    for setup in Setup.all {
      let clock = SteppedClock()
      clock.whileCurrent {
        queue.whileSuspended {
          observe(on: queue, setup)
          shelf.change()
          clock.advance(by: .seconds(2))
        }
        clock.advance(by: .seconds(2))
        queue.drain()
      }
      check(setup)
      let contexts = Self.names.map { _ in setup.context }
      XCTAssertEqual(observations.observations.map(\.context), contexts)
      observations.unobserveAll()
      shelf.chip.rank = 0
    }
  }

  // MARK: The main actor

  @MainActor
  private func observeOnMainActor(_ setup: Setup) {
    let (observations, options, context) = (observations, setup.options, setup.context)
    observations.observeDictionaryOnMainActor(
      shelf, \.chips, values: [\.rank], options: options, context: context,
      coalescing: setup.coalescing
    ) { $0.receive("path", $2) }
    observations.observeDictionaryOnMainActor(
      shelf, \.chipsOrNone, values: [\.rank], options: options, context: context,
      coalescing: setup.coalescing
    ) { $0.receive("path to none", $2) }
    observations.observeDictionaryOnMainActor(
      shelf, \.plainChips, values: [\.rank], options: options, context: context,
      coalescing: setup.coalescing
    ) { $0.receive("plain", $2) }
    observations.observeDictionaryOnMainActor(
      shelf.chips, values: [\.rank], options: options, context: context,
      coalescing: setup.coalescing
    ) { $0.receive("alone", $2) }
    observations.observeSetOnMainActor(
      shelf, \.tags, elements: [\.rank], options: options, context: context,
      coalescing: setup.coalescing
    ) { $0.receive("set at a path", $2) }
    observations.observeSetOnMainActor(
      shelf, \.tagsOrNone, elements: [\.rank], options: options, context: context,
      coalescing: setup.coalescing
    ) { $0.receive("set at a path to none", $2) }
    observations.observeSetOnMainActor(
      shelf, \.plainTags, elements: [\.rank], options: options, context: context,
      coalescing: setup.coalescing
    ) { $0.receive("plain set", $2) }
    observations.observeSetOnMainActor(
      shelf.tags, elements: [\.rank], options: options, context: context,
      coalescing: setup.coalescing
    ) { $0.receive("set alone", $2) }
  }

  @MainActor
  func test_onMainActor_everyForm_deliversAsItIsAskedTo() async {
    for setup in Setup.all {
      let clock = SteppedClock()
      clock.whileCurrent {
        observeOnMainActor(setup)
        shelf.change()
        clock.advance(by: .seconds(2))
      }
      await drainMainQueue()
      check(setup)
      observations.unobserveAll()
      shelf.chip.rank = 0
    }
  }

  // MARK: Sequences

  func test_sequences_everyForm_haveTheChangesThatAreAskedFor() async {
    for setup in Setup.all where setup.context == nil {
      let clock = SteppedClock()
      let restore = clock.skipWaits()
      defer { restore() }
      let (options, coalescing) = (setup.options, setup.coalescing)
      let dictionaries = [
        (
          "path",
          observations.changes(
            ofDictionary: shelf, \.chips, values: [\.rank], options: options,
            coalescing: coalescing)
        ),
        (
          "path to none",
          observations.changes(
            ofDictionary: shelf, \.chipsOrNone, values: [\.rank], options: options,
            coalescing: coalescing)
        ),
        (
          "plain",
          observations.changes(
            ofDictionary: shelf, \.plainChips, values: [\.rank], options: options,
            coalescing: coalescing)
        ),
        (
          "alone",
          observations.changes(
            ofDictionary: shelf.chips, values: [\.rank], options: options, coalescing: coalescing)
        ),
      ]
      let sets = [
        (
          "set at a path",
          observations.changes(
            ofSet: shelf, \.tags, elements: [\.rank], options: options, coalescing: coalescing)
        ),
        (
          "set at a path to none",
          observations.changes(
            ofSet: shelf, \.tagsOrNone, elements: [\.rank], options: options,
            coalescing: coalescing)
        ),
        (
          "plain set",
          observations.changes(
            ofSet: shelf, \.plainTags, elements: [\.rank], options: options,
            coalescing: coalescing)
        ),
        (
          "set alone",
          observations.changes(
            ofSet: shelf.tags, elements: [\.rank], options: options, coalescing: coalescing)
        ),
      ]
      shelf.change()
      // What waits is taken, then the loops end.
      observations.unobserveAll()
      for (name, changes) in dictionaries {
        for await change in changes { log.receive(name, change) }
      }
      for (name, changes) in sets {
        for await change in changes { log.receive(name, change) }
      }
      check(setup)
      shelf.chip.rank = 0
    }
  }
}
