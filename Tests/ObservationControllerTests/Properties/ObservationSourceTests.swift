import Observation
import ObservationController
import TestSupport
import XCTest

/// State that is kept elsewhere, followed through a source.
final class ObservationSourceTests: TestCase {
  /// A store of a C kind: it knows nobody.
  private final class Storage: Sendable {
    private let values = Guarded<[String: Int]>([:])

    subscript(key: String) -> Int {
      get { values.withLock { $0[key] ?? 0 } }
      set { values.withLock { $0[key] = newValue } }
    }
  }

  private final class Settings: Sendable {
    let storage = Storage()
    let source = ObservationSource()

    var volume: Int {
      get {
        source.access()
        return storage["volume"]
      }
      set { source.withChange { storage["volume"] = newValue } }
    }

    init() {}
  }

  private let settings = Settings()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_source_path_isNotifiedOfEachChange_withOldAndNewValue() {
    observations.observe(settings, \.volume) { $0.write($2) }
    settings.volume = 1
    settings.volume = 1
    settings.volume = 2
    XCTAssertEqual(recorder.events, ["0 → 1", "1 → 1", "1 → 2"])
  }

  func test_source_distinct_leavesOutEqualValues() {
    observations.observe(settings, \.volume, options: [.old, .distinct]) { $0.write($2) }
    settings.volume = 1
    settings.volume = 1
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }

  func test_source_priorComesBeforeTheChange() {
    observations.observe(settings, \.volume, options: [.prior, .old]) {
      recorder, settings, change in
      recorder.write("\(change), is \(settings.storage["volume"])")
    }
    settings.volume = 1
    XCTAssertEqual(recorder.events, ["about to change from 0, is 0", "0 → 1, is 1"])
  }

  func test_source_derivedValuesExpressionsAndAutoruns_follow() {
    let settings = settings
    let double = ObservableValue { settings.volume * 2 }
    XCTAssertEqual(double.value, 0)
    observations.observe(double, \.value) { $0.write($2) }
    observations.autorun { $0.write("autorun \(settings.volume)") }
    settings.volume = 3
    XCTAssertEqual(double.value, 6)
    XCTAssertEqual(recorder.events.sorted(), ["0 → 6", "autorun 0", "autorun 3"])
  }

  func test_source_transaction_isDeliveredOnce_atItsEnd() {
    observations.observe(settings, \.volume) { $0.write($2) }
    withObservationTransaction {
      settings.volume = 1
      recorder.write("changed to \(settings.volume)")
      settings.volume = 2
    }
    XCTAssertEqual(recorder.events, ["changed to 1", "0 → 2"])
  }

  func test_source_changeThatThrows_isDelivered() {
    struct Failure: Error {}
    observations.observe(settings, \.volume) { $0.write($2) }
    XCTAssertThrowsError(
      try settings.source.withChange {
        settings.storage["volume"] = 5
        throw Failure()
      })
    XCTAssertEqual(recorder.events, ["0 → 5"])
  }

  func test_source_handlerThatChanges_isOneChainForAll() {
    observations.observe(settings, \.volume) { recorder, settings, change in
      recorder.write("first \(change)")
      if settings.volume < 3 { settings.volume += 1 }
    }
    observations.observe(settings, \.volume, context: "second") { recorder, _, change in
      recorder.write("second \(change)")
    }
    settings.volume = 1
    XCTAssertEqual(settings.volume, 3)
    for name in ["first", "second"] {
      let own = recorder.events.filter { $0.hasPrefix(name) }
      XCTAssertEqual(own.last?.hasSuffix("→ 3"), true, "\(recorder.events)")
    }
  }

  func test_source_changeInsideOfAChange_isDelivered() {
    observations.observe(settings, \.volume) { $0.write($2) }
    settings.source.withChange {
      settings.volume = 1
      settings.storage["volume"] = 2
    }
    XCTAssertEqual(recorder.events, ["0 → 1", "1 → 2"])
  }

  func test_source_unobserved_changesNothingElse() {
    XCTAssertEqual(settings.source.withChange { 7 }, 7)
    settings.volume = 1
    XCTAssertEqual(settings.volume, 1)
    XCTAssertEqual(recorder.events, [])
  }

  func test_C24_source_accessAlone_isObservable() {
    assertNoIssues {
      XCTAssertTrue(observations.observe(settings, \.volume) { _, _, _ in }.isActive)
    }
  }

  func test_source_Observation_isNotifiedOnce_beforeTheChange() {
    let (settings, recorder) = (settings, recorder)
    for isTransaction in [false, true] {
      settings.volume = 0
      withObservationTracking {
        _ = settings.volume
      } onChange: {
        recorder.write("at \(settings.storage["volume"])")
      }
      func change() {
        settings.volume = 1
        settings.volume = 2
      }
      if isTransaction { withObservationTransaction(change) } else { change() }
      XCTAssertEqual(recorder.takeEvents(), ["at 0"])
    }
  }

  func test_source_trace_recordsTheChange() {
    observations.observe(settings, \.volume) { $0.write($2) }
    let trace = ObservationTrace()
    trace.start()
    settings.volume = 1
    trace.stop()
    XCTAssertEqual(recorder.events, ["0 → 1"])
    XCTAssertFalse(trace.events.isEmpty)
  }

  func test_source_endsWithItsUsers_andRetainsNothing() {
    assertLeavesNoObservations {
      weak var released: Settings?
      weak var source: ObservationSource?
      do {
        let settings = Settings()
        (released, source) = (settings, settings.source)
        let controller = ObservationController(observer: recorder, retainsObserved: false)
        controller.observe(settings, \.volume) { _, _, _ in }
        recorder.track("tracked") { settings.volume }
      }
      XCTAssertNil(released)
      XCTAssertNil(source)
    }
  }

  func test_C21_source_onSeveralThreads_isAContiguousChain_andLosesNothing() {
    let (settings, recorder) = (Settings(), ChangeRecorder<Int>())
    let observations = ObservationController(observer: recorder)
    observations.observe(settings, \.volume, options: [.old, .distinct]) { $0.record($2) }
    let rounds = Effort.count(quick: 200, full: 20_000)
    onThreads(3) { thread in
      for round in 0..<rounds { settings.volume = thread * rounds + round }
    }
    var last = 0
    for case .changed(let old, let new) in recorder.events {
      XCTAssertEqual(old, last)
      last = new
    }
    XCTAssertEqual(last, settings.volume)
  }
}
