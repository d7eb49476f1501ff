import ObservationController
import TestSupport
import XCTest

/// `reverse`, `shuffle`, `partition`, `popLast` and `+=`: as on a standard array, one change each.
/// `ArrayReplayTests`, `ArrayRandomTests` and `ArrayRandomReentrancyTests` replay them too.
final class ArrayReorderingTests: TestCase {
  private typealias Kind = ArrayChange<Int>.Kind

  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  /// Makes one edit of an observed array, of an unobserved one, and of a standard array, each with
  /// every array of up to four numbers.
  private func assertSame<Result: Equatable>(
    _ kind: @escaping ([Int]) -> Kind?, file: StaticString = #filePath, line: UInt = #line,
    _ edit: (ObservableArray<Int>) -> Result, _ model: (inout [Int]) -> Result
  ) {
    for start in allArrays(of: [1, 2, 3], upTo: 4) {
      let (array, plain) = (ObservableArray(start), ObservableArray(start))
      var expected = start
      let replay = ArrayReplay(start, hasOld: true)
      replay.follow(array, by: observations)
      let result = model(&expected)
      XCTAssertEqual(edit(array), result, "\(start)", file: file, line: line)
      XCTAssertEqual(edit(plain), result, "\(start)", file: file, line: line)
      XCTAssertEqual(array.elements, expected, "\(start)", file: file, line: line)
      XCTAssertEqual(plain.elements, expected, "\(start)", file: file, line: line)
      let kinds = replay.takeChanges().map(\.kind)
      XCTAssertEqual(kinds, kind(start).map { [$0] } ?? [], "\(start)", file: file, line: line)
      XCTAssertEqual(replay.elements, expected, "\(start)", file: file, line: line)
      XCTAssertEqual(replay.flaws, [], "\(start)", file: file, line: line)
      observations.unobserveAll()
    }
  }

  func test_reverse_isThatOfAnArray_asOneMove() {
    assertSame {
      $0.count < 2 ? nil : .move
    } _: {
      $0.reverse()
      return 0
    } _: {
      $0.reverse()
      return 0
    }
  }

