import Dispatch
import Foundation
import ObservationController
import TestSupport
import XCTest

/// Derived values that are marked, held back or computed where nobody delivers them afterwards.
final class DerivedInterleavingTests: TestCase {
  private final class Source {
    @Observed var load = 1
    deinit { load = 5 }
  }

  private final class Reader {
    var source: Source? = Source()
    weak var weakSource: Source?
    @Observed var offset = 0
    var path: Int { (weakSource?.load ?? -1) + offset }
    @Derived({ (reader: Reader) in (reader.weakSource?.load ?? -1) + reader.offset })
    var derived: Int

    init() { weakSource = source }
  }

  func test_C28_setInADeinitInATransaction_withAPath_derivedIsDelivered() {
    for hasPath in [false, true] {
      let reader = Reader()
      let recorder = ChangeRecorder<Int>()
      let observations = ObservationController(observer: recorder)
      if hasPath { observations.observe(reader, \.path) { _, _, _ in } }
      observations.observe(reader, \.derived) { $0.record($2) }
      withObservationTransaction { reader.source = nil }
      reader.offset = 10
      XCTAssertEqual(recorder.events, [.changed(1, -1), .changed(-1, 9)], "path: \(hasPath)")
    }
  }

  private final class Cyclic {
    @Observed var number = 0
    @Derived({ (cyclic: Cyclic) in cyclic.number * 10 }) var derived: Int
    @Derived({ (cyclic: Cyclic) in cyclic.derived + 0 }) var above: Int
    var path: Int { number * 10 }
  }

  func test_C8_cycleOfAProperty_whatDerivesFromItIsDeliveredAfterwards() {
    for keyPath in [\Cyclic.derived, \.above, \.path] {
      for isFirst in [true, false] {
        let object = Cyclic()
        let recorder = ChangeRecorder<Int>()
        let observations = ObservationController(observer: recorder)
        func observe() { observations.observe(object, keyPath) { $0.record($2) } }
        if isFirst { observe() }
        let token = observations.observe(object, \.number) { _, object, _ in object.number += 1 }
        if !isFirst { observe() }
        XCTAssertEqual(collectingIssues { object.number = 1 }.count, 1)
        token.invalidate()
        recorder.clear()
        let last = object.number * 10
        object.number = 500
        XCTAssertEqual(recorder.events, [.changed(last, 5_000)], "\(keyPath) \(isFirst)")
      }
    }
  }

  func test_C11_setAgainAfterAnotherThreadsTransaction_isDeliveredOnce() {
    let parcel = UncheckedReference(Parcel())
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    observations.observe(parcel.object, \.width) { $0.write($2) }
    let (isSet, mayGoOn, isDone) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    withObservationTransaction {
      parcel.object.width = 10
      Thread.detachNewThread {
        withObservationTransaction {
          parcel.object.width = 20
          isSet.signal()
          mayGoOn.wait()
          parcel.object.width = 30
        }
        isDone.signal()
      }
      isSet.wait()
    }
    XCTAssertEqual(recorder.takeEvents(), ["1 → 10"])
    mayGoOn.signal()
    isDone.wait()
    XCTAssertEqual(recorder.events, ["10 → 30"])
  }

  /// Observed before it reads what several threads may change, and so by its turn, not as a path.
  private final class Choice: @unchecked Sendable {
    @Observed var isShared = false
    @AtomicObserved var first = 0
    @AtomicObserved var second = 0
    let hook = Guarded<(@Sendable () -> Void)?>(nil)
    @Derived({ (choice: Choice) in
      guard choice.isShared else { return 0 }
      let value = choice.first
      choice.hook.withLock { $0 }?()
      return value + choice.second
    }) var sum: Int
    @Derived({ (choice: Choice) in choice.sum * 10 }) var above: Int
  }

