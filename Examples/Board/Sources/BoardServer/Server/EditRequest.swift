import HTTPTypes

/// A request that can't be fulfilled, with a sentence for the person who made it.
struct Refusal: Error {
  let status: HTTPResponse.Status
  let sentence: String

  init(_ sentence: String) { self.init(.badRequest, sentence) }

  init(_ status: HTTPResponse.Status, _ sentence: String) {
    (self.status, self.sentence) = (status, sentence)
  }
}

/// An edit as a page asks for it.
struct EditRequest: Decodable, Sendable {
  enum Kind: String, Decodable {
    case add, change, move, remove
  }

  let client: String
  let kind: Kind
  var card: CardRecord.ID?
  var title: String?
  var assignee: String?
  var estimate: Int?
  var isDone: Bool?
  var column: Column?
  var before: CardRecord.ID?

  /// Makes the edit as one transaction.
  ///
  /// - Returns: The identifier of the card.
  /// - Throws: A `Refusal`; then nothing has changed.
  @MainActor
  func apply(to board: Board, as author: Author) throws -> CardRecord.ID {
    try checkValues()
    if kind == .add { return try add(to: board, as: author) }
    let card = try find(card, on: board)
    switch kind {
    case .move:
      guard let column else { throw Refusal("A card is moved to a \"column\".") }
      let next = try before.map { try find($0, on: board) }
      if let next, next.column != column {
        throw Refusal(.conflict, "The card to move it before is in another column now.")
      }
      board.edit(as: author) { board.move(card, to: column, before: next) }
    case .remove: board.edit(as: author) { board.remove(card.id) }
    case .change, .add:
      var record = card.record
      record.title = title ?? record.title
      record.assignee = assignee ?? record.assignee
      record.estimate = estimate ?? record.estimate
      record.isDone = isDone ?? record.isDone
      board.edit(as: author) { board.put(record) }
    }
    return card.id
  }

  @MainActor
  private func add(to board: Board, as author: Author) throws -> CardRecord.ID {
    guard let column, let title else {
      throw Refusal("A card is added with a \"title\" to a \"column\".")
    }
    let record = CardRecord(
      id: board.makeID(), title: title, assignee: assignee ?? "", estimate: estimate ?? 0,
      isDone: isDone ?? false, column: column, rank: board.lastRank(in: column))
    board.edit(as: author) { board.put(record) }
    return record.id
  }

  @MainActor
  private func find(_ id: CardRecord.ID?, on board: Board) throws -> Card {
    guard let id else { throw Refusal("Which \"card\" is not said.") }
    guard let card = board.card(id) else { throw Refusal(.notFound, "This card is gone.") }
    return card
  }

  private func checkValues() throws {
    if let title, !(1...200).contains(title.count) {
      throw Refusal("A title has 1 to 200 characters.")
    }
    if let assignee, assignee.count > 40 {
      throw Refusal("The name of a person has at most 40 characters.")
    }
    if let estimate, !(0...999).contains(estimate) {
      throw Refusal("An estimate is a number of hours from 0 to 999.")
    }
  }
}