  func test_shuffle_withAGenerator_isThatOfAnArray_asOneMove() {
    for seed in UInt64(1)...5 {
      func shuffledIndices(_ count: Int) -> [Int] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).shuffled(using: &generator)
      }
      assertSame {
        shuffledIndices($0.count) == Array($0.indices) ? nil : .move
      } _: {
        var generator = SeededGenerator(seed: seed)
        $0.shuffle(using: &generator)
        return 0
      } _: {
        var generator = SeededGenerator(seed: seed)
        $0.shuffle(using: &generator)
        return 0
      }
    }
  }

  func test_shuffle_keepsTheElements() {
    let array = ObservableArray(0..<100)
    let replay = ArrayReplay(array.elements)
    replay.follow(array, by: observations)
    array.shuffle()
    XCTAssertEqual(array.elements.sorted(), Array(0..<100))
    XCTAssertEqual(replay.elements, array.elements)
    XCTAssertEqual(replay.flaws, [])
  }

  func test_partition_isThatOfAnArray_asOneMove() {
    for limit in 1...4 {
      func partitioned(_ start: [Int]) -> [Int] {
        var order = Array(start.indices)
        _ = order.partition { start[$0] < limit }
        return order
      }
      assertSame {
        partitioned($0) == Array($0.indices) ? nil : .move
      } _: {
        $0.partition { $0 < limit }
      } _: {
        $0.partition { $0 < limit }
      }
    }
  }

  func test_partition_closureThatThrows_movesNothing() {
    struct Failure: Error {}
    let array: ObservableArray = [3, 1, 2]
    observations.observeArray(array) { $0.write($2.elements) }
    XCTAssertThrowsError(
      try array.partition {
        if $0 == 2 { throw Failure() }
        return $0 == 3
      })
    XCTAssertEqual(array.elements, [3, 1, 2])
    XCTAssertEqual(recorder.events, [])
  }

  func test_popLast_isThatOfAnArray_asOneRemoval() {
    assertSame {
      $0.isEmpty ? nil : .removal
    } _: {
      $0.popLast()
    } _: {
      $0.popLast()
    }
  }

  func test_popLast_priorHandlerThatEmptiesTheArray_popsNothing() {
    let array: ObservableArray = [1]
    observations.observe(array, \.elements, options: .prior) { _, array, change in
      if change.isPrior, !array.isEmpty { array.removeAll() }
    }
    XCTAssertNil(array.popLast())
    XCTAssertEqual(array.elements, [])
  }

  func test_addition_isThatOfAnArray_asOneInsertion() {
    for added in [[], [4], [4, 5]] {
      assertSame { _ in
        added.isEmpty ? nil : .insertion
      } _: {
        $0 += added
        return 0
      } _: {
        $0 += added
        return 0
      }
    }
  }

  @available(*, deprecated, message: "observes the property alone")
  func test_addition_toAnArrayInAProperty_doesNotSetTheProperty() {
    let shelf = TileShelf()
    observations.observe(shelf, \.tiles) { recorder, _, _ in recorder.write("set") }
    shelf.tiles += [Tile("a")]
    XCTAssertEqual(shelf.tiles.count, 1)
    XCTAssertEqual(recorder.events, [])
  }

  func test_eachOfThem_ofALiveView_isReported_andChangesNothing() {
    let source: ObservableArray = [3, 1, 2]
    let view = source.filtered(on: []) { _ in true }
    let issues = collectingIssues {
      view.reverse()
      view.shuffle()
      view.partition { $0 > 1 }
      XCTAssertNil(view.popLast())
      view += [4]
    }
    XCTAssertGreaterThanOrEqual(issues.count, 4)  // A shuffle may leave every element where it is.
    for issue in issues {
      guard case .readOnlyArray = issue else { return XCTFail("\(issue)") }
    }
    XCTAssertEqual(view.elements, [3, 1, 2])
  }

  func test_eachOperation_inATransaction_isDeliveredOnce() {
    let array: ObservableArray = [3, 1, 2]
    let replay = ArrayReplay(array.elements)
    replay.follow(array, by: observations)
    withObservationTransaction {
      array.reverse()
      array.partition { $0 == 3 }
      _ = array.popLast()
      array += [5, 4]
      array.shuffle()
    }
    XCTAssertEqual(replay.takeChanges().map(\.kind), [.batch])
    XCTAssertEqual(replay.elements, array.elements)
    XCTAssertEqual(replay.flaws, [])
  }

  func test_eachOfThem_insideAHandler_isAChangeOfItsOwn() {
    let array: ObservableArray = [3, 1, 2]
    let replay = ArrayReplay(array.elements)
    var edits: [(ObservableArray<Int>) -> Void] = [
      { $0.reverse() }, { $0.partition { $0 == 1 } }, { _ = $0.popLast() }, { $0 += [7] },
    ]
    replay.follow(array, by: observations) { _ in
      if !edits.isEmpty { edits.removeFirst()(array) }
    }
    array.append(0)
    XCTAssertEqual(
      replay.takeChanges().map(\.kind), [.insertion, .move, .move, .removal, .insertion])
    XCTAssertEqual(replay.elements, array.elements)
    XCTAssertEqual(replay.flaws, [])
  }

  // MARK: The standard library's

  func test_sortedFilterAndMap_areTheStandardLibrarys() {
    let source: ObservableArray = [3, 1, 2]
    let sorted: [Int] = source.sorted { $0 < $1 }
    let byOperator: [Int] = source.sorted(by: >)
    let filtered: [Int] = source.filter { $0 > 1 }
    let mapped: [Int] = source.map { $0 + 1 }
    source.append(0)
    XCTAssertEqual(
      [sorted, byOperator, filtered, mapped], [[1, 2, 3], [3, 2, 1], [3, 2], [4, 2, 3]])
    XCTAssertEqual(source.sorted(on: []) { $0 < $1 }.elements, [0, 1, 2, 3])
  }

  func test_sorted_withoutOn_isAnArray_alsoWhereNoTypeIsGiven() {
    let source: ObservableArray = [3, 1, 2]
    XCTAssertTrue(type(of: source.sorted { $0 < $1 }) == [Int].self)
    XCTAssertTrue(type(of: source.sorted()) == [Int].self)
    XCTAssertTrue(type(of: source.reversed()) == ReversedCollection<ObservableArray<Int>>.self)
  }
}
