import ObservationController

/// What one person can undo and redo: the groups of edits of their transactions.
///
/// An observer of the journal; nothing that edits the board calls it.
@MainActor
final class History {
  /// The last one comes first; the oldest are dropped.
  private var undone: [EditGroup] = []
  private var done: [EditGroup] = []

  private let person: String
  private unowned let board: Board
  private lazy var observations = ObservationController(observer: self)

  init(of person: String, on board: Board) {
    (self.person, self.board) = (person, board)
    observations.observe(board.journal.recorded) { history, group in history.add(group) }
  }

  /// Takes the last transaction back.
  ///
  /// - Returns: The number of edits; `nil` if there is nothing to undo.
  func undo() -> Int? { done.popLast().map { revert($0, as: .undo(person)) } }

  /// Makes the transaction again that was taken back last.
  ///
  /// - Returns: The number of edits; `nil` if there is nothing to redo.
  func redo() -> Int? { undone.popLast().map { revert($0, as: .redo(person)) } }

  private func add(_ group: EditGroup) {
    switch group.author {
    case .person(person): (done, undone) = (done.suffix(99) + [group], [])
    case .redo(person): done.append(group)
    case .undo(person): undone.append(group)
    default: break
    }
  }

  private func revert(_ group: EditGroup, as author: Author) -> Int {
    board.edit(as: author) { for edit in group.edits { revert(edit) } }
    return group.edits.count
  }

  /// Leaves a property alone that somebody else has changed since, and a card that is gone.
  private func revert(_ edit: CardEdit) {
    guard let before = edit.before else { return board.remove(edit.id) }
    guard let after = edit.after else { return board.put(before) }
    guard var record = board.card(edit.id)?.record else { return }
    record.revert(after, to: before)
    board.put(record)
  }
}
