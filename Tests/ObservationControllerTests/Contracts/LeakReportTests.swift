#if os(Linux)
  import Foundation
  import ObservationController
  import TestSupport
  import XCTest

  /// Leaks that LeakSanitizer has to report with the suppressions that `.ci/leaks` gives it: a run
  /// without a report proves nothing otherwise.
  ///
  /// Each leak is made in a process of its own, and has to be reported with the name of the leaked
  /// object.
  final class LeakReportTests: TestCase {
    private let variable = "OBSERVATION_LEAK"

    /// Skipped without LeakSanitizer.
    private func assertReported(
      _ names: [String], _ test: String = #function, line: UInt = #line, _ leak: () -> Void
    ) throws {
      let environment = ProcessInfo.processInfo.environment
      let test = String(test.prefix { $0 != "(" })
      if environment[variable] == test {
        for _ in 0..<20 { scoped(leak) }
        return
      }
      guard isUnderAddressSanitizer, environment["LSAN_OPTIONS"]?.contains("suppressions") == true
      else { throw XCTSkip("needs --sanitize=address and the suppressions: run .ci/leaks") }
      let (status, output) = Subprocess.runAgain(
        "LeakReportTests/\(test)", environment: [variable: test])
      XCTAssertNotEqual(status, 0, line: line)
      XCTAssertTrue(
        output.contains("ERROR: LeakSanitizer: detected memory leaks"), output, line: line)
      for name in names { XCTAssertTrue(output.contains(name), "\(name): \(output)", line: line) }
    }

    /// Released after its controller: the tables list the observer as long as the controller
    /// exists.
    func test_leak_ofAnObserver_isReported() throws {
      try assertReported(["8Castaway"]) {
        let counter = Counter()
        let observer = Castaway()
        let observations = ObservationController(observer: observer)
        observations.observe(counter, \.count) { _, _, _ in }
        counter.count = 1
        _ = Unmanaged.passRetained(observer)
      }
    }

    func test_leak_ofAController_isReported() throws {
      try assertReported(["$s21ObservationControllerAAC8observer15retainsObserved"]) {
        let observations = ObservationController(observer: SilentObserver())
        observations.observe(Counter(), \.count) { _, _, _ in }
        _ = Unmanaged.passRetained(observations)
      }
    }

    /// Weakly referenced, so that it has a side table, which no suppression may match.
    func test_leak_ofAnObservedObject_isReported() throws {
      try assertReported(["8Derelict"]) {
        let observer = SilentObserver()
        let observations = ObservationController(observer: observer, retainsObserved: false)
        let object = Derelict()
        observations.observe(object, \.value) { _, _, _ in }
        object.value = 1
        _ = Unmanaged.passRetained(object)
      }
    }

    func test_leak_ofAClosure_isReported() throws {
      try assertReported(["7Flotsam", "6Jetsam"]) {
        let (observer, counter) = (SilentObserver(), Counter())
        let observations = ObservationController(observer: observer)
        let capture = Jetsam()
        let closure = Flotsam { _, _, _ in withExtendedLifetime(capture) {} }
        observations.observe(counter, \.count, handler: closure.handler)
        counter.count = 1
        _ = Unmanaged.passRetained(closure)
      }
    }

    /// The tables reach an observation that has not ended, so that LeakSanitizer finds no leak: the
    /// tests count observations as well.
    /// is why tests count observations besides.
    func test_observerCapturedByItsOwnHandler_isCounted() {
      let before = ObservationDispatcher.shared.activeObservationCount
      let counter = Counter()
      weak var observer: Castaway?
      scoped {
        let castaway = Castaway()
        observer = castaway
        castaway.observations.observe(counter, \.count) { _, _, _ in
          withExtendedLifetime(castaway) {}
        }
      }
      XCTAssertNotNil(observer)
      XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before + 1)
      ObservationDispatcher.shared.removeObservations(of: counter)
      XCTAssertNil(observer)
      XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before)
    }

    /// The control: without a leak, nothing is reported.
    func test_withoutALeak_nothingIsReported() throws {
      let environment = ProcessInfo.processInfo.environment
      guard environment[variable] == nil else {
        return scoped {
          let observations = ObservationController(observer: SilentObserver())
          observations.observe(Counter(), \.count) { _, _, _ in }
        }
      }
      guard isUnderAddressSanitizer, environment["LSAN_OPTIONS"]?.contains("suppressions") == true
      else { throw XCTSkip("needs --sanitize=address and the suppressions: run .ci/leaks") }
      let (status, output) = Subprocess.runAgain(
        "LeakReportTests/test_withoutALeak_nothingIsReported", environment: [variable: "none"])
      XCTAssertEqual(status, 0, output)
      XCTAssertFalse(output.contains("LeakSanitizer"), output)
    }
  }

  // The leaked classes. Each name has words of its own, since a mangled name does not repeat a
  // word.

  private final class Castaway {
    private(set) lazy var observations = ObservationController(observer: self)
  }

  private final class Derelict {
    @Observed var value = 0
  }

  private final class Flotsam {
    let handler: (SilentObserver, Counter, ObservedChange<Int>) -> Void

    init(_ handler: @escaping (SilentObserver, Counter, ObservedChange<Int>) -> Void) {
      self.handler = handler
    }
  }

  private final class Jetsam {}
#endif
