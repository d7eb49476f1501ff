import ObservationController

/// A person who makes random edits.
@MainActor
struct DemoEditor {
  static let name = "Demo"
  private static let verbs = ["Call", "Write to", "Visit", "Ask", "Thank", "Pay"]
  private static let people = ["Ada", "Grace", "Alan", "Edsger", "Barbara", ""]

  let board: Board
  private let clock = ContinuousClock()

  init(_ board: Board) { self.board = board }

  /// Makes edits until the task is cancelled.
  func run(editsPerSecond rate: Int) async {
    var next = clock.now
    while !Task.isCancelled {
      edit()
      next += .seconds(1) / rate
      // A cancelled pause ends the loop.
      try? await clock.sleep(until: next)
    }
  }

  private func edit() {
    let column = Column.allCases.randomElement()!
    let title = "\(Self.verbs.randomElement()!) \(Self.people.dropLast().randomElement()!)"
    board.edit(as: .person(Self.name)) {
      guard board.cards.count > 30, let card = board.cards.randomElement() else {
        let rank = board.lastRank(in: column)
        return board.put(CardRecord(id: board.makeID(), title: title, column: column, rank: rank))
      }
      switch Int.random(in: 0..<10) {
      case 0 where board.cards.count > 300: board.remove(card.id)
      case 0:
        let rank = board.lastRank(in: column)
        board.put(CardRecord(id: board.makeID(), title: title, column: column, rank: rank))
      case 1...3: board.move(card, to: column, before: board.cards(in: column).randomElement())
      case 4: card.title = title
      case 5: card.isDone.toggle()
      case 6, 7: card.assignee = Self.people.randomElement()!
      default: card.estimate = .random(in: 0...40)
      }
    }
  }
}
