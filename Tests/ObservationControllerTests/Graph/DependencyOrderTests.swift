#if DEBUG  // `@testable` is not available in a release build.
  @testable import ObservationController
  import TestSupport
  import XCTest

  /// Values that read the same properties, each in an order of its own and another one each time.
  final class DependencyOrderTests: TestCase {
    /// Edges and slots that `body` looks at.
    private func steps(_ body: () -> Void) -> Int {
      let before = placeSteps.load(ordering: .relaxed)
      body()
      return placeSteps.load(ordering: .relaxed) - before
    }

    func test_C29_valuesReadingInChangingOrder_lookAtFewPlacesForEachEdge() {
      for count in [40, 80, 160] {
        let sheet = Sheet(count)
        for round in 1...3 {
          sheet.turn = round
          let steps = steps { XCTAssertEqual(sheet.read(), sheet.expected) }
          XCTAssertLessThan(steps, 12 * count * count, "\(count) values, round \(round)")
        }
      }
    }

    func test_C29_pathsReadingInChangingOrder_lookAtFewPlacesForEachEdge() {
      for count in [40, 80] {
        let sheet = Sheet(count)
        let recorder = Recorder<Int>()
        let controller = ObservationController(observer: recorder)
        let steps = steps {
          for row in sheet.rows { controller.observe(row, \.pathSum) { _, _, _ in } }
          for round in 1...2 {
            sheet.turn = round
            sheet.cells[0].number += 1
          }
        }
        XCTAssertLessThan(steps, 40 * count * count, "\(count) paths")
      }
    }

    /// Random orders, repetitions, more and fewer properties, some deallocated: every change is
    /// seen.
    func test_C26_randomOrders_everyDependencyIsFollowedAndNoOther() {
      for seed in seeds(quick: 3, full: 100) {
        var random = SeededGenerator(seed: seed)
        let sheet = Sheet(60)
        let row = sheet.rows[0]
        var reads = 0
        row.onRead = { reads += 1 }
        for _ in 0..<12 {
          if Bool.random(using: &random) {
            // Leaves gaps, and has the memory used again.
            for _ in 0..<5 {
              sheet.cells[Int.random(in: 0..<60, using: &random)] = Cell(1)
            }
            sheet.turn &+= 1
          }
          row.order = (0..<Int.random(in: 1...90, using: &random)).map { _ in
            Int.random(in: 0..<60, using: &random)
          }
          XCTAssertEqual(row.sum, row.expected, "seed \(seed)")
          for index in 0..<60 {
            reads = 0
            sheet.cells[index].number += 1
            XCTAssertEqual(row.sum, row.expected, "seed \(seed)")
            XCTAssertEqual(reads, row.order!.contains(index) ? 1 : 0, "seed \(seed)")
          }
        }
      }
    }
  }

  private final class Cell {
    @Observed var number: Int
    init(_ number: Int) { self.number = number }
  }

  private final class Sheet {
    var cells: [Cell]
    @Observed var turn = 0
    private(set) var rows: [Row] = []

    init(_ count: Int) {
      cells = (0..<count).map { Cell($0) }
      rows = (0..<count).map { Row(self, $0) }
    }

    func read() -> [Int] { rows.map(\.sum) }
    var expected: [Int] { rows.map(\.expected) }
  }

  private final class Row {
    unowned let sheet: Sheet
    let index: Int
    var onRead: (() -> Void)?
    @Observed var order: [Int]?

    init(_ sheet: Sheet, _ index: Int) { (self.sheet, self.index) = (sheet, index) }

    @Derived({ (row: Row) -> Int in
      row.onRead?()
      return row.pathSum
    }) var sum: Int

    /// Each in an order of its own: a multiplication by an odd number, which has no common factor.
    var pathSum: Int {
      let (cells, turn) = (sheet.cells, sheet.turn)
      if let order { return order.reduce(0) { $0 + cells[$1].number } }
      let factor = [1, 3, 7, 9, 11, 13][(index + turn) % 6]
      return cells.indices.reduce(0) {
        $0 + cells[($1 * factor + index * 17 + turn) % cells.count].number
      }
    }

    var expected: Int {
      (order ?? Array(sheet.cells.indices)).reduce(0) { $0 + sheet.cells[$1].number }
    }
  }
#endif
