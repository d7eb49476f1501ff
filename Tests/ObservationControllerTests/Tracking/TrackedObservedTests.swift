import Observation
import ObservationController
import TestSupport
import XCTest

/// One property tells both: tracking before the store, this library after it.
final class TrackedObservedTests: TestCase {
  private let document = TrackedDocument()
  private let journal = LineRecorder()

  /// Writes each change down.
  private func observe<Value>(
    _ observations: ObservationController<LineRecorder>, _ keyPath: KeyPath<TrackedDocument, Value>,
    _ options: ObservationOptions = .old
  ) {
    observations.observe(document, keyPath, options: options) { journal, _, change in
      journal.write(RecordedEvent(change))
    }
  }

  func test_set_tellsTrackingOnceBeforeTheStore_andEachChangeAfterIt() {
    let observations = ObservationController(observer: journal)
    observe(observations, \.text)
    let reference = UncheckedReference(document)
    withObservationTracking {
      _ = document.text
    } onChange: { [journal] in
      journal.write("tracked at \(reference.object.text)")
    }
    document.text = "a"
    document.text = "b"
    XCTAssertEqual(
      journal.events,
      ["tracked at ", #"changed(Optional(""), "a")"#, #"changed(Optional("a"), "b")"#])
  }

  func test_set_nobodyFollows_storesTheValue() {
    document.text = "a"
    document.text += "b"
    XCTAssertEqual(document.text, "ab")
  }

  func test_set_trackedAlone_tellsTracking_alsoOfAnEqualValue() {
    for _ in 1...3 {
      journal.track("tracked") { document.text }
      document.text = "a"
    }
    XCTAssertEqual(journal.events, ["tracked", "tracked", "tracked"])
  }

  func test_set_otherPropertyTracked_isNotTold() {
    journal.track("text") { document.text }
    document.tags = ["a"]
    document.title = "T"
    document.visits = 1
    XCTAssertEqual(journal.events, [])
    document.text = "a"
    XCTAssertEqual(journal.events, ["text"])
  }

  func test_set_otherObjectTracked_isNotTold() {
    let other = TrackedDocument()
    journal.track("other") { other.text }
    document.text = "a"
    XCTAssertEqual(journal.events, [])
  }

  func test_set_classThatConformsByHand_andSubclass_tellBoth() {
    let poet = TrackedPoet("Ada")
    let observations = ObservationController(observer: journal)
    observations.observe(poet, \.name) { journal, _, change in
      journal.write("name \(change.newValue)")
    }
    observations.observe(poet, \.poems) { journal, _, change in
      journal.write("poems \(change.newValue)")
    }
    journal.track("tracked name") { poet.name }
    journal.track("tracked poems") { poet.poems }
    poet.name = "Grace"
    (poet as TrackedAuthor).name = "Joan"
    poet.poems += 1
    XCTAssertEqual(
      journal.events, ["tracked name", "name Grace", "name Joan", "tracked poems", "poems 1"])
  }

  func test_prior_comesBetweenTrackingAndTheStore_withTheNextValue() {
    let observations = ObservationController(observer: journal)
    observations.observe(document, \.text, options: [.prior, .old]) { journal, document, change in
      journal.write("\(RecordedEvent(change)), is \(document.text)")
    }
    journal.track("tracked") { document.text }
    document.text = "a"
    XCTAssertEqual(
      journal.events, ["tracked", #"prior(""), is "#, #"changed(Optional(""), "a"), is a"#])
  }

  // MARK: In place

  func test_mutationInPlace_isOneChangeForBoth() {
    for (options, told) in [
      ([], [#"changed(nil, ["a"])"#]), (.old, [#"changed(Optional([]), ["a"])"#]),
      (.distinct, [#"changed(nil, ["a"])"#]), (.prior, ["prior([])", #"changed(nil, ["a"])"#]),
    ] as [(ObservationOptions, [String])] {
      let (document, journal) = (TrackedDocument(), LineRecorder())
      let observations = ObservationController(observer: journal)
      observations.observe(document, \.tags, options: options) { journal, _, change in
        journal.write(RecordedEvent(change))
      }
      journal.track("tracked") { document.tags }
      document.tags.append("a")
      XCTAssertEqual(journal.events, ["tracked"] + told)
    }
  }

  func test_mutationInPlace_thatThrows_isTold() {
    let observations = ObservationController(observer: journal)
    observe(observations, \.tags)
    journal.track("tracked") { document.tags }
    func change(_ tags: inout [String]) throws {
      tags.append("a")
      throw Failure()
    }
    XCTAssertThrowsError(try change(&document.tags))
    XCTAssertEqual(journal.events, ["tracked", #"changed(Optional([]), ["a"])"#])
  }

  func test_mutationInPlace_copiesNothing() {
    let observations = ObservationController(observer: journal)
    observations.observe(document, \.tags, options: []) { _, _, _ in }
    document.tags = Array(repeating: "a", count: 100)
    document.tags.reserveCapacity(200)
    let before = document.tags.withUnsafeBufferPointer { $0.baseAddress }
    for _ in 1...50 { document.tags.append("b") }
    XCTAssertEqual(before, document.tags.withUnsafeBufferPointer { $0.baseAddress })
  }

  // MARK: Paths, derived values, transactions, bindings

  func test_path_throughTrackedLinks_followsReplacedOnes() {
    let (ada, grace) = (TrackedAuthor("Ada"), TrackedAuthor("Grace"))
    let observations = ObservationController(observer: journal)
    observations.observe(document, \.author?.name, options: .old) { journal, _, change in
      journal.write("\(change.oldValue! ?? "-") \(change.newValue ?? "-")")
    }
    journal.track("tracked") { document.author?.name }
    document.author = ada
    document.author = grace
    ada.name = "Augusta"
    grace.name = "Joan"
    document.author = nil
    XCTAssertEqual(journal.events, ["tracked", "- Ada", "Ada Grace", "Grace Joan", "Joan -"])
  }

  func test_computedPath_readingBothKinds_isToldByBoth() {
    let observations = ObservationController(observer: journal)
    observe(observations, \.summary)
    journal.track("tracked") { document.summary }
    document.tags = ["a"]
    document.text = "b"
    XCTAssertEqual(
      journal.events,
      [
        "tracked", #"changed(Optional(" []"), " [\"a\"]")"#,
        #"changed(Optional(" [\"a\"]"), "b [\"a\"]")"#,
      ])
  }

  func test_derived_readsTheProperty_andFollowsIt() {
    let observations = ObservationController(observer: journal)
    observe(observations, \.length)
    document.text = "abc"
    document.text += "d"
    XCTAssertEqual(journal.events, ["changed(Optional(0), 3)", "changed(Optional(3), 4)"])
  }

  func test_transaction_holdsBackDeliveries_andTellsTrackingAtEachStore() {
    let observations = ObservationController(observer: journal)
    observe(observations, \.text)
    withObservationTransaction {
      for text in ["a", "b"] {
        journal.track("tracked") { document.text }
        document.text = text
        journal.write("set \(document.text)")
      }
      journal.track("tracked in place") { document.text }
      document.text += "c"
    }
    XCTAssertEqual(
      journal.events,
      [
        "tracked", "set a", "tracked", "set b", "tracked in place",
        #"changed(Optional(""), "bc")"#,
      ])
  }

  func test_transaction_backWhereItBegan_tellsNobodyWhoWantsDifferences() {
    let observations = ObservationController(observer: journal)
    observe(observations, \.text, .distinct)
    withObservationTransaction {
      document.text = "a"
      document.text = ""
    }
    XCTAssertEqual(journal.events, [])
  }

  func test_bindings_setTrackedProperties_andFollowThem() {
    let author = TrackedAuthor("Ada")
    let observations = ObservationController(observer: journal)
    observations.bind(author, \.name, to: document, \.text)
    observations.bindTwoWay(
      author, \.count, document, \.visits, forward: { $0 * 2 }, backward: { $0 / 2 })
    journal.track("text") { document.text }
    journal.track("count") { author.count }
    author.name = "Grace"
    document.visits = 8
    XCTAssertEqual(document.text, "Grace")
    XCTAssertEqual(author.count, 4)
    XCTAssertEqual(journal.events, ["text", "count"])
  }
}
