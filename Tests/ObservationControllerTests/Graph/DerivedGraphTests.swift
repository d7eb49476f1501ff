import ObservationController
import TestSupport
import XCTest

/// Derived values that read other objects, arrays, and atomic properties.
final class DerivedGraphTests: TestCase {
  private let branch = Branch("tree")
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func observe<Value>(_ keyPath: KeyPath<Branch, Value>, of object: Branch, as name: String)
  {
    observations.observe(object, keyPath, context: ObservationContext(name)) {
      recorder, _, change in
      recorder.write("\(name): \(change)")
    }
  }

  func test_links_areFollowed_acrossObjects() {
    let root = Branch("root")
    let twig = Branch("twig", parent: branch)
    XCTAssertEqual(twig.path, "/tree/twig")
    observe(\.path, of: twig, as: "path")
    branch.parent = root
    root.name = "top"
    branch.name = "oak"
    twig.parent = root
    branch.name = "elm"
    root.name = "end"
    twig.parent = nil
    root.name = "unheard"
    XCTAssertEqual(
      recorder.events,
      [
        "path: /tree/twig → /root/tree/twig", "path: /root/tree/twig → /top/tree/twig",
        "path: /top/tree/twig → /top/oak/twig", "path: /top/oak/twig → /top/twig",
        "path: /top/twig → /end/twig", "path: /end/twig → /twig",
      ])
    XCTAssertEqual(twig.path, "/twig")
  }

  func test_links_withoutObservers_areFollowed() {
    let twig = Branch("twig", parent: branch)
    XCTAssertEqual(twig.path, "/tree/twig")
    branch.name = "oak"
    XCTAssertEqual(twig.path, "/oak/twig")
    branch.parent = Branch("root")
    XCTAssertEqual(twig.path, "/root/oak/twig")
    branch.parent!.name = "top"
    XCTAssertEqual(twig.path, "/top/oak/twig")
  }

  func test_array_itsEditsAndItsElements_areFollowed() {
    let (a, b) = (Leaf("a", weight: 1), Leaf("b", weight: 2))
    branch.leaves = [a]
    XCTAssertEqual([branch.weight, branch.count], [1, 1])
    branch.leaves.append(b)
    XCTAssertEqual([branch.weight, branch.count], [3, 2])
    a.weight = 5
    XCTAssertEqual([branch.weight, branch.count], [7, 2])
    branch.leaves.remove(at: 0)
    a.weight = 100
    XCTAssertEqual([branch.weight, branch.count], [2, 1])
    branch.leaves = [a, a]
    XCTAssertEqual([branch.weight, branch.count], [200, 2])
    branch.leaves.setElements([])
    XCTAssertEqual([branch.weight, branch.count], [0, 0])
    XCTAssertEqual(branch.computed, 6)
  }

  func test_valuesOverAnArray_areObserved() {
    let a = Leaf("a", weight: 1)
    observe(\.weight, of: branch, as: "weight")
    observe(\.count, of: branch, as: "count")
    branch.leaves.append(a)
    a.weight = 2
    branch.leaves.performBatchUpdates {
      branch.leaves.append(a)
      branch.leaves.append(Leaf("b", weight: 3))
      XCTAssertEqual([branch.weight, branch.count], [7, 3], "read in the middle of it")
    }
    branch.leaves = []
    XCTAssertEqual(
      recorder.events,
      [
        "weight: 0 → 1", "count: 0 → 1", "weight: 1 → 2", "weight: 2 → 7", "count: 1 → 3",
        "weight: 7 → 0", "count: 3 → 0",
      ])
  }

  func test_plainArray_andItsElements_areFollowed() {
    let (a, b) = (Leaf("a", weight: 1), Leaf("b", weight: 2))
    branch.spares = [a]
    observe(\.weights, of: branch, as: "weights")
    observe(\.firstLabel, of: branch, as: "first")
    branch.spares.append(b)
    b.weight = 3
    branch.spares.swapAt(0, 1)
    b.isFresh = false
    branch.spares = []
    XCTAssertEqual(
      recorder.events,
      [
        "weights: [1] → [1, 2]",
        "weights: [1, 2] → [1, 3]", "weights: [1, 3] → [3, 1]",
        #"first: Optional("a1") → Optional("b3")"#, #"first: Optional("b3") → Optional("b")"#,
        "weights: [3, 1] → []", #"first: Optional("b") → nil"#,
      ])
  }

  func test_atomicProperty_isFollowed() {
    XCTAssertEqual(branch.score, 0)
    observe(\.score, of: branch, as: "score")
    branch.visits += 1
    branch.$visits.withLock { $0 += 2 }
    withObservationTransaction {
      branch.visits = 8
      XCTAssertEqual(branch.score, 80)
      branch.visits = 9
    }
    XCTAssertEqual(recorder.events, ["score: 0 → 10", "score: 10 → 30", "score: 30 → 90"])
    XCTAssertEqual(branch.score, 90)
  }

  // MARK: Elements

  func test_elementsDerivedProperty_isFollowedByObserveArray() {
    let (a, b) = (Leaf("a"), Leaf("b"))
    branch.leaves = [a, b]
    observations.observeArray(branch, \.leaves, elements: [\.label]) {
      $0.write("leaves: \($2.line)")
    }
    branch.spares = [a]
    observations.observeArray(branch, \.spares, elements: [\.label]) {
      $0.write("spares: \($2.line)")
    }
    a.weight = 2
    b.isFresh = false
    b.weight = 9
    branch.leaves.removeFirst()
    a.isFresh = false
    XCTAssertEqual(
      recorder.events,
      [
        "leaves: element a@0: a b a1 → a2", "spares: element a@0: a a1 → a2",
        "leaves: element b@1: a b b1 → b", "leaves: removal -a0: b",
        "spares: element a@0: a a2 → a",
      ])
  }

  func test_elementsDerivedProperty_inATransaction_isDeliveredOnce() {
    let a = Leaf("a")
    branch.leaves = [a]
    observations.observeArray(branch, \.leaves, elements: [\.label]) { $0.write($2) }
    withObservationTransaction {
      a.weight = 2
      a.weight = 3
      a.isFresh = false
      XCTAssertEqual(a.label, "a")
    }
    XCTAssertEqual(recorder.events, ["element a@0: a a1 → a"])
  }

  func test_elementsDerivedProperty_drivesLiveViews() {
    let (a, b) = (Leaf("a", weight: 2), Leaf("b", weight: 1))
    branch.leaves = [a, b]
    let sorted = branch.leaves.sorted(on: [\.label]) { $0.label < $1.label }
    let short = branch.leaves.filtered(on: [\.label]) { $0.label.count == 1 }
    b.isFresh = false
    XCTAssertEqual(short.elements.map(\.letter), ["b"])
    a.isFresh = false
    XCTAssertEqual(short.elements.map(\.letter), ["a", "b"])
    XCTAssertEqual(sorted.elements.map(\.letter), ["a", "b"])
  }

  func test_liveView_canBeRead() {
    final class Board {
      let all: ObservableArray<Int> = [1, 2]
      lazy var even = all.filtered(on: []) { $0.isMultiple(of: 2) }
      @Derived({ (board: Board) in board.even.count }) var count: Int
    }
    let board = Board()
    XCTAssertEqual(board.count, 1)
    board.all.append(4)
    XCTAssertEqual(board.count, 2)
  }
}
