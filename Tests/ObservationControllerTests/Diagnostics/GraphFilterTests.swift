import Foundation
import ObservationController
import TestSupport
import XCTest

/// Filters of a graph, its nodes, and the objects that it leaves alive: none.
final class GraphFilterTests: TestCase {
  private let otter = Otter()
  private let warden = Warden()

  func test_filter_object_includesObserversReadersAndSetters() {
    let (outer, stranger) = (Otter(), Otter())
    ObservationGraph.setLabel("otter", for: otter)
    ObservationGraph.setLabel("outer", for: outer)
    outer.friend = otter
    warden.observations.observe(otter, \.name) { _, _, _ in }
    warden.observations.observe(outer, \.friend?.name) { _, _, _ in }
    warden.observations.observe(outer, \.name) { _, _, _ in }
    warden.observations.bind(stranger, \.name, to: otter, \.name)
    warden.observations.observe(stranger, \.friend) { _, _, _ in }
    XCTAssertEqual(
      ObservationGraph(of: otter).lines(.observes),
      [
        "controller, retains observes Otter “otter”.name",
        "controller, retains observes Otter “outer”.friend?.name",
        "controller, retains observes Otter.name",
      ])
  }

  func test_filter_object_includesWhatReadsItByDerivedValues() {
    final class Diary {
      private let otter: Otter
      @Derived({ (diary: Diary) in diary.otter.name + "!" }) var entry: String
      @Derived({ (diary: Diary) in diary.entry.count }) var length: Int
      @Observed var pages = ObservableArray<Otter>()
      var page: String { "\(length)" }
      var kept: ObservableArray<Otter> { length > 0 ? pages : [] }

      init(about otter: Otter) { self.otter = otter }
    }
    let (diary, other) = (Diary(about: otter), Diary(about: Otter()))
    for diary in [diary, other] {
      warden.observations.observe(diary, \.entry) { _, _, _ in }
      warden.observations.observe(diary, \.length) { _, _, _ in }
      warden.observations.observe(diary, \.page) { _, _, _ in }
      warden.observations.observeArray(diary, \.kept) { _, _, _ in }
    }
    XCTAssertEqual(ObservationGraph(of: otter).lines(.observes).count, 4)
    XCTAssertEqual(ObservationGraph(of: otter, readsObjects: false).lines(.observes).count, 4)
  }

  func test_filter_object_includesArraysThatFollowIt() {
    let array = ObservableArray([otter, Otter()])
    warden.observations.observeArray(array, elements: [\.name]) { _, _, _ in }
    warden.observations.observeArray(ObservableArray([otter])) { _, _, _ in }
    XCTAssertEqual(ObservationGraph(of: otter).lines(.observes).count, 1)
    array.remove(at: 0)
    XCTAssertEqual(ObservationGraph(of: otter).lines(.observes), [])
  }

  func test_filter_observer_hasItsOwnAlone() {
    let other = Warden()
    warden.observations.observe(otter, \.name) { _, _, _ in }
    other.observations.observe(otter, \.friend) { _, _, _ in }
    XCTAssertEqual(
      ObservationGraph(observedBy: other).lines(.observes),
      ["controller, retains observes Otter.friend"])
  }

  func test_filter_keyPath_hasItAlone() {
    warden.observations.observe(otter, \.name) { _, _, _ in }
    warden.observations.observe(otter, \.friend) { _, _, _ in }
    warden.observations.observe(Otter(), \.friend) { _, _, _ in }
    XCTAssertEqual(
      ObservationGraph(of: otter, \.friend).lines(.observes),
      ["controller, retains observes Otter.friend"])
  }

  func test_graph_filesOfOneName_inTwoFolders_areTwoEdges() {
    for folder in ["List", "Detail"] {
      warden.observations.observe(otter.barked, file: "\(folder)/View.swift", line: 1) { _, _ in }
    }
    let edges = ObservationGraph(of: otter.barked).edges.filter { $0.kind == .observes }
    XCTAssertEqual(edges.map(\.file), ["List/View.swift", "Detail/View.swift"])
  }

  func test_filter_none_hasEverything() {
    ObservationGraph.setLabel("shared", for: otter)
    let line: UInt = #line + 1
    warden.observations.observe(otter, \.name) { _, _, _ in }
    let other = Warden()
    other.observations.observe(otter, \.friend) { _, _, _ in }
    // Objects left by other tests are not read.
    let graph = ObservationGraph(readsObjects: false)
    XCTAssertEqual(
      graph.edges.filter { edge in
        graph.nodes[edge.to].owner.map { graph.nodes[$0].name } == "Otter “shared”"
      }.map(\.line), [line, line + 2])
  }

  // MARK: Lifetime

