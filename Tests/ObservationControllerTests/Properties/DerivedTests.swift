import ObservationController
import TestSupport
import XCTest

/// Computations and values of derived properties.
final class DerivedTests: TestCase {
  private let figure = Figure()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func observe<Value>(_ keyPath: KeyPath<Figure, Value>, as name: String) {
    observations.observe(figure, keyPath, context: ObservationContext(name)) {
      recorder, _, change in
      recorder.write("\(name): \(change)")
    }
  }

  // MARK: Reading

  func test_value_isComputedWhenItIsRead_once() {
    XCTAssertEqual(figure.computed.events, [])
    XCTAssertEqual(figure.sum, 3)
    XCTAssertEqual(figure.sum, 3)
    XCTAssertEqual(figure.computed.takeEvents(), ["sum"])
    figure.a = 10
    figure.a = 11
    figure.b = 12
    XCTAssertEqual(figure.computed.events, [], "not read")
    XCTAssertEqual(figure.sum, 23)
    XCTAssertEqual(figure.sum, 23)
    XCTAssertEqual(figure.computed.events, ["sum"])
  }

  func test_change_ofAPropertyNotRead_leavesTheValue() {
    _ = figure.double
    figure.b = 10
    figure.isLarge = true
    XCTAssertEqual(figure.double, 2)
    XCTAssertEqual(figure.computed.events, ["double"])
  }

  func test_C26_assignmentOfAnEqualValue_computesNothing() {
    _ = figure.sum
    figure.a = 1
    XCTAssertEqual(figure.sum, 3)
    XCTAssertEqual(figure.computed.takeEvents(), ["sum"])
    figure.a += 0
    XCTAssertEqual(figure.sum, 3)
    XCTAssertEqual(figure.computed.events, ["sum"], "a mutation in place always counts")
  }

  func test_mutationInPlace_isFollowed() {
    XCTAssertEqual(figure.sum, 3)
    figure.a += 5
    XCTAssertEqual(figure.sum, 8)
    func fail(_ value: inout Int) throws {
      value = 100
      throw Failure()
    }
    XCTAssertThrowsError(try fail(&figure.a))
    XCTAssertEqual(figure.sum, 102)
  }

  func test_eachObject_hasItsOwnValue() {
    let other = Figure()
    other.a = 5
    XCTAssertEqual([figure.sum, other.sum], [3, 7])
    figure.a = 2
    XCTAssertEqual([figure.sum, other.sum], [4, 7])
    XCTAssertEqual([figure.computed.events.count, other.computed.events.count], [2, 1])
  }

  func test_derivedFromDerived_isComputedWithIt_once() {
    XCTAssertEqual(figure.both, "1: 2 1")
    XCTAssertEqual(figure.computed.takeEvents(), ["both", "double", "square"])
    XCTAssertEqual(figure.double, 2)
    figure.a = 3
    XCTAssertEqual(figure.square, 9)
    XCTAssertEqual(figure.both, "3: 6 9")
    XCTAssertEqual(figure.double, 6)
    XCTAssertEqual(figure.computed.events, ["square", "both", "double"])
  }

  func test_privateSetNeighbour_isFollowed() {
    XCTAssertEqual(figure.next, 8)
    figure.setSecret(9)
    XCTAssertEqual(figure.next, 10)
  }

  // MARK: Branches

  func test_branch_isFollowedWhereItWasTaken() {
    XCTAssertEqual(figure.branch, 2)
    figure.a = 10
    XCTAssertEqual(figure.branch, 2)
    XCTAssertEqual(figure.computed.takeEvents(), ["branch"], "the other side is not read")
    figure.isLarge = true
    XCTAssertEqual(figure.branch, 10)
    figure.b = 20
    figure.a = 11
    XCTAssertEqual(figure.branch, 11)
    XCTAssertEqual(figure.computed.events, ["branch", "branch"])
  }

