import ObservationController
import TestSupport
import XCTest

/// Mutations in place of elements: `groups[0].append(1)`. What traps is in `TrapTests`.
final class ArrayInPlaceTests: TestCase {
  /// A value that notices whether it is copied.
  private struct Document {
    private final class Page {}

    private var page = Page()

    /// Whether nothing else holds the value.
    mutating func isUnique() -> Bool { isKnownUniquelyReferenced(&page) }
  }

  private final class Shelf {
    @Observed var groups: ObservableArray<[Int]> = [[1], [2], [3]]
    @Observed var factor = 1
    @Derived({ (shelf: Shelf) in shelf.groups.reduce(0) { $0 + $1.count } * shelf.factor })
    var size: Int
    var sum: Int { groups.reduce(0) { $0 + $1.reduce(0, +) } * factor }
  }

  private struct Stop: Error {}

  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  // MARK: What is copied

  func test_C6_elementWithoutObservers_isNotCopied() {
    let documents = ObservableArray((0..<3).map { _ in Document() })
    for index in documents.indices { XCTAssertTrue(documents[index].isUnique()) }
    XCTAssertTrue(mutate(&documents[1]) { $0.isUnique() })
    documents.performBatchUpdates { XCTAssertTrue(documents[0].isUnique()) }
    withObservationTransaction { XCTAssertTrue(documents[2].isUnique()) }
    // After a snapshot that is gone, too.
    XCTAssertEqual(documents.elements.count, 3)
    XCTAssertTrue(documents[0].isUnique())
  }

  func test_C6_elementOfAnArrayThatOnlyPathsRead_isNotCopied() {
    let documents = ObservableArray((0..<3).map { _ in Document() })
    observations.observe(documents, \.count) { $0.write($2.newValue) }
    XCTAssertTrue(documents[1].isUnique())
    XCTAssertTrue(documents[2].isUnique())
    XCTAssertEqual(recorder.events, ["3", "3"])
  }

  func test_C6_arrayThatIsObservedWithoutOld_isNotCopied() {
    let groups = ObservableArray([[1], [2]])
    func address() -> UnsafeRawPointer? {
      groups.withContiguousStorageIfAvailable { UnsafeRawPointer($0.baseAddress!) }
    }
    observations.observeArray(groups) { recorder, _, change in recorder.write(change.kind) }
    let before = address()
    groups[0].append(5)
    groups[1].append(6)
    XCTAssertEqual(address(), before)
    XCTAssertEqual(recorder.events, ["replacement", "replacement"])
  }

  // MARK: What is delivered

  func test_mutation_isOneReplacementAfterItHasEnded() {
    let groups = ObservableArray([[1], [2]])
    observations.observeArray(groups) { $0.write($2) }
    observations.observeArray(groups, options: .old, context: "old") { $0.write($2) }
    mutate(&groups[1]) {
      $0.append(3)
      $0.append(4)
      recorder.write("end")
    }
    groups[0][0] = 7
    XCTAssertEqual(
      recorder.events,
      [
        "end", "replacement -[2]1 +[2, 3, 4]1: [1] [2, 3, 4]",
        "replacement -[2]1 +[2, 3, 4]1: [1] [2, 3, 4] (was [1] [2])",
        "replacement -[1]0 +[7]0: [7] [2, 3, 4]",
        "replacement -[1]0 +[7]0: [7] [2, 3, 4] (was [1] [2, 3, 4])",
      ])
  }

  func test_mutationThatThrows_isDelivered() {
    let groups = ObservableArray([[1], [2]])
    func fail(_ group: inout [Int]) throws {
      group.append(0)
      throw Stop()
    }
    XCTAssertThrowsError(try fail(&groups[0]))
    observations.observeArray(groups) { $0.write($2) }
    XCTAssertThrowsError(try fail(&groups[1]))
    groups.append([])
    XCTAssertEqual(
      recorder.events,
      ["replacement -[2]1 +[2, 0]1: [1, 0] [2, 0]", "insertion +[]2: [1, 0] [2, 0] []"])
  }

  func test_mutationThatChangesNothing_isDelivered() {
    let groups = ObservableArray([[1]])
    observations.observeArray(groups) { $0.write($2) }
    mutate(&groups[0]) { _ in }
    XCTAssertEqual(recorder.events, ["replacement -[1]0 +[1]0: [1]"])
  }

