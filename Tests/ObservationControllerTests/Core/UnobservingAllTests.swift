import ObservationController
import TestSupport
import XCTest

/// Deinits and other threads that look for observations while `unobserveAll()`, or the deinit of a
/// controller, is ending them.
final class UnobservingAllTests: TestCase {
  private final class Model {
    @Observed var x = 0
    @Observed var y = 0
    var onDeinit: (() -> Void)?

    deinit { onDeinit?() }
  }

  private let recorder = LineRecorder()

  /// Observes objects of which the controller retains every other one alone, in the order of their
  /// addresses, in which they are released.
  ///
  /// - Parameter onDeinit: Called with the others by the deinits of those.
  /// - Returns: The others.
  private func observeModels(
    _ controller: ObservationController<LineRecorder>, onDeinit: @escaping ([Model]) -> Void
  ) -> [Model] {
    let models = (0..<9).map { _ in Model() }.sorted { ObjectIdentifier($0) < ObjectIdentifier($1) }
    let others = models.indices.filter { $0 % 2 == 1 }.map { models[$0] }
    for (index, model) in models.enumerated() {
      if index % 2 == 0 { model.onDeinit = { onDeinit(others) } }
      controller.observe(model, \.x) { recorder, _, change in recorder.write(change) }
    }
    return others
  }

  func test_C19_unobservedInADeinit_whileAllIsUnobserved_isNotNotified() {
    let controller = ObservationController(observer: recorder)
    let others = observeModels(controller) { [unowned controller] others in
      for other in others {
        controller.unobserve(other)
        other.x += 1
      }
    }
    controller.unobserveAll()
    XCTAssertEqual(recorder.events, [])
    XCTAssertEqual(others.map(\.x), Array(repeating: 5, count: 4))
  }

  func test_C19_unobservedOnAnotherThread_whileAllIsUnobserved_isNotNotified() {
    let controller = ObservationController(observer: recorder)
    let others = observeModels(controller) { [unowned controller] others in
      nonisolated(unsafe) let others = others
      onAnotherThread {
        for other in others {
          controller.unobserve(other, \.x)
          other.x += 1
        }
      }
    }
    controller.unobserveAll()
    XCTAssertEqual(recorder.events, [])
    withExtendedLifetime(others) {}
  }

  func test_C19_removedInADeinit_whileTheControllerGoes_isNotNotified() {
    var controller: ObservationController? = ObservationController(observer: recorder)
    let others = observeModels(controller!) { others in
      for other in others {
        ObservationDispatcher.shared.removeObservations(of: other)
        other.x += 1
      }
    }
    controller = nil
    XCTAssertEqual(recorder.events, [])
    withExtendedLifetime(others) {}
  }

  func test_C17_observedAgainInADeinit_whileAllIsUnobserved_isNotifiedOnce() {
    let controller = ObservationController(observer: recorder)
    var isFirst = true
    let others = observeModels(controller) { [unowned controller] others in
      guard isFirst else { return }
      isFirst = false
      for other in others {
        controller.observe(other, \.x) { recorder, _, _ in recorder.write("again") }
        other.x += 1
      }
    }
    controller.unobserveAll()
    XCTAssertEqual(recorder.events, Array(repeating: "again", count: others.count))
    XCTAssertEqual(controller.observations.count, others.count)
  }

  func test_C16_endedWhileAllIsUnobserved_isReleased() {
    let controller = ObservationController(observer: recorder)
    let closures = LifetimeCounter()
    let others = observeModels(controller) { [unowned controller] _ in
      controller.unobserveAll()
    }
    for other in others {
      controller.observe(other, \.y) { [ticket = closures.makeTicket()] _, _, _ in _ = ticket }
    }
    controller.unobserveAll()
    XCTAssertEqual(closures.count, 0)
    XCTAssertEqual(controller.observations.count, 0)
  }
}
