import ObservationController
import TestSupport
import XCTest

/// C7, C8, C9 and C18 with atomic properties: handlers that set the property being delivered.
final class AtomicReentrancyTests: TestCase {
  private let meter = Meter()
  private let recorder = ChangeRecorder<Int>()
  private let later = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)
  private lazy var laterObservations = ObservationController(observer: later)

  /// The property, a path of one atomic property, and a derived one.
  private let keyPaths: [KeyPath<Meter, Int>] = [\.count, \.selfCount, \.derivedCount]

  func test_C7_handlerThatSetsThePropertyAgain_eachObserverSeesOneChain() {
    for keyPath in keyPaths {
      meter.count = 0
      observations.observe(meter, keyPath) {
        $0.record($2)
        if $2.newValue < 3 { $1.count += 1 }
      }
      laterObservations.observe(meter, keyPath) { $0.record($2) }
      meter.count = 1
      let chain: [RecordedEvent<Int>] = [.changed(0, 1), .changed(1, 2), .changed(2, 3)]
      XCTAssertEqual(recorder.takeEvents(), chain)
      XCTAssertEqual(later.takeEvents(), chain)
      observations.unobserveAll()
      laterObservations.unobserveAll()
    }
  }

  /// A path that its handler changes does not overtake observations registered after it.
  func test_C7_handlersOfPaths_thatSetTheProperty_allAreNotifiedInTurn() {
    for keyPath in [\Meter.selfCount, \.derivedCount, \.sum] {
      meter.count = 0
      let lines = LineRecorder()
      observations.observe(meter, keyPath, options: [.old, .prior]) {
        if !$2.isPrior { lines.write("path \($2)") }
        if !$2.isPrior, $2.newValue < 3 { $1.count += 1 }
        _ = $0
      }
      observations.observe(meter, \.count) {
        lines.write("property \($2)")
        _ = ($0, $1)
      }
      meter.count = 1
      XCTAssertEqual(
        lines.events,
        [
          "path 0 → 1", "property 0 → 1", "path 1 → 2", "property 1 → 2", "path 2 → 3",
          "property 2 → 3",
        ])
      observations.unobserveAll()
    }
  }

  func test_C7_initialHandler_thatSetsTheProperty_isNotifiedAfterwards() {
    for keyPath in keyPaths {
      meter.count = 0
      observations.observe(meter, keyPath, options: [.initial, .old]) {
        $0.record($2)
        if $2.newValue < 2 { $1.count += 1 }
        $0.record($2)
      }
      XCTAssertEqual(
        recorder.takeEvents(),
        [
          .initial(0), .initial(0), .changed(0, 1), .changed(0, 1), .changed(1, 2), .changed(1, 2),
        ])
      observations.unobserveAll()
    }
  }

  func test_C8_handlerThatSetsThePropertyForEver_stopsWithACycle() {
    for keyPath in keyPaths {
      for options: ObservationOptions in [.old, [.initial, .old]] {
        meter.count = 0
        let issues = collectingIssues {
          observations.observe(meter, keyPath, options: options) {
            $0.record($2)
            $1.count += 1
          }
          if options == .old { meter.count = 1 }
        }
        let events = recorder.takeEvents()
        XCTAssertEqual(issues.count, 1, "\(keyPath) \(options) \(issues)")
        guard case .cycle = issues.first else { return XCTFail("\(issues)") }
        XCTAssertEqual(events.count, options == .old ? 100 : 101, "\(keyPath) \(options)")
        XCTAssertEqual(meter.count, 101)
        observations.unobserveAll()
        meter.count = 0
      }
    }
  }

  func test_C8_afterACycle_laterChangesAreDelivered() {
    var isLooping = true
    let issues = collectingIssues {
      observations.observe(meter, \.count) {
        $0.record($2)
        if isLooping { $1.count += 1 }
      }
      meter.count = 1
      isLooping = false
      meter.count = 7
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(recorder.events.last, .changed(101, 7))
  }

  func test_C9_observationsAddedAndEndedInside_missAndSkip() {
    let token = laterObservations.observe(meter, \.count, context: "ended") { $0.record($2) }
    laterObservations.unobserveAll()
    XCTAssertFalse(token.isActive)
    var ended: ObservationToken?
    observations.observe(meter, \.count) { [self] in
      $0.record($2)
      ended?.invalidate()
      laterObservations.observe($1, \.count, context: "added") { $0.record($2) }
    }
    ended = laterObservations.observe(meter, \.count, context: "ended") { $0.record($2) }
    meter.count = 1
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
    XCTAssertEqual(later.events, [])
    meter.count = 2
    XCTAssertEqual(later.events, [.changed(1, 2)])
  }

  func test_C18_observationEndedInEachDelivery_isNotNotifiedAgain() {
    for keyPath in keyPaths {
      for isInitial in [true, false] {
        observations.observe(meter, keyPath, options: isInitial ? [.initial, .old] : .old) {
          [self] in
          $0.record($2)
          observations.unobserve($1, keyPath)
          $1.count += 1
        }
        meter.count += 1
        meter.count += 1
        XCTAssertEqual(recorder.takeEvents().count, 1, "\(keyPath)")
        XCTAssertEqual(observations.observations.count, 0)
      }
    }
  }

  func test_C4_priorHandlerThatSetsTheProperty_eachChangeFollowsItsPrior() {
    observations.observe(meter, \.count, options: [.prior, .old]) {
      $0.record($2)
      if $2.isPrior, $2.newValue == 0 { $1.count = 5 }
    }
    meter.count = 9
    XCTAssertEqual(
      recorder.events, [.prior(0), .changed(0, 5), .prior(5), .changed(5, 9)])
  }

  func test_deinitOfAnOldValue_thatUsesTheProperty_runsAfterwards() {
    final class Keeper: @unchecked Sendable {
      @AtomicObserved var item: Item?
      let recorder = Recorder<Bool>()
    }
    final class Item: @unchecked Sendable {
      unowned let keeper: Keeper
      init(_ keeper: Keeper) { self.keeper = keeper }
      deinit {
        keeper.recorder.append(keeper.item == nil)
        if keeper.recorder.events.count == 1 { keeper.item = nil }
      }
    }
    let keeper = Keeper()
    keeper.item = Item(keeper)
    keeper.item = nil
    XCTAssertEqual(keeper.recorder.events, [true])
    for options: ObservationOptions in [[], .old, [.old, .prior]] {
      observations.observe(keeper, \.item, options: options) { _, _, _ in }
      keeper.recorder.clear()
      keeper.item = Item(keeper)
      keeper.item = Item(keeper)
      // The first one sets the property, which releases the second one.
      XCTAssertEqual(keeper.recorder.events, [false, true])
      observations.unobserveAll()
    }
  }
}

extension Meter {
  fileprivate var selfCount: Int { count }
  fileprivate var derivedCount: Int { tripled / 3 }
}
