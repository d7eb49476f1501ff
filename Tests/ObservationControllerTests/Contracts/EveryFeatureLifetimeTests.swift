import ObservationController
import TestSupport
import XCTest

/// C12 to C16 for each feature: observers, objects, values, elements and closures are released,
/// however the observation ends.
///
/// Cases of one feature are in its own lifetime tests; those of sequences and of the main actor,
/// which are asynchronous, in SequenceLifetimeTests and MainActorDeliveryTests.
final class EveryFeatureLifetimeTests: TestCase {
  private typealias Controller = LifetimeFeature.Controller

  /// The objects of a test, until they are released.
  private final class Scene {
    var observer: Spectator?
    var controller: Controller?
    var exhibit: Exhibit?
    let token: ObservationToken

    init(_ feature: LifetimeFeature, _ census: Census, retains: Bool) {
      let observer = Spectator(census)
      let controller = Controller(observer: observer, retainsObserved: retains)
      let exhibit = Exhibit(census)
      exhibit.pieces.append(Piece(census))
      token = feature.observe(controller, exhibit, census.closures.makeTicket())
      (self.observer, self.controller, self.exhibit) = (observer, controller, exhibit)
      feature.change(exhibit, census)
      LifetimeFeature.queue.drain()
    }
  }

  /// Runs `check` on each feature, and asserts that nothing remains afterwards.
  private func onEach(
    retains: [Bool] = [true, false], line: UInt = #line,
    _ check: (LifetimeFeature, Scene, Census) -> Void
  ) {
    for feature in LifetimeFeature.all {
      for retains in retains {
        let census = Census()
        let before = ObservationDispatcher.shared.activeObservationCount
        scoped { check(feature, Scene(feature, census, retains: retains), census) }
        LifetimeFeature.queue.drain()
        XCTAssertEqual(
          ObservationDispatcher.shared.activeObservationCount, before, feature.name, line: line)
        XCTAssertEqual(census.survivors, [], feature.name, line: line)
      }
    }
  }

  private func assertClosureEnds(
    _ feature: LifetimeFeature, _ scene: Scene, _ census: Census, line: UInt = #line,
    _ end: () -> Void
  ) {
    XCTAssertTrue(scene.token.isActive, feature.name, line: line)
    XCTAssertEqual(census.closures.count, feature.hasClosure ? 1 : 0, feature.name, line: line)
    end()
    LifetimeFeature.queue.drain()
    XCTAssertEqual(census.closures.count, 0, feature.name, line: line)
    XCTAssertFalse(scene.token.isActive, feature.name, line: line)
  }

  func test_C15_activeObservation_keepsNeitherValuesNorLinksNorElements() {
    onEach { feature, scene, census in
      scene.exhibit?.empty()
      LifetimeFeature.queue.drain()
      // The token of a binding that consists of several observations is one of theirs.
      XCTAssertTrue(scene.token.isActive, feature.name)
      XCTAssertEqual(census.values.count, 0, feature.name)
      XCTAssertEqual(census.objects.count, 1, feature.name)
      XCTAssertEqual(census.elements.count, 0, feature.name)
    }
  }

  func test_C16_invalidatedToken_releasesTheClosure() {
    // The token of one of several observations leaves the others.
    onEach { feature, scene, census in
      guard feature.name != "several key paths" else { return }
      assertClosureEnds(feature, scene, census) { scene.token.invalidate() }
    }
  }

  func test_C16_unobservedObject_releasesTheClosure() {
    onEach { feature, scene, census in
      assertClosureEnds(feature, scene, census) {
        scene.controller?.unobserve(feature.observed(scene.exhibit!))
      }
    }
  }

  func test_C16_removalByTheDispatcher_releasesTheClosure() {
    onEach { feature, scene, census in
      assertClosureEnds(feature, scene, census) {
        ObservationDispatcher.shared.removeObservations(of: feature.observed(scene.exhibit!))
      }
    }
  }

  func test_C14_droppedController_releasesTheClosure() {
    onEach { feature, scene, census in
      assertClosureEnds(feature, scene, census) { scene.controller = nil }
    }
  }

  func test_C12_droppedObserver_isDeallocated_betweenChanges() {
    onEach { feature, scene, census in
      scene.observer = nil
      XCTAssertEqual(census.observers.count, 0, feature.name)
      feature.change(scene.exhibit!, census)
      LifetimeFeature.queue.drain()
      scene.controller = nil
      XCTAssertEqual(census.closures.count, 0, feature.name)
    }
  }

  func test_C13_retainedObject_livesUntilItIsUnobserved() {
    onEach(retains: [true]) { feature, scene, census in
      let observed = Weak(feature.observed(scene.exhibit!))
      scene.exhibit = nil
      guard let object = observed.object else {
        return XCTFail("\(feature.name) was not retained")
      }
      scene.controller?.unobserve(object)
    }
  }

  func test_C14_unretainedObject_dropped_endsItsObservations() {
    onEach(retains: [false]) { feature, scene, census in
      scene.exhibit = nil
      // Reading the tables removes the observations of deallocated objects.
      _ = ObservationDispatcher.shared.activeObservationCount
      XCTAssertEqual(census.objects.count, 0, feature.name)
      XCTAssertEqual(census.values.count, 0, feature.name)
      XCTAssertEqual(census.elements.count, 0, feature.name)
      XCTAssertEqual(census.closures.count, 0, feature.name)
      XCTAssertFalse(scene.token.isActive, feature.name)
    }
  }
}
