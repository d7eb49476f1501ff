import Foundation
import ObservationController
import TestSupport
import XCTest

/// The reports of `withObservationLeakCheck`.
final class LeakCheckTests: TestCase {
  private let counter = Counter()
  private let event = ObservableEvent<Int>()
  private let array: ObservableArray<Counter> = [Counter()]
  private let observer = SilentObserver()
  private lazy var controller = ObservationController(observer: observer)

  /// The lines of the leaks that are reported while `body` runs, in their order.
  private func leaks(
    file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void
  ) rethrows -> [UInt] {
    try collectingIssues(body).compactMap { issue in
      guard case .leaked(let keyPath, #fileID, let place) = issue else {
        XCTFail("\(issue)", file: file, line: line)
        return nil
      }
      XCTAssertEqual(issue.keyPath, keyPath, file: file, line: line)
      XCTAssertEqual(issue.line, place, file: file, line: line)
      return place
    }
  }

  func test_leakCheck_controllerDeallocated_reportsNothing() {
    let leaks = leaks {
      withObservationLeakCheck {
        let observations = ObservationController(observer: observer)
        observations.observe(counter, \.count) { _, _, _ in }
        observations.observe(event) { _, _ in }
        observations.observeArray(array, elements: [\.count]) { _, _, _ in }
      }
    }
    XCTAssertEqual(leaks, [])
  }

  #if Foundation
    func test_leakCheck_everyKindLeftBehind_reportsEachWithItsPlace() {
      let target = Counter()
      let hook = ObservableHook<Int, Int> { $0 }
      var view: ObservableArray<Counter>?
      var line: UInt = 0
      let leaks = leaks {
        withObservationLeakCheck {
          line = #line + 1
          controller.observe(counter, \.count) { _, _, _ in }
          controller.observeArray(array, elements: [\.count]) { _, _, _ in }
          controller.bind(counter, \.count, to: target, \.count)
          controller.observe(event) { _, _ in }
          controller.handle(hook) { $1 }
          controller.observe(Notification.Name("LeakCheckTests")) { _, _ in }
          view = array.filtered(on: []) { _ in true }
        }
      }
      // The observations of a live view come before all others, as the view is notified before
      // them.
      XCTAssertEqual(leaks, [line + 6] + (0..<6).map { line + $0 })
      withExtendedLifetime(view) {}
    }
  #endif

  func test_leakCheck_leak_advisesOnOneLine() {
    var line: UInt = 0
    let issues = collectingIssues {
      withObservationLeakCheck {
        line = #line + 1
        controller.observe(counter, \.count) { _, _, _ in }
      }
    }
    XCTAssertEqual(
      issues.map(\.description),
      [
        "\(#fileID):\(line): \\Counter.count was observed here and still is, "
          + "though the leak check has ended: let go of the observer, end the observation, or look "
          + "for what keeps its controller alive"
      ])
  }

  /// The most common leak: an observer that is captured by its own closure.
  func test_leakCheck_observerThatKeepsItself_isReported() {
    weak var selfish: SelfObserver?
    var line: UInt = 0
    let leaks = leaks {
      withObservationLeakCheck {
        let observer = SelfObserver()
        selfish = observer
        line = #line + 1
        observer.observations.observe(counter, \.count) { _, _, change in
          observer.count = change.newValue
        }
      }
    }
    XCTAssertEqual(leaks, [line])
    selfish?.observations.unobserveAll()
    XCTAssertNil(selfish)
  }

  func test_leakCheck_observationThatEndsInBody_isNotReported() {
    let leaks = leaks {
      withObservationLeakCheck {
        controller.observe(counter, \.count) { _, _, _ in }.invalidate()
        let unretaining = ObservationController(observer: observer, retainsObserved: false)
        unretaining.observe(Counter(), \.count) { _, _, _ in }
      }
    }
    XCTAssertEqual(leaks, [])
  }

  func test_leakCheck_earlierObservation_observedAgain_isNotReported() {
    func observe() { controller.observe(counter, \.count) { _, _, _ in } }
    observe()
    let view = array.sorted(on: []) { $0.count < $1.count }
    XCTAssertEqual(leaks { withObservationLeakCheck { observe() } }, [])
    XCTAssertEqual(controller.observations.count, 1)
    withExtendedLifetime(view) {}
  }

