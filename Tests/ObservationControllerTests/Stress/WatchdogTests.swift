import Foundation
import ObservationController
import TestSupport
import XCTest

/// The watchdog of the stress programs, and what it says of a real deadlock.
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
    /// Two threads take two locks in opposite orders, which the library can't keep them from.
    func test_watchdog_deadlock_endsTheProcess_andPrintsWhoHoldsWhat() {
      let variable = "OBSERVATION_DEADLOCK"
      guard ProcessInfo.processInfo.environment[variable] == nil else { return deadlock() }
      let (status, output) = Subprocess.runAgain(
        "WatchdogTests/test_watchdog_deadlock_endsTheProcess_andPrintsWhoHoldsWhat",
        // ThreadSanitizer would tell of the order of the locks, and end the process before it is stuck.
        environment: [variable: "1", "TSAN_OPTIONS": "detect_deadlocks=0"])
      XCTAssertNotEqual(status, 0)
      let lines = output.split(separator: "\n").map(String.init)
      XCTAssertTrue(output.contains("No progress in 20 polls: two locks"), output)
      for (thread, line) in [
        (0, "thread 0 (1 steps): first, then second"),
        (1, "thread 1 (1 steps): second, then first"),
      ] {
        guard let found = lines.first(where: { $0.contains(line) }) else {
          XCTFail("\(line): \(output)")
          continue
        }
        #if DEBUG
          let parts = found.components(separatedBy: ", ").suffix(3)
          XCTAssertTrue(parts.first?.hasPrefix("holds #") == true, found)
          XCTAssertTrue(parts.first?.contains("AtomicObserved<") == true, found)
          XCTAssertTrue(parts.first?.contains("(AtomicObserved+Changes.swift:") == true, found)
          XCTAssertTrue(parts.dropFirst().first?.hasPrefix("waits for #") == true, found)
          XCTAssertEqual(parts.last, "which thread \(1 - thread) holds")
          // Each waits for what the other holds.
          let held = lock(in: parts.first)
          XCTAssertNotNil(held)
          let other = lines.first { $0.contains("thread \(1 - thread) (1 steps)") } ?? ""
          XCTAssertEqual(
            lock(in: other.components(separatedBy: ", ").dropLast().last), held, output)
        #endif
      }
    }

    private func lock(in part: String?) -> Substring? {
      part?.split(separator: " ").first { $0.hasPrefix("#") }
    }

    private func deadlock() {
      let (first, second) = (AtomicObserved(wrappedValue: 0), AtomicObserved(wrappedValue: ""))
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

  #if DEBUG
    /// What the table is made from: the locks of the library that a thread holds while a user's closure
    /// runs. C22: none but that of a property's own `withLock(_:)`.
    func test_lockTrace_insideOfHandlers_isEmpty() {
      let thread = StressThread(0, random: SeededGenerator(seed: 0))
      let meter = Meter()
      let seen = Recorder<[String]>()
      let observations = ObservationController(observer: SilentObserver())
      _ = observations
      Watchdog(of: "trace").run([thread]) { thread in
        let observer = SilentObserver()
        let observations = ObservationController(observer: observer)
        for keyPath in [\Meter.count, \.sum, \.tripled] {
          observations.observe(meter, keyPath, options: [.initial, .prior]) { _, _, _ in
            seen.append(thread.locks.entries.map(\.guarded))
          }
        }
        meter.count += 1
        meter.$count.withLock { _ in
          seen.append(thread.locks.entries.map(\.guarded))
        }
        withExtendedLifetime(observer) {}
      }
      let entries = seen.events
      XCTAssertEqual(entries.filter { !$0.isEmpty }, [["AtomicObserved<Swift.Int>"]])
      XCTAssertGreaterThan(entries.count, 10)
    }
  #endif
}
