import Foundation
import ObservationController
import TestSupport
import XCTest

/// Two atomic properties that are locked inside of each other in opposite orders.
final class AtomicLockOrderTests: TestCase {
  /// The ways to lock two properties, and both again in the opposite order.
  private let inversions: [(Meter, Meter) -> Void] = [
    { a, b in
      swap(&a.count, &b.other)
      swap(&b.other, &a.count)
    },
    { a, b in
      a.$count.withLock { _ in b.$other.withLock { _ in } }
      b.$other.withLock { _ in a.$count.withLock { _ in } }
    },
    { a, b in
      a.$count.withLock { _ in b.other = 1 }
      b.$other.withLock { $0 += a.count }
    },
    { a, b in
      a.$count.withLock { $0 = b.otherAlone }
      swap(&b.other, &a.count)
    },
  ]

  #if DEBUG
    func test_oppositeOrder_isReportedOnce_namingBoth() {
      for (index, invert) in inversions.enumerated() {
        for isOneObject in [true, false] {
          let a = Meter()
          let b = isOneObject ? a : Meter()
          let issues = collectingIssues {
            for _ in 0..<3 { invert(a, b) }
          }
          XCTAssertEqual(issues.count, 1, "\(index) \(issues)")
          guard case .lockOrder(let first, let second)? = issues.first else {
            return XCTFail("\(index) \(issues)")
          }
          XCTAssertEqual([first, second].sorted(), ["\\Meter.count", "\\Meter.other"], "\(index)")
        }
      }
    }

    func test_oppositeOrder_byWayOfAThird_isReported() {
      let meter = Meter()
      let issues = collectingIssues {
        swap(&meter.count, &meter.other)
        meter.$other.withLock { _ in meter.usesOther = true }
        meter.$usesOther.withLock { $0 = meter.count == 0 }
      }
      XCTAssertEqual(issues.count, 1, "\(issues)")
    }

    func test_oppositeOrder_reporterRunsWithNothingLocked() {
      let meter = Meter()
      let reporter = ObservationIssue.reporter
      defer { ObservationIssue.reporter = reporter }
      let calls = CallCounter()
      ObservationIssue.reporter = { _ in
        calls.increment()
        onAnotherThread { _ = meter.sum }
        _ = meter.sum
      }
      swap(&meter.count, &meter.other)
      swap(&meter.other, &meter.count)
      XCTAssertEqual(calls.count, 1)
    }

    func test_oppositeOrder_inTasks_isReported() async {
      let meter = Meter()
      let issues = Recorder<ObservationIssue>()
      let reporter = ObservationIssue.reporter
      defer { ObservationIssue.reporter = reporter }
      ObservationIssue.reporter = { issues.append($0) }
      await Task { swap(&meter.count, &meter.other) }.value
      await Task { swap(&meter.other, &meter.count) }.value
      XCTAssertEqual(issues.events.count, 1)
    }
  #endif

  func test_oneOrder_ofManyProperties_isNotReported() {
    assertNoIssues {
      for _ in 0..<100 {
        let (a, b) = (Meter(), Meter())
        swap(&a.count, &b.count)
        swap(&a.count, &a.other)
        a.$count.withLock { _ in b.$other.withLock { $0 += a.other } }
        b.count += a.count
        a.count += b.count
      }
    }
  }

  #if os(Linux)
    /// Ends the process, so that it happens in another one: this test, run again with a variable
    /// set.
    func test_threadsThatWaitForEachOther_trapAndNameTheProperties() {
      let variable = "OBSERVATION_DEADLOCKS"
      if let index = ProcessInfo.processInfo.environment[variable].flatMap({ Int($0) }) {
        return deadlock(index)
      }
      for index in 0..<3 {
        let (status, output) = Subprocess.runAgain(
          "AtomicLockOrderTests/test_threadsThatWaitForEachOther_trapAndNameTheProperties",
          environment: [variable: "\(index)"])
        XCTAssertNotEqual(status, 0)
        XCTAssertTrue(output.contains("Deadlock: "), output)
        #if DEBUG
          XCTAssertTrue(
            output.contains("\\Meter.count")
              && (index == 2 || output.contains("\\Meter.other")), output)
        #endif
      }
    }

    /// Has threads lock properties in a circle. Each waits until all have locked their first.
    private func deadlock(_ index: Int) {
      let (meter, second) = (Meter(), Meter())
      let (first, last) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      switch index {
      case 0:
        onThreads(2) { thread in
          while true {
            if thread == 0 {
              swap(&meter.count, &meter.other)
            } else {
              swap(&meter.other, &meter.count)
            }
          }
        }
      case 1:
        onThreads(2) { thread in
          let (own, other) =
            thread == 0 ? (meter.$count, meter.$other) : (meter.$other, meter.$count)
          own.withLock { _ in
            if thread == 0 { first.signal() } else { last.signal() }
            if thread == 0 { last.wait() } else { first.wait() }
            other.withLock { _ in }
          }
        }
      default:
        // Three threads.
        onThreads(3) { thread in
          while true {
            switch thread {
            case 0: meter.$count.withLock { $0 = meter.other }
            case 1: meter.$other.withLock { $0 = second.count }
            default: second.$count.withLock { $0 = meter.count }
            }
          }
        }
      }
    }
  #endif
}

extension Meter {
  fileprivate var otherAlone: Int { other }
}