  func test_mutations_inABatch_andInATransaction_arePartOfIt() {
    let groups = ObservableArray([[1], [2]])
    observations.observeArray(groups, options: .old) { $0.write($2) }
    groups.performBatchUpdates {
      groups[0].append(5)
      groups.append([3])
      groups[2].append(6)
    }
    withObservationTransaction {
      groups[1].append(7)
      groups.removeFirst()
    }
    XCTAssertEqual(
      recorder.events,
      [
        "batch -[1]0 +[1, 5]0 +[3, 6]2: [1, 5] [2] [3, 6] (was [1] [2])",
        "batch -[1, 5]0 +[2, 7]0 -[2]1: [2, 7] [3, 6] (was [1, 5] [2] [3, 6])",
      ])
  }

  func test_mutationInAHandler_isDeliveredInItsTurn() {
    let groups = ObservableArray([[1], [2]])
    for name in ["a", "b"] {
      observations.observeArray(groups, context: ObservationContext(name)) {
        recorder, groups, change in
        if groups[1].count < 3 { groups[1].append(9) }
        recorder.write("\(name) \(change.elements)")
      }
    }
    groups[0].append(5)
    XCTAssertEqual(
      recorder.events,
      [[1, 5], [1, 5], [1, 5]].enumerated().flatMap { count, first in
        let nines = [2] + Array(repeating: 9, count: count)
        return ["a \([first, nines])", "b \([first, nines])"]
      })
  }

  func test_elementsOfTwoArrays_canBeSwapped() {
    let (left, right) = (ObservableArray([[1]]), ObservableArray([[2]]))
    observations.observeArray(left) { $0.write($2) }
    observations.observeArray(right) { $0.write($2) }
    swap(&left[0], &right[0])
    XCTAssertEqual(
      recorder.events.sorted(), ["replacement -[1]0 +[2]0: [2]", "replacement -[2]0 +[1]0: [1]"])
  }

  func test_nestedArrays_areMutatedInPlace() {
    let tables: ObservableArray<ObservableArray<[Int]>> = [[[1]], [[2]]]
    observations.observeArray(tables[0]) { $0.write($2) }
    tables[0][0].append(3)
    tables[1][0].append(4)
    XCTAssertEqual(recorder.events, ["replacement -[1]0 +[1, 3]0: [1, 3]"])
    XCTAssertEqual(tables.map(\.elements), [[[1, 3]], [[2, 4]]])
  }

