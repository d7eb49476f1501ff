import Foundation
import ObservationController
import TestSupport
import XCTest

/// A set of its own, and observing it.
final class ObservableSetTests: TestCase {
  private typealias Numbers = ObservableSet<Int>

  private let edits: [(String, (Numbers) -> Void, (inout Set<Int>) -> Void)] = [
    ("insert", { $0.insert(1) }, { $0.insert(1) }),
    ("update", { $0.update(with: 9) }, { $0.update(with: 9) }),
    ("remove", { $0.remove(2) }, { $0.remove(2) }),
    (
      "remove(at:)", { if let index = $0.firstIndex(of: 3) { $0.remove(at: index) } },
      { if let index = $0.firstIndex(of: 3) { $0.remove(at: index) } }
    ),
    ("removeAll", { $0.removeAll() }, { $0.removeAll() }),
    ("removeAll where", { $0.removeAll { $0 > 1 } }, { $0 = $0.filter { $0 <= 1 } }),
    ("formUnion", { $0.formUnion([1, 7]) }, { $0.formUnion([1, 7]) }),
    ("subtract", { $0.subtract([1, 2, 8]) }, { $0.subtract([1, 2, 8]) }),
    ("formIntersection", { $0.formIntersection([2, 8]) }, { $0.formIntersection([2, 8]) }),
    (
      "formSymmetricDifference", { $0.formSymmetricDifference([2, 8]) },
      { $0.formSymmetricDifference([2, 8]) }
    ),
    ("setElements", { $0.setElements([4, 5]) }, { $0 = [4, 5] }),
    ("update to", { $0.update(to: [2, 4]) }, { $0 = [2, 4] }),
    (
      "batch",
      { set in
        set.performBatchUpdates {
          set.insert(10)
          set.remove(10)
          set.insert(11)
          set.remove(1)
        }
      },
      {
        $0.insert(11)
        $0.remove(1)
      }
    ),
  ]

  func test_everyEdit_unobservedOrObserved_isThatOfASet() {
    for elements in [[], [1], [2], [1, 2, 3]] as [Set<Int>] {
      for (name, edit, plainEdit) in edits {
        var plain = elements
        plainEdit(&plain)
        let (unobserved, observed) = (Numbers(elements), Numbers(elements))
        edit(unobserved)
        XCTAssertEqual(unobserved.elements, plain, name)
        let replay = SetReplay(of: observed)
        edit(observed)
        XCTAssertEqual(observed.elements, plain, name)
        XCTAssertEqual(replay.elements, plain, name)
        XCTAssertEqual(replay.flaws, [], name)
        XCTAssertLessThanOrEqual(replay.kinds.count, 1, name)
      }
    }
  }

  func test_eachEdit_hasItsKind_andOneThatDoesNothingNone() {
    let set: Numbers = [1, 2, 3]
    let replay = SetReplay(of: set)
    XCTAssertFalse(set.insert(1).inserted)
    set.remove(9)
    set.formUnion([1])
    set.subtract([9])
    set.formIntersection([1, 2, 3, 4])
    set.update(to: [3, 2, 1])
    set.removeAll { $0 > 9 }
    XCTAssertEqual(replay.takeKinds(), [])
    set.insert(4)
    set.remove(4)
    set.formUnion([4, 5])
    set.subtract([4, 5])
    set.formSymmetricDifference([1, 9])
    set.formIntersection([9])
    set.setElements([9])
    set.update(to: [9, 10])
    set.removeAll()
    XCTAssertEqual(
      replay.takeKinds(),
      [
        .insertion, .removal, .insertion, .removal, .batch, .removal, .setting, .insertion,
        .removal,
      ])
    XCTAssertEqual(replay.flaws, [])
  }

  func test_results_andPrinting_areThoseOfASet() throws {
    let set: Numbers = [1]
    XCTAssertEqual("\(set)", "[1]")
    XCTAssertEqual(set, [1])
    XCTAssertEqual(Set([set, [1]]).count, 1)
    XCTAssertTrue(set.insert(2).inserted)
    XCTAssertEqual(set.update(with: 2), 2)
    XCTAssertNil(set.update(with: 3))
    XCTAssertEqual(set.remove(3), 3)
    XCTAssertNil(set.remove(3))
    XCTAssertTrue(set.contains(2))
    XCTAssertEqual(set.union([5]), [1, 2, 5])
    XCTAssertEqual(set.intersection([2, 5]), [2])
    XCTAssertEqual(set.subtracting([2, 5]), [1])
    XCTAssertEqual(set.symmetricDifference([2, 5]), [1, 5])
    XCTAssertTrue(set.isSubset(of: [1, 2, 3]) && set.isStrictSubset(of: [1, 2, 3]))
    XCTAssertTrue(set.isSuperset(of: [1]) && set.isStrictSuperset(of: [1]))
    XCTAssertTrue(set.isDisjoint(with: [7]))
    let data = try JSONEncoder().encode(set)
    XCTAssertEqual(try JSONDecoder().decode(Numbers.self, from: data), set)
    _ = set.popFirst()
    set.removeFirst()
    XCTAssertNil(set.popFirst())
    XCTAssertTrue(set.isEmpty)
  }

