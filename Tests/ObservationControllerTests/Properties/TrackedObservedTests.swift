import Observation
import ObservationController
import TestSupport
import XCTest

/// Properties with two kinds of observers: tracking before the store, this library after it.
final class TrackedObservedTests: TestCase {
  private let document = TrackedDocument()
  private let recorder = LineRecorder()

  /// Records each change.
  private func observe<Value>(
    _ observations: ObservationController<LineRecorder>, _ keyPath: KeyPath<TrackedDocument, Value>,
    _ options: ObservationOptions = .old
  ) {
    observations.observe(document, keyPath, options: options) { recorder, _, change in
      recorder.write(RecordedEvent(change))
    }
  }

  func test_set_notifiesTrackingBeforeTheStore_andObserversAfterIt() {
    let observations = ObservationController(observer: recorder)
    observe(observations, \.text)
    let reference = UncheckedReference(document)
    withObservationTracking {
      _ = document.text
    } onChange: { [recorder] in
      recorder.write("tracked at \(reference.object.text)")
    }
    document.text = "a"
    document.text = "b"
    XCTAssertEqual(
      recorder.events,
      ["tracked at ", #"changed(Optional(""), "a")"#, #"changed(Optional("a"), "b")"#])
  }

  func test_set_unobserved_storesTheValue() {
    document.text = "a"
    document.text += "b"
    XCTAssertEqual(document.text, "ab")
  }

  func test_set_trackedOnly_notifiesTracking_alsoOfAnEqualValue() {
    for _ in 1...3 {
      recorder.track("tracked") { document.text }
      document.text = "a"
    }
    XCTAssertEqual(recorder.events, ["tracked", "tracked", "tracked"])
  }

  func test_set_otherPropertyTracked_doesNotNotifyTracking() {
    recorder.track("text") { document.text }
    document.tags = ["a"]
    document.title = "T"
    document.visits = 1
    XCTAssertEqual(recorder.events, [])
    document.text = "a"
    XCTAssertEqual(recorder.events, ["text"])
  }

  func test_set_otherObjectTracked_doesNotNotifyTracking() {
    let other = TrackedDocument()
    recorder.track("other") { other.text }
    document.text = "a"
    XCTAssertEqual(recorder.events, [])
  }

  func test_set_manualConformance_andSubclass_notifyBoth() {
    let poet = TrackedPoet("Ada")
    let observations = ObservationController(observer: recorder)
    observations.observe(poet, \.name) { recorder, _, change in
      recorder.write("name \(change.newValue)")
    }
    observations.observe(poet, \.poems) { recorder, _, change in
      recorder.write("poems \(change.newValue)")
    }
    recorder.track("tracked name") { poet.name }
    recorder.track("tracked poems") { poet.poems }
    poet.name = "Grace"
    (poet as TrackedAuthor).name = "Joan"
    poet.poems += 1
    XCTAssertEqual(
      recorder.events, ["tracked name", "name Grace", "name Joan", "tracked poems", "poems 1"])
  }

  func test_prior_comesBetweenTrackingAndTheStore_withTheNextValue() {
    let observations = ObservationController(observer: recorder)
    observations.observe(document, \.text, options: [.prior, .old]) { recorder, document, change in
      recorder.write("\(RecordedEvent(change)), is \(document.text)")
    }
    recorder.track("tracked") { document.text }
    document.text = "a"
    XCTAssertEqual(
      recorder.events, ["tracked", #"prior(""), is "#, #"changed(Optional(""), "a"), is a"#])
  }

  // MARK: In place

  func test_mutationInPlace_isOneChangeForBoth() {
    for (options, delivered) in [
      ([], [#"changed(nil, ["a"])"#]), (.old, [#"changed(Optional([]), ["a"])"#]),
      (.distinct, [#"changed(nil, ["a"])"#]), (.prior, ["prior([])", #"changed(nil, ["a"])"#]),
    ] as [(ObservationOptions, [String])] {
      let (document, recorder) = (TrackedDocument(), LineRecorder())
      let observations = ObservationController(observer: recorder)
      observations.observe(document, \.tags, options: options) { recorder, _, change in
        recorder.write(RecordedEvent(change))
      }
      recorder.track("tracked") { document.tags }
      document.tags.append("a")
      XCTAssertEqual(recorder.events, ["tracked"] + delivered)
    }
  }

  func test_mutationInPlace_thatThrows_isDelivered() {
    let observations = ObservationController(observer: recorder)
    observe(observations, \.tags)
    recorder.track("tracked") { document.tags }
    func change(_ tags: inout [String]) throws {
      tags.append("a")
      throw Failure()
    }
    XCTAssertThrowsError(try change(&document.tags))
    XCTAssertEqual(recorder.events, ["tracked", #"changed(Optional([]), ["a"])"#])
  }

  func test_mutationInPlace_copiesNothing() {
    let observations = ObservationController(observer: recorder)
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
    let observations = ObservationController(observer: recorder)
    observations.observe(document, \.author?.name, options: .old) { recorder, _, change in
      recorder.write("\(change.oldValue! ?? "-") \(change.newValue ?? "-")")
    }
    recorder.track("tracked") { document.author?.name }
    document.author = ada
    document.author = grace
    ada.name = "Augusta"
    grace.name = "Joan"
    document.author = nil
    XCTAssertEqual(recorder.events, ["tracked", "- Ada", "Ada Grace", "Grace Joan", "Joan -"])
  }

  func test_computedPath_readingBothKinds_isNotifiedByBoth() {
    let observations = ObservationController(observer: recorder)
    observe(observations, \.summary)
    recorder.track("tracked") { document.summary }
    document.tags = ["a"]
    document.text = "b"
    XCTAssertEqual(
      recorder.events,
      [
        "tracked", #"changed(Optional(" []"), " [\"a\"]")"#,
        #"changed(Optional(" [\"a\"]"), "b [\"a\"]")"#,
      ])
  }

  func test_derived_readsTheProperty_andFollowsIt() {
    let observations = ObservationController(observer: recorder)
    observe(observations, \.length)
    document.text = "abc"
    document.text += "d"
    XCTAssertEqual(recorder.events, ["changed(Optional(0), 3)", "changed(Optional(3), 4)"])
  }

  func test_transaction_delaysDeliveries_andNotifiesTrackingAtEachStore() {
    let observations = ObservationController(observer: recorder)
    observe(observations, \.text)
    withObservationTransaction {
      for text in ["a", "b"] {
        recorder.track("tracked") { document.text }
        document.text = text
        recorder.write("set \(document.text)")
      }
      recorder.track("tracked in place") { document.text }
      document.text += "c"
    }
    XCTAssertEqual(
      recorder.events,
      [
        "tracked", "set a", "tracked", "set b", "tracked in place",
        #"changed(Optional(""), "bc")"#,
      ])
  }

  func test_transaction_backWhereItBegan_isNotDelivered_ifDistinct() {
    let observations = ObservationController(observer: recorder)
    observe(observations, \.text, .distinct)
    withObservationTransaction {
      document.text = "a"
      document.text = ""
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_bindings_setTrackedProperties_andFollowThem() {
    let author = TrackedAuthor("Ada")
    let observations = ObservationController(observer: recorder)
    observations.bind(author, \.name, to: document, \.text)
    observations.bindTwoWay(
      author, \.count, with: document, \.visits, forward: { $0 * 2 }, backward: { $0 / 2 })
    recorder.track("text") { document.text }
    recorder.track("count") { author.count }
    author.name = "Grace"
    document.visits = 8
    XCTAssertEqual(document.text, "Grace")
    XCTAssertEqual(author.count, 4)
    XCTAssertEqual(recorder.events, ["text", "count"])
  }
}
