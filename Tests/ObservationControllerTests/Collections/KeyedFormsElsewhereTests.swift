import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Every form of observing dictionaries and sets elsewhere: at a path that may lead to none, of
/// plain ones, and of one on its own.
final class KeyedFormsElsewhereTests: TestCase {
  private final class Shelf: @unchecked Sendable {
    @Observed var amounts: ObservableDictionary<String, Int> = ["a": 1]
    @Observed var amountsOrNone: ObservableDictionary<String, Int>? = ["a": 1]
    @Observed var plainAmounts = ["a": 1]
    @Observed var tags: ObservableSet<Int> = [1]
    @Observed var tagsOrNone: ObservableSet<Int>? = [1]
    @Observed var plainTags: Set<Int> = [1]

    /// Adds one to each.
    func grow() {
      amounts["b"] = 2
      amountsOrNone?["b"] = 2
      plainAmounts["b"] = 2
      tags.insert(2)
      tagsOrNone?.insert(2)
      plainTags.insert(2)
    }
  }

  private let queue = DispatchQueue(label: "forms")
  private let shelf = Shelf()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  /// What each of the eight forms delivers.
  private let delivered = [
    "insertion 2 of amounts", "insertion 2 of amounts", "insertion 2 of none",
    "insertion 2 of none", "insertion 2 of plain", "insertion 2 of plain",
    "insertion 2 of set", "insertion 2 of set",
  ]

  func test_onQueue_everyForm_delivers() {
    observations.observeDictionary(shelf, \.amounts, on: queue) {
      $0.write("\($2.kind) \($2.elements.count) of amounts")
    }
    observations.observeDictionary(shelf, \.amountsOrNone, on: queue) {
      $0.write("\($2.kind) \($2.elements.count) of none")
    }
    observations.observeDictionary(shelf, \.plainAmounts, on: queue) {
      $0.write("\($2.kind) \($2.elements.count) of plain")
    }
    observations.observeDictionary(shelf.amounts, on: queue) {
      $0.write("\($2.kind) \($2.elements.count) of amounts")
    }
    observations.observeSet(shelf, \.tags, on: queue) {
      $0.write("\($2.kind) \($2.elements.count) of set")
    }
    observations.observeSet(shelf, \.tagsOrNone, on: queue) {
      $0.write("\($2.kind) \($2.elements.count) of none")
    }
    observations.observeSet(shelf, \.plainTags, on: queue) {
      $0.write("\($2.kind) \($2.elements.count) of plain")
    }
    observations.observeSet(shelf.tags, on: queue) {
      $0.write("\($2.kind) \($2.elements.count) of set")
    }
    queue.whileSuspended { shelf.grow() }
    XCTAssertEqual(recorder.takeEvents().sorted(), delivered)
  }

  @MainActor
  func test_onMainActor_everyForm_delivers() async {
    let observations = observations
    observations.observeDictionaryOnMainActor(shelf, \.amounts) {
      $0.write("\($2.kind) \($2.elements.count) of amounts")
    }
    observations.observeDictionaryOnMainActor(shelf, \.amountsOrNone) {
      $0.write("\($2.kind) \($2.elements.count) of none")
    }
    observations.observeDictionaryOnMainActor(shelf, \.plainAmounts) {
      $0.write("\($2.kind) \($2.elements.count) of plain")
    }
    observations.observeDictionaryOnMainActor(shelf.amounts) {
      $0.write("\($2.kind) \($2.elements.count) of amounts")
    }
    observations.observeSetOnMainActor(shelf, \.tags) {
      $0.write("\($2.kind) \($2.elements.count) of set")
    }
    observations.observeSetOnMainActor(shelf, \.tagsOrNone) {
      $0.write("\($2.kind) \($2.elements.count) of none")
    }
    observations.observeSetOnMainActor(shelf, \.plainTags) {
      $0.write("\($2.kind) \($2.elements.count) of plain")
    }
    observations.observeSetOnMainActor(shelf.tags) {
      $0.write("\($2.kind) \($2.elements.count) of set")
    }
    shelf.grow()
    await drainMainQueue()
    XCTAssertEqual(recorder.takeEvents().sorted(), delivered)
  }

  func test_sequences_everyForm_haveTheChange() async {
    var (ofNone, ofPlain) = (
      observations.changes(ofDictionary: shelf, \.amountsOrNone).makeAsyncIterator(),
      observations.changes(ofDictionary: shelf, \.plainAmounts).makeAsyncIterator()
    )
    var ofOne = observations.changes(ofDictionary: shelf.amounts).makeAsyncIterator()
    var (ofNoSet, ofPlainSet) = (
      observations.changes(ofSet: shelf, \.tagsOrNone).makeAsyncIterator(),
      observations.changes(ofSet: shelf, \.plainTags).makeAsyncIterator()
    )
    var ofOneSet = observations.changes(ofSet: shelf.tags).makeAsyncIterator()
    shelf.grow()
    let dictionaries = await [ofNone.next(), ofPlain.next(), ofOne.next()]
    XCTAssertEqual(dictionaries.map { $0?.elements }, Array(repeating: ["a": 1, "b": 2], count: 3))
    let sets = await [ofNoSet.next(), ofPlainSet.next(), ofOneSet.next()]
    XCTAssertEqual(sets.map { $0?.elements }, Array(repeating: [1, 2], count: 3))
  }
}
