import ObservationController

/// Edits of one transaction, and who made them.
struct EditGroup: Sendable {
  let author: Author
  let edits: [CardEdit]
}

/// Sends the edits of each transaction, found by observing the cards: whoever changes a card need
/// not know that histories, a file and other servers follow.
@MainActor
final class Journal {
  let recorded = ObservableEvent<EditGroup>()

  private var known: [CardRecord.ID: CardRecord] = [:]
  private lazy var observations = ObservationController(observer: self, retainsObserved: false)

  init(of board: Board) {
    observations.observeArray(board.cards, elements: [\.record], options: .initial) {
      [unowned board] journal, _, change in
      // Those that came or left, and those that changed; a card may be among both.
      let touched =
        change.entries.map(\.element) + change.changedIndices.map { change.elements[$0] }
      let group = EditGroup(author: board.author, edits: journal.edits(of: touched, on: board))
      if change.kind != .initial, !group.edits.isEmpty { journal.recorded.send(group) }
    }
  }

  private func edits(of touched: [Card], on board: Board) -> [CardEdit] {
    touched.compactMap { card in
      let edit = CardEdit(before: known[card.id], after: board.card(card.id)?.record)
      known[card.id] = edit.after
      return edit.before == edit.after ? nil : edit
    }
  }
}
