import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Deliveries on a queue, on the main actor and in a task, in the words of the README.
@MainActor
final class ReadmeThreadsTests: TestCase {
  private final class Download: Sendable {
    let received = AtomicObserved(wrappedValue: 0)
  }

  private final class Bar {
    var progress = 0
  }

  /// Appended to on one queue, and read when that is empty.
  private final class Log: @unchecked Sendable {
    var lines: [Int] = []

    func append(_ number: Int) {
      lines.append(number)
    }
  }

  func test_readme_deliveriesElsewhere_arriveInOrder() async {
    let (download, log, bar) = (Download(), Log(), Bar())
    let queue = DispatchQueue(label: "log")
    let logObservations = ObservationController(observer: log)
    let barObservations = ObservationController(observer: bar)

    logObservations.observe(download, \.received.wrappedValue, on: queue) { log, _, change in
      log.append(change.newValue)
    }
    let isShown = expectation(description: "shown")
    barObservations.observeOnMainActor(
      download, \.received.wrappedValue, coalescing: .interval(.milliseconds(16))
    ) { bar, _, change in
      bar.progress = change.newValue
      isShown.fulfill()
    }
    for count in 1...3 { download.received.withLock { $0 += count } }

    await fulfillment(of: [isShown], timeout: 60)
    queue.sync {}
    XCTAssertEqual(log.lines, [1, 3, 6])
    XCTAssertEqual(bar.progress, 6)
  }

  func test_readme_values_areTheCurrentOneAndEachNewOne() async {
    let (download, log) = (Download(), Log())
    let observations = ObservationController(observer: log)
    var printed: [Int] = []
    for await bytes in observations.values(of: download, \.received.wrappedValue) {
      printed.append(bytes)
      if bytes == 2 {
        observations.unobserve(download)
      } else {
        download.received.withLock { $0 += 1 }
      }
    }
    XCTAssertEqual(printed, [0, 1, 2])
  }
}