  func test_change_madeByHand_isThatOfAnObservation() {
    let change = SetChange(kind: .batch, inserted: [1], removed: [2], elements: [1, 3])
    XCTAssertEqual(change.inserted, [1])
    XCTAssertEqual(change.removed, [2])
    XCTAssertEqual(change.applying(to: [2, 3]), [1, 3])
    XCTAssertEqual("\(change)", "batch: -2, +1")
    let element = SetChange(kind: .element, elements: [1], changedElement: 1)
    XCTAssertEqual(element.changedElement, 1)
    XCTAssertEqual(element.inserted, [])
  }

  // MARK: Observing

  private final class Bag {
    @Observed var tiles: ObservableSet<Tile> = []
    @Observed var plain: Set<Int> = []
  }

  private let bag = Bag()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_propertiesOfElements_areFollowed_asLongAsTheyAreThere() {
    let (a, b) = (Tile("a"), Tile("b"))
    observations.observeSet(bag, \.tiles, elements: [\.rank]) { recorder, _, change in
      recorder.append("\(change.kind) \(change.changedElement.map { "\($0)" } ?? "")")
      XCTAssertEqual(change.elementKeyPath == nil, change.kind != .element)
    }
    bag.tiles.formUnion([a, b])
    a.rank = 1
    bag.tiles.remove(a)
    a.rank = 2
    b.rank = 3
    bag.tiles = [a]
    b.rank = 4
    a.rank = 5
    XCTAssertEqual(
      recorder.events,
      ["insertion ", "element a1", "removal ", "element b3", "setting ", "element a5"])
  }

  func test_plainSet_isComparedBeforeAndAfter() {
    observations.observeSet(bag, \.plain) { $0.append("\($2)") }
    bag.plain = [1]
    bag.plain.insert(2)
    bag.plain.remove(1)
    XCTAssertEqual(recorder.events, ["insertion: +1", "insertion: +2", "removal: -1"])
  }

  func test_C11_editsOfATransaction_areOneChange() {
    let set: Numbers = [1]
    let replay = SetReplay(of: set)
    withObservationTransaction {
      set.insert(2)
      set.remove(1)
      set.formUnion([5, 6])
      set.remove(6)
    }
    XCTAssertEqual(replay.kinds, [.batch])
    XCTAssertEqual(replay.elements, [2, 5])
    XCTAssertEqual(replay.flaws, [])
  }

  func test_followingView_followsTheProperty_andIsReadOnly() {
    let view = ObservableSet.following(bag, \.tiles)
    let replay = SetReplay(of: view)
    let (a, b) = (Tile("a"), Tile("b"))
    bag.tiles.insert(a)
    bag.tiles = [b]
    bag.tiles.insert(a)
    XCTAssertEqual(view.elements, [a, b])
    XCTAssertEqual(replay.kinds, [.insertion, .setting, .insertion])
    XCTAssertEqual(replay.flaws, [])
    let issues = collectingIssues {
      view.insert(Tile("c"))
      view.removeAll()
    }
    XCTAssertEqual(issues.count, 2)
    XCTAssertEqual(view.elements, [a, b])
  }

  func test_randomEdits_keepEveryObserverConsistent() {
    for seed in seeds(quick: 12, full: 300) {
      var generator = SeededGenerator(seed: seed)
      func chance(_ count: Int) -> Int { .random(in: 0..<count, using: &generator) }
      let set: Numbers = [1, 2]
      let (replay, later) = (SetReplay(of: set), SetReplay(of: set))
      let three = ObservableValue { set.contains(3) }
      let count = ObservableValue { set.count }
      func edit() {
        let (one, other) = (chance(6), chance(6))
        switch chance(8) {
        case 0, 1: set.insert(one)
        case 2: set.remove(one)
        case 3: set.formUnion([one, other])
        case 4: set.subtract([one, other])
        case 5: set.formSymmetricDifference([one, other])
        case 6: set.update(to: [one, other])
        default: set.setElements([one])
        }
      }
      for step in 0..<60 {
        switch chance(6) {
        case 0: set.performBatchUpdates { for _ in 0..<3 { edit() } }
        case 1: withObservationTransaction { for _ in 0..<3 { edit() } }
        default: edit()
        }
        XCTAssertEqual(replay.elements, set.elements, "seed \(seed), step \(step)")
        XCTAssertEqual(later.elements, set.elements)
        XCTAssertEqual(three.value, set.contains(3))
        XCTAssertEqual(count.value, set.count)
      }
      XCTAssertEqual(replay.flaws + later.flaws, [], "seed \(seed)")
    }
  }
}
