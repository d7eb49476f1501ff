import ObservationController

/// What is counted of some cards; each number follows the change of one card in O(1).
@MainActor
struct CardTotals {
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
struct BoardTotals: Encodable {
  struct Numbers: Encodable {
    let count, estimate, done: Int
  }

  let columns: [String: Numbers]
  let board: Numbers
  let people: [String]
}
