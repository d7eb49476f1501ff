import Foundation
import Observation
import ObservationController
import TestSupport
import XCTest

/// The contents of a graph. Filtered by the observer, so that objects of other tests are left out.
final class ObservationGraphTests: TestCase {
  private let otter = Otter()
  private let warden = Warden()

  private var graph: ObservationGraph { ObservationGraph(observedBy: warden) }

  func test_graph_nothingObserved_isEmpty() {
    XCTAssertEqual(graph.nodes.count, 0)
    XCTAssertEqual(graph.lines, [])
    XCTAssertEqual(graph.cycles.map(\.description), [])
  }

  func test_graph_property_namesObserverControllerAndPlace() throws {
    let line: UInt = #line + 1
    warden.observations.observe(
      otter, \.name, options: [.initial, .distinct], context: "x"
    ) { _, _, _ in }
    let graph = graph
    XCTAssertEqual(
      graph.lines,
      [
        "Warden owns controller, retains", "controller, retains notifies weakly Warden",
        "controller, retains observes Otter.name",
      ])
    let edge = try XCTUnwrap(graph.edges.first { $0.kind == .observes })
    XCTAssertEqual(edge.file, #fileID)
    XCTAssertEqual(edge.line, line)
    XCTAssertEqual(edge.handlerKind, .block)
    XCTAssertEqual(edge.options, [.initial, .distinct])
    XCTAssertEqual(edge.context, "x")
    XCTAssertEqual(
      edge.label,
      "block [initial, distinct] context \"x\"\nObservationGraphTests.swift:\(line)")
  }

  func test_graph_unretainedObject_isObservedWeakly() {
    let observations = ObservationController(observer: warden, retainsObserved: false)
    observations.observe(otter, \.name) { _, _, _ in }
    XCTAssertEqual(graph.lines(.observes), ["controller observes weakly Otter.name"])
  }

  func test_graph_nestedPath_readsTheProperties() {
    otter.friend = Otter()
    ObservationGraph.setLabel("first", for: otter)
    warden.observations.observe(otter, \.friend?.name) { _, _, _ in }
    XCTAssertEqual(
      graph.lines(.observes, .reads, .stores),
      [
        "controller, retains observes Otter “first”.friend?.name",
        "Otter “first”.friend?.name reads weakly Otter “first”.friend",
        "Otter “first”.friend?.name reads weakly Otter.name",
        "Otter “first” stores Otter",
      ])
  }

  func test_graph_replacedLink_readsTheNewOne() {
    otter.friend = Otter()
    warden.observations.observe(otter, \.friend?.name) { _, _, _ in }
    let other = Otter()
    ObservationGraph.setLabel("other", for: other)
    otter.friend = other
    XCTAssertEqual(
      graph.lines(.reads),
      [
        "Otter.friend?.name reads weakly Otter.friend",
        "Otter.friend?.name reads weakly Otter “other”.name",
      ])
  }

  func test_graph_computedPath_hasItsLabelOrItsType() {
    warden.observations.observe(otter, \.greeting) { _, _, _ in }
    #if os(Linux)
      XCTAssertEqual(graph.lines(.reads), ["Otter.‹String› reads weakly Otter.name"])
    #endif
    ObservationGraph.setLabel("greeting", for: \Otter.greeting)
    defer { ObservationGraph.setLabel("‹String›", for: \Otter.greeting) }
    XCTAssertEqual(graph.lines(.reads), ["Otter.greeting reads weakly Otter.name"])
  }

  func test_graph_derived_isMarkedAndReads() {
    warden.observations.observe(otter, \.call) { _, _, _ in }
    XCTAssertEqual(graph.lines(.reads), ["Otter.call reads weakly Otter.name"])
    XCTAssertEqual(graph.nodes.filter { $0.kind == .derived }.map(\.name), ["call"])
  }

  func test_graph_computedPathOfADerivedProperty_readsThat() {
    final class Gauge {
      @Observed var value = 0
      @Derived({ (gauge: Gauge) in gauge.value / 2 }) var half: Int
      var text: String { "\(half)" }
    }
    ObservationGraph.setLabel("text", for: \Gauge.text)
    for options: ObservationOptions in [[], .old] {
      warden.observations.unobserveAll()
      warden.observations.observe(Gauge(), \.text, options: options) { _, _, _ in }
      XCTAssertEqual(
        graph.lines(.reads),
        ["Gauge.text reads weakly Gauge.half", "Gauge.half reads weakly Gauge.value"])
      XCTAssertEqual(graph.nodes.filter { $0.kind == .derived }.map(\.name), ["half"])
    }
  }

  func test_graph_pathOfADerivedPropertyAndItsSource_readsBoth() {
    final class Scale {
      @Observed var weight = 4
      @Derived({ (scale: Scale) in scale.weight / 2 }) var half: Int
      var rest: Int { weight - half }
    }
    ObservationGraph.setLabel("rest", for: \Scale.rest)
    warden.observations.observe(Scale(), \.rest) { _, _, _ in }
    XCTAssertEqual(
      graph.lines(.reads),
      [
        "Scale.rest reads weakly Scale.weight", "Scale.rest reads weakly Scale.half",
        "Scale.half reads weakly Scale.weight",
      ])
  }

  func test_graph_atomic_isAProperty() {
    warden.observations.observe(Raft(), \.count) { _, _, _ in }
    XCTAssertEqual(graph.lines(.observes), ["controller, retains observes Raft.count"])
  }

  func test_graph_tracked_isAProperty() {
    final class Buoy: Observable {
      @TrackedObserved var colour = "red"
    }
    warden.observations.observe(Buoy(), \.colour) { _, _, _ in }
    XCTAssertEqual(graph.lines(.observes), ["controller, retains observes Buoy.colour"])
  }

  func test_graph_bindings_setTheirTargets() {
    let (pulse, other) = (Pulse(), Pulse())
    ObservationGraph.setLabel("a", for: pulse)
    ObservationGraph.setLabel("b", for: other)
    warden.observations.bind(otter, \.pulse.rate, to: pulse, \.rate)
    warden.observations.bindTwoWay(pulse, \.rate, with: other, \.rate)
    XCTAssertEqual(
      graph.lines(.observes, .sets, .reads),
      [
        "controller, retains observes Otter.pulse.rate",
        "Otter.pulse.rate sets weakly Pulse “a”.rate",
        "Otter.pulse.rate reads weakly Pulse.rate",
        "controller, retains observes Pulse “a”.rate",
        "Pulse “a”.rate sets weakly Pulse “b”.rate",
        "controller, retains observes weakly Pulse “b”.rate",
        "Pulse “b”.rate sets weakly Pulse “a”.rate",
      ])
    XCTAssertEqual(
      graph.edges.filter { $0.kind == .observes }.map { $0.label.hasPrefix("two-way binding") },
      [false, true, true])
    XCTAssertEqual(graph.cycles.map(\.description), [], "a two-way binding is none")
  }

  func test_graph_array_readsElementsOnce() {
    let raft = Raft()
    raft.otters = [Otter(), Otter(), Otter()]
    warden.observations.observeArray(raft, \.otters, elements: [\.name, \.friend?.name]) {
      _, _, _ in
    }
    XCTAssertEqual(
      graph.lines(.observes, .reads, .stores),
      [
        "controller, retains observes Raft.otters",
        "Raft.otters reads weakly ObservableArray<Otter>.elements",
        "Raft.otters reads weakly Otter × 3.name",
        "Raft.otters reads weakly Otter × 3.friend?.name",
        "Raft stores ObservableArray<Otter>", "ObservableArray<Otter> stores Otter × 3",
      ])
    raft.otters = []
    XCTAssertEqual(
      graph.lines(.reads).last, "Raft.otters reads weakly Otter, none yet.friend?.name")
  }

  func test_graph_liveView_observesItsSource() {
    let otters: ObservableArray<Otter> = [Otter()]
    let view = otters.filtered(on: [\.name]) { _ in true }
    ObservationGraph.setLabel("all", for: otters)
    ObservationGraph.setLabel("some", for: view)
    XCTAssertEqual(
      ObservationGraph(of: otters).lines(.owns, .observes, .reads),
      [
        "ObservableArray<Otter> “some” owns controller, retains",
        "controller, retains observes ObservableArray<Otter> “all”.elements",
        "ObservableArray<Otter> “all”.elements reads weakly Otter.name",
      ])
  }

  #if Foundation
    func test_graph_eventsHooksAndNotifications_haveNames() {
      let hook = ObservableHook<Int, Int> { $0 }
      let (observations, name) = (warden.observations, Notification.Name("GraphTests"))
      observations.observe(otter.barked) { _, _ in }
      observations.handle(hook) { $1 }
      observations.observe(name, from: otter) { _, _ in }
      XCTAssertEqual(
        graph.lines(.observes),
        [
          "controller, retains observes ObservableEvent<Int>.sent",
          "controller, retains observes ObservableHook<Int, Int>.asked",
          "controller, retains observes Otter.notification \"GraphTests\"",
        ])
    }
  #endif

  func test_graph_objectsOfOneClass_areNumbered() {
    let otters = [Otter(), Otter(), Otter()]
    ObservationGraph.setLabel("Lassie", for: otters[1])
    for otter in otters { warden.observations.observe(otter, \.name) { _, _, _ in } }
    XCTAssertEqual(
      graph.nodes.filter { $0.kind == .object }.map(\.name),
      ["Warden", "Otter 1", "Otter “Lassie”", "Otter 2"])
    for _ in 0..<40 { warden.observations.observe(Otter(), \.name) { _, _, _ in } }
    XCTAssertEqual(
      graph.nodes.filter { $0.kind == .object }.map(\.name),
      ["Warden", "Otter × 42", "Otter “Lassie”"])
  }

  func test_graph_withoutReading_hasTheObservationsInTheTables() {
    otter.friend = Otter()
    warden.observations.observe(otter, \.friend?.pulse.rate) { _, _, _ in }
    let graph = ObservationGraph(observedBy: warden, readsObjects: false)
    XCTAssertEqual(graph.lines(.reads, .stores), [])
    XCTAssertEqual(graph.lines(.observes).count, 1)
  }

  func test_graph_madeAgain_isEqual() {
    otter.friend = Otter()
    let observations = warden.observations
    observations.observe(otter, \.friend?.name) { _, _, _ in }
    observations.observe(otter, \.call) { _, _, _ in }
    let (first, second) = (graph, graph)
    XCTAssertEqual(first.dot, second.dot)
    XCTAssertEqual(first.mermaid, second.mermaid)
  }

  func test_graph_namesThatItHasFound_areUsedByDescriptions() {
    otter.friend = Otter()
    warden.observations.observe(otter, \.friend?.pulse.rate) { _, _, _ in }
    _ = graph
    let text = warden.observations.observations.map(\.description).joined()
    XCTAssertTrue(text.contains(" observes \\Otter.friend?.pulse.rate? of Otter@"), text)
  }
}