  func test_leakCheck_bodyThatThrows_reportsAndThrowsOn() {
    var line: UInt = 0
    let leaks = leaks {
      do {
        try withObservationLeakCheck {
          line = #line + 1
          controller.observe(counter, \.count) { _, _, _ in }
          throw Failure()
        }
        XCTFail("nothing was thrown")
      } catch {
        XCTAssertTrue(error is Failure)
      }
    }
    XCTAssertEqual(leaks, [line])
  }

  func test_leakCheck_result_isReturned_andItsObjectsAreNoLeak() {
    var controller: ObservationController<SilentObserver>?
    var line: UInt = 0
    let leaks = leaks {
      controller = withObservationLeakCheck {
        let controller = ObservationController(observer: observer)
        line = #line + 1
        controller.observe(counter, \.count) { _, _, _ in }
        return controller
      }
    }
    XCTAssertEqual(leaks, [line])
    XCTAssertEqual(controller?.observations.count, 1)
  }

  func test_leakCheck_checkInsideOfAnother_bothReport() {
    var line: UInt = 0
    let leaks = leaks {
      withObservationLeakCheck {
        withObservationLeakCheck {
          line = #line + 1
          controller.observe(counter, \.count) { _, _, _ in }
        }
        controller.observe(event) { _, _ in }
      }
    }
    XCTAssertEqual(leaks, [line, line, line + 2])
  }

  func test_leakCheck_observationOfAnotherThread_isReported() {
    let leaks = leaks {
      withObservationLeakCheck {
        onThread(stackSize: 1 << 20) { [counter = UncheckedReference(counter), controller] in
          _ = controller.observe(counter.object, \.count) { _, _, _ in }
        }
      }
    }
    XCTAssertEqual(leaks.count, 1)
  }

  func test_leakCheck_reporterThatEndsObservations_stillReportsAll() {
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    let lines = Recorder<UInt>()
    ObservationIssue.reporter = { [controller] issue in
      controller.unobserveAll()
      lines.append(issue.line)
    }
    var line: UInt = 0
    withObservationLeakCheck {
      line = #line + 1
      controller.observe(counter, \.count) { _, _, _ in }
      controller.observe(event) { _, _ in }
    }
    XCTAssertEqual(lines.events, [line, line + 1])
    XCTAssertEqual(controller.observations.count, 0)
  }
}

/// The asynchronous form.
final class AsyncLeakCheckTests: TestCase {
  @MainActor
  func test_leakCheck_asyncBody_reportsItsLeaks() async {
    let observer = SilentObserver()
    let controller = ObservationController(observer: observer)
    let counter = Counter()
    let lines = Recorder<UInt>()
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    ObservationIssue.reporter = { issue in lines.append(issue.line) }
    var line: UInt = 0
    let result = await withObservationLeakCheck {
      await Task.yield()
      let short = ObservationController(observer: observer)
      short.observe(counter, \.count) { _, _, _ in }
      line = #line + 1
      controller.observe(counter, \.count) { _, _, _ in }
      await Task.yield()
      return 7
    }
    XCTAssertEqual(result, 7)
    XCTAssertEqual(lines.events, [line])
    withExtendedLifetime(controller) {}
  }
}

/// The form that the documentation shows: around a whole test.
final class LeakCheckAroundTestTests: XCTestCase {
  private let counter = Counter()
  private var observer: SilentObserver?
  private var controller: ObservationController<SilentObserver>?

  override func invokeTest() {
    let issues = collectingIssues {
      withObservationLeakCheck { super.invokeTest() }
    }
    XCTAssertEqual(issues.count, name.contains("notReleased") ? 1 : 0)
  }

  override func setUp() {
    let observer = SilentObserver()
    self.observer = observer
    controller = ObservationController(observer: observer)
    controller?.observe(counter, \.count) { _, _, _ in }
  }

  override func tearDown() {
    if !name.contains("notReleased") { (observer, controller) = (nil, nil) }
  }

  func test_leakCheck_releasedInTearDown_reportsNothing() {}

  func test_leakCheck_notReleased_isReported() {}
}
