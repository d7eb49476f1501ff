import Foundation
import ObservationController
import TestSupport
import XCTest

/// C10 and C21: changes at the moment at which a path attaches to a property.
final class AtomicHookingTests: TestCase {
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)

  /// The thread that changes the property has not stored yet; the derived property still has the
  /// value before. The observation begins with that, or with the value after.
  func test_C21_derived_joinedBeforeTheStore_isNotifiedOfIt() {
    let peephole = Peephole()
    XCTAssertEqual(peephole.tripled, 0)
    let (isChanging, isRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    peephole.onRead.withLock { $0 = { isRead.signal() } }
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      peephole.$count.withLock { count in
        isChanging.signal()
        // When it is registered.
        XCTAssertEqual(isRead.wait(timeout: .now() + 20), .success)
        count = 1
      }
      isDone.signal()
    }
    isChanging.wait()
    observations.observe(peephole, \.seenTripled, options: [.initial, .old]) { $0.record($2) }
    isDone.wait()
    peephole.count = 2
    let chain: [RecordedEvent<Int>] = [.initial(0), .changed(0, 3), .changed(3, 6)]
    XCTAssertTrue([chain, [.initial(3), .changed(3, 6)]].contains(recorder.events))
  }

  func test_C10_newDependency_changedBeforeThePathAttaches_isReadAgain() {
    let peephole = Peephole()
    observations.observe(peephole, \.seenSelected) { $0.record($2) }
    peephole.onRead.withLock { handler in
      handler = {
        guard peephole.usesOther, peephole.other == 0 else { return }
        onAnotherThread { peephole.other = 5 }
      }
    }
    peephole.usesOther = true
    peephole.other = 6
    XCTAssertEqual(recorder.events, [.changed(0, 5), .changed(5, 6)])
  }

  /// The dependencies found by the first read are out of date when the path attaches.
  func test_C10_path_withAnotherDependencyWhenItAttaches_followsIt() {
    for options: ObservationOptions in [.old, [.initial, .old]] {
      let peephole = Peephole()
      let isFirst = Guarded(true)
      peephole.onRead.withLock { handler in
        handler = {
          guard
            isFirst.withLock({ isFirst in
              defer { isFirst = false }
              return isFirst
            })
          else { return }
          onAnotherThread { peephole.count = 1 }
        }
      }
      let token = observations.observe(peephole, \.seenBranch, options: options) { $0.record($2) }
      peephole.other = 7
      XCTAssertEqual(recorder.takeEvents().last, .changed(1, 8), "\(options)")
      peephole.count = 2
      XCTAssertEqual(recorder.takeEvents(), [.changed(8, 9)])
      token.invalidate()
    }
  }

  /// A thread that is changing a property notifies observers that join before it has stored.
  func test_C21_property_joinedDuringAChange_receivesOldValues() {
    for (index, keyPath) in [\Peephole.count, \.doubled, \.tripled].enumerated() {
      let peephole = Peephole()
      let observations = UncheckedReference(self.observations)
      let isChanging = DispatchSemaphore(value: 0)
      let isDone = DispatchSemaphore(value: 0)
      let path = UncheckedKeyPath(keyPath)
      Thread.detachNewThread {
        isChanging.wait()
        observations.object.observe(peephole, path.keyPath) { $0.record($2) }
        isDone.signal()
      }
      peephole.$count.withLock { count in
        isChanging.signal()
        count = 1
      }
      isDone.wait()
      peephole.count = 2
      let factor = index + 1
      XCTAssertEqual(recorder.takeEvents().last, .changed(factor, 2 * factor))
      observations.object.unobserveAll()
    }
  }

  private struct UncheckedKeyPath: @unchecked Sendable {
    let keyPath: KeyPath<Peephole, Int>
    init(_ keyPath: KeyPath<Peephole, Int>) { self.keyPath = keyPath }
  }
}

/// Signals when its computed properties have been read.
private final class Peephole: @unchecked Sendable {
  @AtomicObserved var count = 0
  @AtomicObserved var other = 0
  @AtomicObserved var usesOther = false
  @Derived({ (peephole: Peephole) in peephole.count * 3 }) var tripled: Int
  let onRead = Guarded<(@Sendable () -> Void)?>(nil)

  var doubled: Int { count * 2 }
  var seenTripled: Int { see { tripled } }
  var seenSelected: Int { see { usesOther ? other : count } }
  var seenBranch: Int { see { count > 0 ? count + other : count } }

  private func see(_ value: () -> Int) -> Int {
    let value = value()
    onRead.withLock { $0 }?()
    return value
  }
}