  func test_mutationOfALiveView_isReported_andChangesNothing() {
    let groups = ObservableArray([[1], [2]])
    let view = groups.filtered(on: []) { $0.count == 1 }
    let issues = collectingIssues {
      mutate(&view[0]) {
        $0 = []
        // Its source may be edited.
        groups.append([3])
      }
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(view.elements, [[1], [2], [3]])
    XCTAssertEqual(groups.elements, [[1], [2], [3]])
  }

  func test_live_views_followAMutation() {
    let groups = ObservableArray([[1], [2, 2], [3]])
    let sizes = groups.mapped(on: []) { $0.count }
    let pairs = groups.filtered(on: []) { $0.count == 2 }
    let sorted = groups.sorted(on: []) { $0.count > $1.count }
    groups[2].append(3)
    groups[1].append(2)
    XCTAssertEqual(sizes.elements, [1, 3, 2])
    XCTAssertEqual(pairs.elements, [[3, 3]])
    XCTAssertEqual(sorted.elements, [[2, 2, 2], [3, 3], [1]])
  }

  // MARK: What happens meanwhile

  func test_readingMeanwhile_findsTheCountAndTheOthers() {
    for observed in [false, true] {
      for index in 0..<4 {
        let names = ObservableArray(["a", "b", "c", "d"])
        if observed { observations.observeArray(names) { _, _, _ in } }
        let others = mutate(&names[index]) { name in
          name = "x"
          XCTAssertEqual(names.count, 4)
          XCTAssertEqual(names.description.count, 15)
          return names.indices.filter { $0 != index }.map { names[$0] }
        }
        XCTAssertEqual(others, ["a", "b", "c", "d"].filter { $0 != ["a", "b", "c", "d"][index] })
        XCTAssertEqual(names[index], "x")
        names.append("e")
        XCTAssertEqual(names.count, 5)
      }
    }
  }

  func test_valuesThatReadTheArray_areDeliveredAfterTheMutation() {
    for isInTransaction in [false, true] {
      let shelf = Shelf()
      observations.observe(shelf, \.size) { $0.write("size: \($2)") }
      observations.observe(shelf, \.sum) { $0.write("sum: \($2)") }
      mutate(&shelf.groups[1]) { group in
        group.append(4)
        if isInTransaction {
          withObservationTransaction { shelf.factor = 10 }
        } else {
          shelf.factor = 10
        }
        recorder.write("end")
      }
      XCTAssertEqual(recorder.takeEvents(), ["end", "size: 3 → 40", "sum: 6 → 100"])
      shelf.groups[0].append(1)
      XCTAssertEqual(recorder.takeEvents(), ["size: 40 → 50", "sum: 100 → 110"])
    }
  }

  func test_pathThatBeginsMeanwhile_isNotifiedOfTheEnd() {
    let groups = ObservableArray([[1], [2]])
    mutate(&groups[0]) { group in
      observations.observe(groups, \.count) { $0.write($2.newValue) }
      group.append(1)
    }
    groups.append([])
    XCTAssertEqual(recorder.events, ["2", "3"])
  }

  func test_prior_comesBeforeTheMutation() {
    let groups = ObservableArray([[1], [2]])
    observations.observe(groups, \.[0], options: [.old, .prior]) { $0.write($2) }
    mutate(&groups[0]) {
      recorder.write("begin")
      $0.append(1)
    }
    XCTAssertEqual(recorder.events, ["about to change from [1]", "begin", "[1] → [1, 1]"])
  }

  func test_changesOfElementsMeanwhile_areDeliveredAfterwards() {
    for isInTransaction in [false, true] {
      let (ada, grace) = (Member("Ada", 2), Member("Grace", 1))
      let members: ObservableArray<any Ranked> = [ada, grace]
      let sorted = ObservableArray([ada, grace]).sorted(on: [\.rank]) { $0.rank < $1.rank }
      let view = members.mapped(on: [\.rank]) { $0.rank }
      observations.observeArray(members, elements: [\.rank]) { recorder, _, change in
        recorder.write("\(change.kind) \(change.elements.map(\.rank))")
      }
      mutate(&members[0]) { member in
        if isInTransaction {
          withObservationTransaction { (ada.rank, grace.rank) = (7, 8) }
        } else {
          (ada.rank, grace.rank) = (7, 8)
        }
        member = Member("Alan", 5)
        recorder.write("end")
      }
      XCTAssertEqual(
        recorder.takeEvents(), ["end", "replacement [5, 8]", "element [5, 8]"])
      XCTAssertEqual(view.elements, [5, 8])
      XCTAssertEqual(sorted.map(\.name), ["Ada", "Grace"])
    }
  }

  func test_emptyBatchMeanwhile_doesNothing() {
    let groups = ObservableArray([[1], [2]])
    observations.observeArray(groups) { $0.write($2) }
    mutate(&groups[0]) { group in
      groups.performBatchUpdates { group.append(2) }
      groups.append(contentsOf: [])
    }
    XCTAssertEqual(recorder.events, ["replacement -[1]0 +[1, 2]0: [1, 2] [2]"])
  }

  func test_observationThatEndsMeanwhile_isNotNotified() {
    let groups = ObservableArray([[1], [2]])
    let token = observations.observeArray(groups) { $0.write($2) }
    mutate(&groups[0]) { group in
      token.invalidate()
      group.append(2)
    }
    XCTAssertEqual(recorder.events, [])
    XCTAssertEqual(groups[0], [1, 2])
  }
}

private protocol Ranked: AnyObject { var rank: Int { get set } }

private final class Member: Ranked {
  let name: String
  @Observed var rank: Int

  init(_ name: String, _ rank: Int) {
    self.name = name
    self.rank = rank
  }
}

private func mutate<Value, Result>(
  _ value: inout Value, _ body: (inout Value) -> Result
) -> Result { body(&value) }
