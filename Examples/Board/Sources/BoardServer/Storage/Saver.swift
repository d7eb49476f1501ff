import ObservationController

/// Saves what changes: all that waits is one transaction of the database.
///
/// An observer of the journal; whoever edits only waits until it is saved.
@MainActor
final class Saver {
  private let file: BoardFile
  private var waiting = BoardFile.Batch()

  /// Numbers of the last recorded and of the last saved group of edits.
  private var (recorded, saved) = (0, 0)

  private var writing: Task<Void, any Error>?
  private lazy var observations = ObservationController(observer: self)

  init(_ board: Board, to file: BoardFile) {
    self.file = file
    observations.observe(board.journal.recorded) { saver, group in
      for edit in group.edits { saver.waiting.cards[edit.id] = .some(edit.after) }
      saver.recorded += 1
    }
  }

  /// Waits until everything that has been edited so far is in the file.
  ///
  /// - Throws: An error of SQLite. What could not be written is part of the next transaction.
  func save() async throws {
    let last = recorded
    while saved < last { try await (writing ?? write()).value }
  }

  private func write() -> Task<Void, any Error> {
    let (batch, last) = (waiting, recorded)
    waiting = BoardFile.Batch()
    let task = Task {
      defer { writing = nil }
      do { try await file.write(batch) } catch {
        // What has been edited meanwhile is newer.
        waiting.cards.merge(batch.cards) { newer, _ in newer }
        throw error
      }
      saved = last
    }
    writing = task
    return task
  }
}