  func test_branchTakenByADerivedValue_isFollowedByThoseThatReadIt() {
    XCTAssertEqual(figure.text, "2")
    figure.isLarge = true
    figure.a = 5
    XCTAssertEqual(figure.branch, 5, "read before the one that reads it")
    XCTAssertEqual(figure.text, "5")
    figure.b = 100
    XCTAssertEqual(figure.computed.takeEvents(), ["text", "branch", "branch", "text"])
    figure.a = 6
    XCTAssertEqual(figure.text, "6")
    figure.isLarge = false
    XCTAssertEqual(figure.text, "100")
  }

  func test_branch_isFollowedByObservers() {
    observe(\.branch, as: "branch")
    observe(\.text, as: "text")
    figure.a = 10
    figure.b = 3
    figure.isLarge = true
    figure.b = 4
    figure.a = 11
    XCTAssertEqual(
      recorder.events,
      [
        "branch: 2 → 3", "text: 2 → 3", "branch: 3 → 10", "text: 3 → 10", "branch: 10 → 11",
        "text: 10 → 11",
      ])
  }

  // MARK: Observers

  func test_manyObserversAndReaders_computeOncePerChange() {
    let others = (0..<3).map { _ in ObservationController(observer: recorder) }
    for other in others {
      other.observe(figure, \.sum) { recorder, figure, change in
        XCTAssertEqual(figure.sum, change.newValue)
        recorder.write(change)
      }
    }
    observe(\.plain, as: "plain")
    figure.computed.clear()
    figure.a = 2
    XCTAssertEqual(figure.sum, 4)
    XCTAssertEqual(figure.computed.takeEvents().sorted(), ["double", "sum"])
    XCTAssertEqual(recorder.events, ["3 → 4", "3 → 4", "3 → 4", "plain: 3 2 → 4 4"])
    observations.unobserveAll()
    for other in others { other.unobserveAll() }
    figure.a = 3
    XCTAssertEqual(figure.computed.events, [], "no longer read")
  }

  func test_C10_diamond_isDeliveredOnce_neverMixed() {
    observe(\.both, as: "both")
    observe(\.double, as: "double")
    observe(\.square, as: "square")
    observe(\.a, as: "a")
    figure.computed.clear()
    figure.a = 3
    XCTAssertEqual(
      recorder.takeEvents(),
      ["both: 1: 2 1 → 3: 6 9", "double: 2 → 6", "square: 1 → 9", "a: 1 → 3"])
    XCTAssertEqual(figure.computed.takeEvents().sorted(), ["both", "double", "square"])
    withObservationTransaction {
      figure.a = 4
      figure.b = 9
      figure.a = 5
      XCTAssertEqual(figure.computed.events, [])
    }
    XCTAssertEqual(
      recorder.events,
      ["both: 3: 6 9 → 5: 10 25", "double: 6 → 10", "square: 9 → 25", "a: 3 → 5"])
    XCTAssertEqual(figure.computed.events.sorted(), ["both", "double", "square"])
  }

  func test_diamond_isObservedInAnyOrder() {
    observe(\.a, as: "a")
    observe(\.square, as: "square")
    observe(\.both, as: "both")
    figure.computed.clear()
    figure.a = 3
    XCTAssertEqual(
      recorder.events, ["a: 1 → 3", "square: 1 → 9", "both: 1: 2 1 → 3: 6 9"])
    XCTAssertEqual(figure.computed.events.sorted(), ["both", "double", "square"])
  }

  func test_readingIt_isNoObservation() {
    assertLeavesNoObservations {
      let before = ObservationDispatcher.shared.activeObservationCount
      let figure = Figure()
      _ = (figure.sum, figure.both, figure.text)
      figure.a = 2
      XCTAssertEqual(figure.both, "2: 4 4")
      XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before)
      XCTAssertEqual(ObservationDispatcher.shared.observations(of: figure).count, 0)
      XCTAssertEqual(ObservationDispatcher.shared.observedKeyPaths(of: figure), [])
      ObservationDispatcher.shared.removeObservations(of: figure)
      figure.a = 3
      XCTAssertEqual(figure.both, "3: 6 9", "nor can it be removed as one")
    }
  }
}
