import ObservationController
import TestSupport
import XCTest

/// Rings in a graph, and their descriptions.
final class GraphCycleTests: TestCase {
  private let warden = Warden()

  private var cycles: [ObservationGraph.Cycle] { ObservationGraph(observedBy: warden).cycles }

  private func pulses(_ labels: String...) -> [Pulse] {
    labels.map { label in
      let pulse = Pulse()
      ObservationGraph.setLabel(label, for: pulse)
      return pulse
    }
  }

  func test_cycle_twoBindings_isFoundOnceWithItsPlaces() {
    let pulses = pulses("a", "b")
    let line: UInt = #line + 2
    _ = collectingIssues {
      warden.observations.bind(pulses[0], \.rate, to: pulses[1], \.rate)
      warden.observations.bind(pulses[1], \.rate, to: pulses[0], \.rate)
    }
    let cycles = cycles
    XCTAssertEqual(cycles.map(\.kind), [.bindings])
    XCTAssertEqual(cycles.first?.places, ["\(#fileID):\(line)", "\(#fileID):\(line + 1)"])
    XCTAssertEqual(
      cycles.first?.description,
      "Bindings set each other: rate of Pulse “a” sets rate of Pulse “b” (\(#fileID):\(line)), "
        + "rate of Pulse “b” sets rate of Pulse “a” (\(#fileID):\(line + 1)); "
        + "use bindTwoWay, or leave one out")
  }

  func test_cycle_threeBindings_isFound() {
    let pulses = pulses("a", "b", "c")
    _ = collectingIssues {
      for index in 0..<3 {
        warden.observations.bind(pulses[index], \.rate, to: pulses[(index + 1) % 3], \.rate)
      }
    }
    XCTAssertEqual(cycles.map(\.kind), [.bindings])
    XCTAssertEqual(cycles.first?.places.count, 1, "all of them stand on one line")
  }

  func test_cycle_bindingsOfDerivedValuesAndPaths_isFound() {
    final class Gauge {
      @Observed var value = 0
      @Observed var next: Gauge?
      @Derived({ (gauge: Gauge) in gauge.value / 2 }) var half: Int
      var text: String { "\(value)" }
    }
    let gauges = [Gauge(), Gauge(), Gauge()]
    gauges[2].next = gauges[1]
    for keyPath in [\Gauge.half, \.value, \.text.count] {
      let controller = ObservationController(observer: warden)
      controller.bind(gauges[0], \.value, to: gauges[1], \.value)
      controller.bind(gauges[1], keyPath, to: gauges[0], \.value)
      XCTAssertEqual(ObservationGraph(observedBy: warden).cycles.count, 1, "\(keyPath)")
    }
    let controller = ObservationController(observer: warden)
    controller.bind(gauges[0], \.value, to: gauges[1], \.value)
    controller.bind(gauges[2], \.next?.half, to: gauges[0], \.value) { $0 ?? 0 }
    XCTAssertEqual(ObservationGraph(observedBy: warden).cycles.count, 1)
    controller.unobserveAll()
    controller.bind(gauges[0], \.value, to: gauges[1], \.value)
    controller.bind(gauges[2], \.half, to: gauges[0], \.value)
    XCTAssertEqual(ObservationGraph(observedBy: warden).cycles.count, 0)
  }

  func test_cycle_chainOfBindings_isNone() {
    let pulses = pulses("a", "b", "c", "d")
    warden.observations.bind(pulses[0], \.rate, to: pulses[1], \.rate)
    warden.observations.bind(pulses[1], \.rate, to: pulses[2], \.rate)
    warden.observations.bind(pulses[0], \.rate, to: pulses[2], \.rate)
    warden.observations.bindTwoWay(pulses[2], \.rate, with: pulses[3], \.rate)
    warden.observations.bind(pulses[0], \.rate, to: pulses[0], \.rate)
    XCTAssertEqual(cycles.map(\.kind), [])
  }

  func test_cycle_twoWayBindingsInARing_isFound() {
    let pulses = pulses("a", "b", "c")
    for index in 0..<3 {
      warden.observations.bindTwoWay(pulses[index], \.rate, with: pulses[(index + 1) % 3], \.rate)
    }
    XCTAssertTrue(cycles.contains { $0.kind == .bindings })
    warden.observations.unobserveAll()
  }

