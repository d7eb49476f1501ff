import ObservationController

/// Saves what changes: all that waits is one transaction of the database.
///
/// An observer of the journal; whoever edits only waits until it is saved.
@MainActor
final class Saver {
  private let file: BoardFile
  private var waiting = BoardFile.Batch()

  /// Numbers of the last change that was recorded, and of the last one that was saved.
  private var (recorded, saved) = (0, 0)

  private var writing: Task<Void, any Error>?
  private lazy var observations = ObservationController(observer: self)

  init(_ board: Board, to file: BoardFile) {
    self.file = file
    observations.observe(board.journal.recorded) { saver, group in
      saver.record { for edit in group.edits { $0.cards[edit.id] = .some(edit.after) } }
    }
  }

  /// Keeps a message until other servers have it, together with the edits of the same transaction.
  func add(_ message: MirrorMessage) { record { $0.messages.append(message) } }

  /// Removes the messages that other servers have.
  func removeMessages(through sequence: Int) { record { $0.confirmed = sequence } }

  /// Waits until everything that has been edited so far is in the file.
  ///
  /// - Throws: An error of SQLite. What could not be written is part of the next transaction.
  func save() async throws {
    let last = recorded
    while saved < last { try await (writing ?? write()).value }
  }

  private func record(_ change: (inout BoardFile.Batch) -> Void) {
    change(&waiting)
    recorded += 1
    if writing == nil { write() }
  }

  @discardableResult
  private func write() -> Task<Void, any Error> {
    let task = Task {
      // Taken only now: other observers of the same edits may have added something.
      let (batch, last) = (waiting, recorded)
      waiting = BoardFile.Batch()
      do { try await file.write(batch) } catch {
        (waiting, writing) = (batch.followed(by: waiting), nil)
        throw error
      }
      (saved, writing) = (last, nil)
      if recorded > last { write() }
    }
    writing = task
    return task
  }
}
