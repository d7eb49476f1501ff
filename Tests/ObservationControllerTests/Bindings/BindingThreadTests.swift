import Foundation
import ObservationController
import TestSupport
import XCTest

/// Binding and unbinding on several threads at once.
final class BindingThreadTests: TestCase {
  private let observer = SilentObserver()

  func test_bind_andUnbind_onDistinctSources() {
    let controller = ObservationController(observer: observer)
    assertLeavesNoObservations {
      onThreads(4) { thread in
        for round in 0..<Effort.count(quick: 25, full: 200) {
          let (source, target) = (Dial(round), Dial())
          let token = controller.bind(source, \.value, to: target, \.value) { $0 + 1 }
          controller.bindTwoWay(source, \.other, with: target, \.other)
          source.value += 1
          target.other = round
          XCTAssertEqual(target.value, round + 2)
          XCTAssertEqual(source.other, round)
          if round.isMultiple(of: 2) { token.invalidate() }
          controller.unobserve(source)
        }
      }
    }
  }

  func test_bind_andUnbind_ofOneSource() {
    let controller = ObservationController(observer: observer)
    let source = UncheckedReference(Dial(5))
    assertLeavesNoObservations {
      onThreads(4) { thread in
        for round in 0..<Effort.count(quick: 25, full: 200) {
          let (target, label) = (Dial(), Label())
          let token = controller.bind(source.object, \.value, to: target, \.value)
          controller.bindText(source.object, \.value, to: label, \.text, replacing: .number)
          let twoWay = controller.bindTwoWay(source.object, \.other, with: target, \.other)
          XCTAssertEqual(target.value, 5)
          XCTAssertEqual(label.text, "5")
          XCTAssertTrue(
            token === controller.bind(source.object, \.value, to: target, \.value))
          token.invalidate()
          if round.isMultiple(of: 2) { twoWay.invalidate() } else { controller.unobserve(target) }
          XCTAssertFalse(twoWay.isActive)
        }
      }
    }
  }

  func test_bindTwoWay_endedOnSeveralThreads_atBothEnds() {
    let controller = ObservationController(observer: observer)
    for _ in 0..<Effort.count(quick: 50, full: 500) {
      let (a, b) = (UncheckedReference(Dial(1)), UncheckedReference(Dial()))
      let token = controller.bindTwoWay(a.object, \.value, with: b.object, \.value)
      onThreads(3) { thread in
        switch thread {
        case 0: controller.unobserve(a.object)
        case 1: controller.unobserve(b.object)
        default: token.invalidate()
        }
      }
      XCTAssertEqual(controller.observations.count, 0)
    }
  }

  func test_bind_targetsDeallocated_whileTheSourceIsSet() {
    let controller = ObservationController(observer: observer)
    assertLeavesNoObservations {
      for _ in 0..<Effort.count(quick: 30, full: 300) {
        let source = UncheckedReference(Dial(1))
        let targets = Guarded<[Dial]>((0..<4).map { _ in Dial() })
        for target in targets.withLock({ $0 }) {
          controller.bind(source.object, \.value, to: target, \.value)
        }
        onThreads(2) { thread in
          if thread == 0 {
            for value in 0..<20 { source.object.value = value }
          } else {
            let last = targets.withLock { targets in
              defer { targets = [] }
              return targets
            }
            withExtendedLifetime(last) {}
          }
        }
        XCTAssertEqual(controller.observations.count, 0)
      }
    }
  }

  func test_bind_controllerDeallocated_whileTheSourceIsSet() {
    for _ in 0..<Effort.count(quick: 30, full: 300) {
      let (source, target) = (UncheckedReference(Dial(1)), UncheckedReference(Dial()))
      let controller = Guarded<ObservationController?>(ObservationController(observer: observer))
      controller.withLock {
        $0!.bind(source.object, \.value, to: target.object, \.value)
        $0!.bindTwoWay(source.object, \.value, with: target.object, \.other)
      }
      onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<20 { source.object.value = value }
        } else {
          let last = controller.withLock { controller in
            defer { controller = nil }
            return controller
          }
          withExtendedLifetime(last) {}
        }
      }
    }
  }
}