  // MARK: Retention

  private final class Owner: Warden {
    var parts: [String: Part] = [:]
  }

  private final class Part {
    @Observed var size = 0
    var owner: Owner?
    var box: (any Sendable, Box?) = (0, nil)
  }

  private final class Box { var owner: Warden? }

  func test_cycle_observedObjectThatHoldsTheObserver_isFound() {
    let (owner, part) = (Owner(), Part())
    part.owner = owner
    let line: UInt = #line + 1
    owner.observations.observe(part, \.size) { _, _, _ in }
    let cycles = ObservationGraph(observedBy: owner).cycles
    XCTAssertEqual(cycles.map(\.places), [["\(#fileID):\(line)"]])
    XCTAssertEqual(
      cycles.map(\.description),
      [
        "Objects keep each other alive: Owner observes size of Part and retains it "
          + "(\(#fileID):\(line)), whose owner is Owner; use a controller with "
          + "retainsObserved: false, or a weak property, unless one of those is weak already, which "
          + "can't be seen here"
      ])
    part.owner = nil
    XCTAssertEqual(ObservationGraph(observedBy: owner).cycles.map(\.description), [])
  }

  func test_cycle_throughOtherObjects_isFound() {
    let (owner, part, box) = (Owner(), Part(), Box())
    part.box.1 = box
    box.owner = owner
    owner.observations.observe(part, \.size) { _, _, _ in }
    let cycles = ObservationGraph(observedBy: owner).cycles
    XCTAssertEqual(cycles.map(\.kind), [.retention])
    XCTAssertTrue(
      cycles[0].description.contains("whose box..1.owner is Owner"), cycles[0].description)
    box.owner = nil
  }

  func test_cycle_ofTwoObservers_isFound() {
    final class Peer: Warden { @Observed var value = 0 }
    let (first, second) = (Peer(), Peer())
    first.observations.observe(second, \.value) { _, _, _ in }
    second.observations.observe(first, \.value) { _, _, _ in }
    let cycles = ObservationGraph(readsObjects: false).cycles.filter {
      $0.description.contains("Peer")
    }
    XCTAssertEqual(cycles.map(\.kind), [.retention])
    XCTAssertEqual(cycles.first?.places.count, 2)
    XCTAssertFalse(cycles.first?.description.contains("weak already") ?? true)
    first.observations.unobserveAll()
  }

  func test_cycle_withoutRetaining_isNone() {
    let (owner, part) = (Owner(), Part())
    part.owner = owner
    let observations = ObservationController(observer: owner, retainsObserved: false)
    observations.observe(part, \.size) { _, _, _ in }
    XCTAssertEqual(ObservationGraph(observedBy: owner).cycles.map(\.description), [])
    part.owner = nil
  }

  func test_cycle_observerOfItselfOrOfAnOwnedObject_isNone() {
    let (owner, part) = (Owner(), Part())
    owner.parts["a"] = part
    owner.observations.observe(part, \.size) { _, _, _ in }
    let itself = SelfObserver()
    itself.observeItself()
    XCTAssertEqual(ObservationGraph(observedBy: owner).cycles.map(\.description), [])
    XCTAssertEqual(ObservationGraph(observedBy: itself).cycles.map(\.description), [])
  }

  /// Storage of the library's own is guarded by locks, which reflection does not take.
  func test_cycle_changesEventsAndHooksThatAreKept_areNotLookedInto() {
    final class Keeper: Warden {
      @Observed var change: ObservedChange<Int>?
      let sent = ObservableEvent<Int>()
      let asked = ObservableHook<Int, Int> { $0 }
      var token: ObservationToken?
    }
    let (keeper, part) = (Keeper(), Part())
    keeper.observations.observe(keeper, \.change?.newValue) { _, _, _ in }
    keeper.observations.handle(keeper.asked) { $1 }
    keeper.token = keeper.observations.observe(part, \.size) { [weak keeper] in
      keeper?.change = $2
      _ = ($0, $1)
    }
    part.size = 1
    let graph = ObservationGraph(observedBy: keeper)
    XCTAssertEqual(graph.cycles.map(\.description), [])
    XCTAssertEqual(graph.lines(.stores), ["Keeper stores ObservableHook<Int, Int>"])
  }
}