  func test_C28_changedAgainWhileAnotherThreadComputesIt_isDelivered() {
    let choice = Choice()
    let observer = ChainObserver()
    let (isReading, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let reader = DispatchGroup()
    observer.observations.observe(choice, \.first) { _, choice, change in
      guard change.newValue == 1 else { return }
      choice.hook.withLock {
        $0 = {
          choice.hook.withLock { $0 = nil }
          isReading.signal()
          mayGoOn.wait()
        }
      }
      reader.enter()
      Thread.detachNewThread {
        _ = choice.sum
        reader.leave()
      }
      isReading.wait()
    }
    observer.observations.observe(choice, \.sum) { $0.follow($2) }
    choice.isShared = true
    for value in 1...3 {
      choice.first = value
      XCTAssertEqual(observer.last, value)
    }
    mayGoOn.signal()
    reader.wait()
    choice.first = 4
    XCTAssertEqual(observer.last, 4)
    XCTAssertEqual(observer.breaks, [])
  }

  func test_C28_changedByOthersInEachRun_isDeliveredWithTheNextChange() {
    for (keyPath, factor) in [(\Choice.sum, 1), (\.above, 10)] {
      for isPath in [false, true] {
        let choice = Choice()
        choice.isShared = isPath
        let observer = ChainObserver()
        observer.observations.observe(choice, keyPath) { $0.follow($2) }
        choice.isShared = true
        let runs = CallCounter()
        choice.hook.withLock {
          $0 = { [unowned choice] in
            runs.increment()
            guard runs.count <= 250 else { return }
            onAnotherThread { choice.$first.withLock { $0 += 1 } }
          }
        }
        assertNoIssues { choice.second = 1 }
        choice.hook.withLock { $0 = nil }
        choice.second = 1_000
        XCTAssertEqual(observer.last, (choice.first + 1_000) * factor, "path: \(isPath)")
        XCTAssertEqual(observer.breaks, [])
      }
    }
  }

  func test_C11_readInATransaction_changedByAnotherThread_waitsForTheEnd() {
    for isPath in [false, true] {
      let choice = Choice()
      choice.isShared = isPath
      let recorder = ChangeRecorder<Int>()
      let observations = ObservationController(observer: recorder)
      observations.observe(choice, \.sum) { $0.record($2) }
      choice.isShared = true
      withObservationTransaction {
        choice.first = 1
        XCTAssertEqual(choice.sum, 1)
        onAnotherThread {
          choice.second = 10
          withObservationTransaction { choice.second = 20 }
        }
        XCTAssertEqual(choice.sum, 21)
        choice.first = 2
        XCTAssertEqual(recorder.events, [], "path: \(isPath)")
      }
      choice.second = 30
      XCTAssertEqual(recorder.events, [.changed(0, 22), .changed(22, 32)], "path: \(isPath)")
    }
  }

  private final class Level: @unchecked Sendable {
    @AtomicObserved var number = 0
    let hook = Hook()
    @Derived({ (level: Level) in
      let number = level.number
      level.hook.run()
      return number > 10
    }) var isHigh: Bool
  }

  /// The thread that sets does not know whether a value has changed that another one computes.
  func test_C28_equalValueThatAnotherThreadComputes_isNotDelivered() {
    for options: ObservationOptions in [[], .old, [.old, .prior]] {
      let level = Level()
      let recorder = ChangeRecorder<Bool>()
      let observations = ObservationController(observer: recorder)
      observations.observe(level, \.isHigh, options: options) {
        if !$2.isPrior { $0.record($2) }
      }
      let (isReading, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let reader = DispatchGroup()
      withObservationTransaction {
        level.number = 1
        level.hook.set {
          isReading.signal()
          mayGoOn.wait()
        }
        reader.enter()
        Thread.detachNewThread {
          _ = level.isHigh
          reader.leave()
        }
        isReading.wait()
      }
      level.number = 2
      mayGoOn.signal()
      reader.wait()
      level.number = 3
      XCTAssertEqual(recorder.events, [], "\(options)")
      level.number = 11
      let old = options.isEmpty ? nil : false
      XCTAssertEqual(recorder.events, [.changed(old, true)], "\(options)")
    }
  }

  private final class List {
    @Observed var numbers: ObservableArray<Int> = [1, 2, 3]
  }

  private final class Report {
    let view: ObservableArray<Int>
    @Observed var offset = 0
    @Derived({ (report: Report) in report.view.count + report.offset }) var sum: Int
    var path: Int { sum * 10 }
    init(_ view: ObservableArray<Int>) { self.view = view }
  }

  func test_C10_pathOverAValueOfAViewWithoutASource_isDelivered() {
    var list: List? = List()
    let report = Report(.following(list!, \.numbers))
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    observations.observe(report, \.path) { $0.record($2) }
    list = nil
    XCTAssertEqual(report.view.count, 0)
    XCTAssertEqual(recorder.events, [], "without a notification")
    report.offset = 1
    XCTAssertEqual(recorder.events, [.changed(30, 10)])
  }
}