  func test_graph_keptAlone_keepsNothingAlive() {
    weak var weakOtter: Otter?
    weak var weakWarden: Warden?
    var graph: ObservationGraph?
    do {
      let (otter, warden) = (Otter(), Warden())
      (weakOtter, weakWarden) = (otter, warden)
      ObservationGraph.setLabel("kept", for: otter)
      otter.friend = Otter()
      warden.observations.observe(otter, \.friend?.call, options: .initial) { _, _, _ in }
      graph = ObservationGraph(observedBy: warden)
    }
    XCTAssertEqual(graph?.lines(.observes).count, 1)
    XCTAssertNil(weakOtter)
    XCTAssertNil(weakWarden)
  }

  func test_graph_deallocatedObjects_areLeftOut() {
    let observations = ObservationController(observer: warden, retainsObserved: false)
    observations.observe(Otter(), \.name) { _, _, _ in }
    var target: Otter? = Otter()
    observations.bind(otter, \.name, to: target!, \.name)
    target = nil
    XCTAssertEqual(ObservationGraph(observedBy: warden).lines, [])
  }

  func test_graph_making_notifiesNoObserverAndChangesNothing() {
    let recorder = LineRecorder()
    warden.observations.observe(otter, \.friend?.name, options: [.prior]) { _, _, _ in
      recorder.write("delivered")
    }
    assertLeavesNoObservations {
      for _ in 0..<3 { _ = ObservationGraph(observedBy: warden) }
    }
    XCTAssertEqual(recorder.events, [])
    otter.friend = Otter()
    XCTAssertEqual(recorder.events, ["delivered", "delivered"])
  }

  // MARK: Labels

  func test_label_setAgainAndTakenBack_isTheLastOne() {
    warden.observations.observe(otter, \.name) { _, _, _ in }
    var names: [String] = []
    XCTAssertNil(ObservationGraph.label(for: Otter()))
    for label in ["a", "b", nil, "c"] {
      ObservationGraph.setLabel(label, for: otter)
      XCTAssertEqual(ObservationGraph.label(for: otter), label)
      names += ObservationGraph(observedBy: warden).nodes.filter { $0.name.hasPrefix("Otter") }
        .map(\.name)
    }
    XCTAssertEqual(names, ["Otter “a”", "Otter “b”", "Otter", "Otter “c”"])
  }

  func test_label_deallocatedObjects_leaveNothing() {
    ObservationGraph.setLabel("stays", for: otter)
    _ = ObservationGraph(observedBy: warden)
    let before = ObservationGraph.objectLabelCount
    weak var last: Otter?
    for _ in 0..<Effort.count(quick: 100, full: 1_000) {
      let otter = Otter()
      last = otter
      ObservationGraph.setLabel("temporary", for: otter)
      XCTAssertLessThan(ObservationGraph.objectLabelCount, 2 * before + 40)
    }
    XCTAssertNil(last)
    _ = ObservationGraph(observedBy: warden)
    XCTAssertEqual(ObservationGraph.objectLabelCount, before)
  }

  func test_label_newObjectAtReusedAddress_inheritsNone() {
    var names: Set<String> = []
    for _ in 0..<30 {
      do { ObservationGraph.setLabel("old", for: Pulse()) }
      let pulse = Pulse()
      let token = warden.observations.observe(pulse, \.rate) { _, _, _ in }
      names.formUnion(
        ObservationGraph(of: pulse).nodes.map(\.name).filter { $0.hasPrefix("Pulse") })
      token.invalidate()
    }
    XCTAssertEqual(names, ["Pulse"])
  }

  // MARK: Re-entrancy and threads

  func test_graph_madeInHandlersAndDeinits_isMade() {
    final class Last {
      @Observed var value = 0
      let done: (Int) -> Void
      init(_ done: @escaping (Int) -> Void) { self.done = done }
      deinit { done(ObservationGraph(of: self).nodes.count) }
    }
    let counts = Recorder<Int>()
    warden.observations.observe(otter, \.name, options: [.initial, .prior]) { warden, _, _ in
      counts.append(ObservationGraph(observedBy: warden).nodes.count)
    }
    otter.name = "Lassie"
    warden.observations.observe(Last { _ in counts.append(-1) }, \.value) { _, _, _ in }
    warden.observations.unobserveAll()
    XCTAssertEqual(counts.events, [4, 4, 4, -1])
  }

  func test_graph_whileOthersObserveAndEnd_isMadeEachTime() {
    let done = Guarded(false)
    let thread = Thread {
      for _ in 0..<100 {
        let warden = Warden()
        let raft = Raft()
        warden.observations.observe(raft, \.count) { _, _, _ in }
        raft.count += 1
        ObservationGraph.setLabel("busy", for: raft)
      }
      done.withLock { $0 = true }
    }
    thread.start()
    ObservationGraph.setLabel("watched", for: otter)
    warden.observations.observe(otter, \.name) { _, _, _ in }
    var isDone = false
    while !isDone {
      isDone = done.withLock { $0 }
      let graph = ObservationGraph(readsObjects: false)
      XCTAssertTrue(graph.nodes.contains { $0.name == "Otter “watched”" })
    }
  }
}
