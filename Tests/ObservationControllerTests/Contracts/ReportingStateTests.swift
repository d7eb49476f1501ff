import Dispatch
import ObservationController
import Synchronization
import TestSupport
import XCTest

/// C33: reporting reads no stored property of the user's.
final class ReportingStateTests: TestCase {
  private class Gone {
    unowned let parent: SilentObserver
    @Observed var ownedTitle = ""
    init(_ parent: SilentObserver) { self.parent = parent }
  }

  private final class GoneBelow: Gone {
    @Observed var count = 0
    @AtomicObserved var hits = 0
    @Observed var next: GoneBelow?
    @Derived({ (gone: GoneBelow) in gone.count + 1 }) var more: Int
  }

  private final class Locking {
    let lock = Mutex(0)
    nonisolated(unsafe) var guarded: [String] = []
    @Observed var named = 0
  }

  private let observer = SilentObserver()

  private func orphan() -> GoneBelow { scoped { GoneBelow(SilentObserver()) } }

  // MARK: C33: Reports read no property of yours

  func test_C33_printing_withAnUnownedTargetGone_namesTheProperties() {
    let object = orphan()
    object.next = orphan()
    let controller = ObservationController(observer: observer)
    controller.observe(object, \.ownedTitle) { _, _, _ in }
    controller.observe(object, \.count) { _, _, _ in }
    controller.observe(object, \.hits) { _, _, _ in }
    controller.observe(object, \.more) { _, _, _ in }
    controller.observe(object, \.next?.hits) { _, _, _ in }
    let text = "\(controller.debugDescription)"
    for name in ["count", "hits", "more", "next?.hits?"] {
      XCTAssertTrue(text.contains("GoneBelow.\(name) of"), text)
    }
  }

  func test_C33_issuesAndTraces_withAnUnownedTargetGone_work() {
    let object = orphan()
    let controller = ObservationController(observer: observer)
    let trace = ObservationTrace()
    trace.start()
    let issues = collectingIssues {
      withObservationLeakCheck {
        controller.observe(object, \.count) { [object] _, _, _ in object.count += 1 }
        controller.observe(object, \.count) { _, _, _ in }
      }
      object.count = 1
    }
    trace.stop()
    for event in trace.events { _ = trace.explain(event) }
    XCTAssertEqual(issues.count, 3)
    for issue in issues { XCTAssertTrue("\(issue)".contains("GoneBelow.count"), "\(issue)") }
  }

  func test_C33_printing_whileAnotherThreadUsesAGuardedProperty() {
    let object = Locking()
    let controller = ObservationController(observer: observer)
    controller.observe(object, \.named) { _, _, _ in }
    nonisolated(unsafe) let shared = object
    let done = DispatchGroup()
    DispatchQueue.global().async(group: done) {
      for index in 0..<2_000 {
        shared.lock.withLock { _ in shared.guarded.append("\(index)") }
      }
    }
    for _ in 0..<200 { XCTAssertTrue(controller.debugDescription.contains("Locking.named")) }
    done.wait()
  }
}
