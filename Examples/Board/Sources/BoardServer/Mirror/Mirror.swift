import ObservationController

/// Keeps the board equal to those of other servers.
///
/// The board shows what the stream's messages have made, and on top of that the messages of this
/// server which have not come back in the stream yet. So a later message wins on each server, edits
/// are shown at once, and none is lost: a message is in the file from its edit until it has come
/// back.
///
///     stream ──▶ mirror ──▶ board, saver      strong
///     board ──▶ journal ──▶ (observation) ──▶ mirror      weak
@MainActor
final class Mirror {
  let origin: String
  private let board: Board
  private let saver: Saver

  private(set) var state = MirrorState()

  /// Whether the state is as new as the stream, so that the board shows it.
  private var isCurrent = false

  /// Messages of this server that have not come back, the oldest first, and how many of them have
  /// been sent since the last connection.
  private var pending: [MirrorMessage]
  private var sentCount = 0
  private var lastSequence: Int
  private var patches: [CardRecord.ID: [CardPatch]] = [:]

  private var waiting: CheckedContinuation<Void, Never>?
  private lazy var observations = ObservationController(observer: self)

  init(_ board: Board, _ saver: Saver, continuing file: BoardFile) throws {
    (self.board, self.saver) = (board, saver)
    (origin, lastSequence, pending) = try file.mirror()
    for patch in pending.flatMap(\.patches) { patches[patch.id, default: []].append(patch) }
    observations.observe(board.journal.recorded) { mirror, group in
      if group.author != .mirror { mirror.add(group.edits) }
    }
  }

  private func add(_ edits: [CardEdit]) {
    lastSequence += 1
    let message = MirrorMessage(
      origin: origin, sequence: lastSequence, patches: edits.map(CardPatch.init))
    pending.append(message)
    for patch in message.patches { patches[patch.id, default: []].append(patch) }
    saver.add(message)
    wake()
  }
}

// MARK: - From the stream

extension Mirror {
  /// Begins with the state of the shared board; does nothing if what is known is as new.
  ///
  /// Nothing is shown before the newer messages have been received: what has been saved here may be
  /// newer than `state`.
  func join(_ state: MirrorState) {
    guard state.count > self.state.count || self.state.seen.isEmpty else { return }
    (self.state, isCurrent) = (state, false)
  }

  /// The board of this server as the first state of the shared one.
  var firstState: MirrorState {
    MirrorState(board.cards.map(\.record), of: origin, through: lastSequence)
  }

  /// Applies the next messages of the stream.
  ///
  /// - Throws: `MirrorState.Gap` if the stream no longer has all of them.
  /// - Returns: Whether others should be able to join with the state as it is now.
  func receive(_ messages: [(position: String, message: MirrorMessage)]) throws -> Bool {
    var changed: Set<CardRecord.ID> = []
    var isSnapshotDue = false
    // Also what comes before a gap.
    defer {
      removeConfirmed()
      if isCurrent { show(changed) }
    }
    for (position, message) in messages {
      changed.formUnion(try state.apply(message, at: position))
      isSnapshotDue = isSnapshotDue || (message.origin == origin && state.count % 1_000 == 0)
    }
    return isSnapshotDue
  }

  /// Removes the messages of this server that have come back.
  private func removeConfirmed() {
    let last = state.seen[origin] ?? 0
    let count = pending.firstIndex { $0.sequence > last } ?? pending.count
    guard count > 0 else { return }
    for patch in pending.prefix(count).flatMap(\.patches) {
      // Each card's patches are in the order of the messages.
      patches[patch.id]?.removeFirst()
      if patches[patch.id]?.isEmpty == true { patches[patch.id] = nil }
    }
    pending.removeFirst(count)
    sentCount = max(sentCount - count, 0)
    saver.removeMessages(through: last)
  }

  private func show(_ ids: Set<CardRecord.ID>) {
    board.edit(as: .mirror) {
      for id in ids {
        var record = state.cards[id]
        for patch in patches[id] ?? [] { patch.apply(to: &record) }
        if let record { board.put(record) } else { board.remove(id) }
      }
    }
  }
}

// MARK: - To the stream

extension Mirror {
  /// Shows what has been received, and has all messages sent again that have not come back: a
  /// connection has begun, by which all that is in the stream has been received.
  func didCatchUp() {
    sentCount = 0
    if isCurrent { return }
    isCurrent = true
    show(Set(state.cards.keys).union(board.cards.map(\.id)))
  }

  /// The next messages to send, at most 100, as soon as there are some.
  ///
  /// They are in the file by then: a number that was sent and not saved would be used again after a
  /// crash, and the second message with it be ignored.
  ///
  /// - Throws: An error of SQLite.
  func messagesToSend() async throws -> [MirrorMessage] {
    while sentCount == pending.count, !Task.isCancelled {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          waiting = continuation
          if Task.isCancelled { wake() }
        }
      } onCancel: {
        Task { @MainActor in wake() }
      }
    }
    let messages = pending.dropFirst(sentCount).prefix(100)
    sentCount += messages.count
    try await saver.save()
    return Array(messages)
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }
}
