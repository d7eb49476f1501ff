#if DEBUG  // `@testable` is not available in a release build.
  import Dispatch
  @testable import ObservationController
  import TestSupport
  import XCTest

  /// Getters ask for the context of their thread only as long as some thread tracks.
  final class ThreadArmingTests: TestCase {
    /// Getters that let all that is idle be disarmed: looked at twice, 256 visits apart.
    private static let visits = 2_000

    private func readPlainly() {
      let model = ArmedModel()
      for _ in 0..<Self.visits { _ = model.number }
    }

    /// Runs `body` on a thread that sleeps until the result is called, which waits for its end.
    private func sleeping(after body: @escaping @Sendable () -> Void) -> () -> Void {
      let (done, wake, end) = (
        DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
      )
      DispatchQueue(label: "sleeper").async {
        body()
        done.signal()
        wake.wait()
        body()
        end.signal()
      }
      done.wait()
      return {
        wake.signal()
        end.wait()
      }
    }

    func test_getters_whileThreadSleepsAfterDerivedRead_areFastAgain() {
      readPlainly()
      XCTAssertFalse(ThreadActivity.isAnyTracking)
      let wake = sleeping { XCTAssertEqual(ArmedModel().sum, 2) }
      XCTAssertTrue(ThreadActivity.isAnyTracking)
      readPlainly()
      XCTAssertFalse(ThreadActivity.isAnyTracking)
      wake()
    }

    func test_getters_whileThreadsSleepAfterObserving_areFastAgain() {
      readPlainly()
      let wakes = (0..<5).map { _ in
        sleeping {
          let model = ArmedModel()
          let recorder = Recorder<Int>()
          let controller = ObservationController(observer: recorder)
          controller.observe(model, \.twice) { _, _, _ in }
          model.number = 2
          controller.unobserveAll()
        }
      }
      readPlainly()
      XCTAssertFalse(ThreadActivity.isAnyTracking)
      for wake in wakes { wake() }
    }

    func test_getters_onThreadWithoutContext_disarmSleepers() {
      readPlainly()
      let wake = sleeping { XCTAssertEqual(ArmedModel().sum, 2) }
      let isTracking = Guarded(true)
      onThreads(2) { number in
        guard number == 0 else { return }
        let model = ArmedModel()
        for _ in 0..<Self.visits { _ = model.number }
        isTracking.withLock { $0 = ThreadActivity.isAnyTracking }
      }
      XCTAssertFalse(isTracking.withLock { $0 })
      wake()
    }

    func test_getter_thatRunsWhileOthersReadPlainly_recordsWhatItReads() {
      let (inside, wake, end) = (
        DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
      )
      let isRight = Guarded(false)
      DispatchQueue(label: "getter").async {
        let model = ArmedModel()
        model.pause = {
          inside.signal()
          wake.wait()
        }
        _ = model.paused
        model.pause = nil
        model.number = 7
        isRight.withLock { $0 = model.paused == 7 }
        end.signal()
      }
      inside.wait()
      readPlainly()
      XCTAssertTrue(ThreadActivity.isAnyTracking)
      wake.signal()
      end.wait()
      XCTAssertTrue(isRight.withLock { $0 }, "the property was read after the pause")
      readPlainly()
      XCTAssertFalse(ThreadActivity.isAnyTracking)
    }

    /// Threads that compute, each in turn with reads that disarm the others.
    func test_threadsThatDisarmEachOther_missNothing() {
      let wrong = Guarded(0)
      let rounds = Effort.count(quick: 300, full: 5_000)
      onThreads(4) { _ in
        let model = ArmedModel()
        for number in 0..<rounds {
          model.number = number
          if model.sum != number + 1 { wrong.withLock { $0 += 1 } }
          for _ in 0..<300 { _ = model.number }
        }
      }
      XCTAssertEqual(wrong.withLock { $0 }, 0)
      readPlainly()
      XCTAssertFalse(ThreadActivity.isAnyTracking, "threads that have ended do not count")
    }
  }

  private final class ArmedModel {
    @Observed var number = 1
    @Observed var other = 1
    var pause: (() -> Void)?
    @Derived({ (model: ArmedModel) in model.number + model.other }) var sum: Int
    @Derived({ (model: ArmedModel) -> Int in
      model.pause?()
      return model.number
    }) var paused: Int
    var twice: Int { number + number }
  }
#endif
