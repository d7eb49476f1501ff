/// The shared board as all messages up to a position of the stream have made it: the same on each
/// server.
struct MirrorState: Codable, Sendable {
  /// Thrown where a message is missing: the state is to be read anew.
  struct Gap: Error {}

  private(set) var cards: [CardRecord.ID: CardRecord] = [:]

  /// The number of the last message of each server.
  private(set) var seen: [String: Int] = [:]

  /// Position in the stream, as its engine counts.
  private(set) var position = "0-0"

  /// The number of messages that have been applied.
  private(set) var count = 0

  init() {}

  /// The board of the server that is the first one.
  ///
  /// - Parameter sequence: The number of the last message that `cards` contains.
  init(_ cards: [CardRecord], of origin: String, through sequence: Int) {
    self.cards = Dictionary(uniqueKeysWithValues: cards.map { ($0.id, $0) })
    seen[origin] = sequence
  }

  /// Applies the next message of the stream; a message that is there twice, the first time alone.
  ///
  /// - Returns: The cards that it changes.
  mutating func apply(_ message: MirrorMessage, at position: String) throws -> [CardRecord.ID] {
    let last = seen[message.origin] ?? 0
    guard message.sequence <= last + 1 else { throw Gap() }
    self.position = position
    count += 1
    guard message.sequence == last + 1 else { return [] }
    seen[message.origin] = message.sequence
    for patch in message.patches { patch.apply(to: &cards[patch.id]) }
    return message.patches.map(\.id)
  }
}
