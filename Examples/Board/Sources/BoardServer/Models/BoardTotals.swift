import ObservationController

/// What is counted of a column's cards; each number follows the change of one card in O(1).
@MainActor
struct ColumnTotals {
  let cards: ObservableArray<Card>
  let estimate: ObservableValue<Int>
  let done: ObservableValue<Int>

  init(of cards: ObservableArray<Card>) {
    self.cards = cards
    estimate = cards.sum(of: \.estimate)
    done = cards.count(on: [\.isDone]) { $0.isDone }
  }

  var numbers: BoardTotals.Numbers {
    .init(count: cards.count, estimate: estimate.value, done: done.value)
  }
}

/// What is counted of the whole board, as the pages read it.
struct BoardTotals: Codable, Equatable {
  struct Numbers: Codable, Equatable {
    var count = 0
    var estimate = 0
    var done = 0
  }

  let columns: [String: Numbers]
  let board: Numbers
  let people: [String]

  @MainActor
  init(_ totals: [Column: ColumnTotals], people: [String]) {
    var board = Numbers()
    var columns: [String: Numbers] = [:]
    for (column, totals) in totals {
      let numbers = totals.numbers
      board.count += numbers.count
      board.estimate += numbers.estimate
      board.done += numbers.done
      columns[column.rawValue] = numbers
    }
    (self.columns, self.board, self.people) = (columns, board, people)
  }
}
