import Foundation
import ObservationController
import TestSupport
import XCTest

/// The watchdog of the stress programs, and its message about a real deadlock.
final class WatchdogTests: TestCase {
  func test_watchdog_threadsThatEnd_areWaitedFor() {
    let sum = Guarded(0)
    let threads = (0..<8).map { StressThread($0, random: SeededGenerator(seed: 0)) }
    Watchdog(of: "sum").run(threads) { thread in
      for _ in 0..<100 { thread.perform("add") { sum.withLock { $0 += thread.index } } }
    }
    XCTAssertEqual(sum.withLock { $0 }, 2_800)
    XCTAssertEqual(threads.map(\.hasEnded), Array(repeating: true, count: 8))
    XCTAssertEqual(threads.map(\.progress), Array(repeating: 200, count: 8))
  }

  #if os(Linux) || os(macOS)
    /// Two threads take two locks in opposite orders.
    func test_watchdog_deadlock_endsTheProcess_andPrintsEachThread() {
      let variable = "OBSERVATION_DEADLOCK"
      guard ProcessInfo.processInfo.environment[variable] == nil else { return deadlock() }
      let (status, output) = Subprocess.runAgain(
        "WatchdogTests/test_watchdog_deadlock_endsTheProcess_andPrintsEachThread",
        // ThreadSanitizer would report the order of the locks, and end the process before it is
        // stuck.
        environment: [variable: "1", "TSAN_OPTIONS": "detect_deadlocks=0"])
      XCTAssertNotEqual(status, 0)
      XCTAssertTrue(output.contains("No progress in 20 polls: two locks"), output)
      XCTAssertTrue(output.contains("thread 0 (1 steps): first, then second"), output)
      XCTAssertTrue(output.contains("thread 1 (1 steps): second, then first"), output)
    }

    private func deadlock() {
      let (first, second) = (Guarded(0), Guarded(""))
      let arrived = DispatchGroup()
      for _ in 0..<2 { arrived.enter() }
      let threads = (0..<2).map { StressThread($0, random: SeededGenerator(seed: 0)) }
      Watchdog(of: "two locks", patience: 20).run(threads) { thread in
        if thread.index == 0 {
          thread.perform("first, then second") {
            first.withLock { number in
              arrived.leave()
              arrived.wait()
              second.withLock { $0 += "\(number)" }
            }
          }
        } else {
          thread.perform("second, then first") {
            second.withLock { text in
              arrived.leave()
              arrived.wait()
              first.withLock { $0 += text.count }
            }
          }
        }
      }
    }
  #endif
}
