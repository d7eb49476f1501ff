/// The change of a card as other servers are told: its new values, and no others.
struct CardPatch: Codable, Equatable, Sendable {
  let id: CardRecord.ID
  var title: String?
  var assignee: String?
  var estimate: Int?
  var isDone: Bool?
  var column: Column?
  var rank: Double?

  /// Whether the card was removed; `false` if it was added, and `nil` if it was changed.
  var isRemoved: Bool?

  init(_ edit: CardEdit) {
    id = edit.id
    guard let new = edit.after else {
      isRemoved = true
      return
    }
    let old = edit.before
    func value<Value: Equatable>(_ field: KeyPath<CardRecord, Value>) -> Value? {
      new[keyPath: field] == old?[keyPath: field] ? nil : new[keyPath: field]
    }
    (title, assignee, estimate) = (value(\.title), value(\.assignee), value(\.estimate))
    (isDone, column, rank) = (value(\.isDone), value(\.column), value(\.rank))
    if old == nil { isRemoved = false }
  }

  /// Changes what the card was to what it is.
  ///
  /// A patch of a card that has been removed changes nothing, unless it adds the card again.
  func apply(to record: inout CardRecord?) {
    if isRemoved == true { record = nil }
    if isRemoved == false, record == nil, let title, let column, let rank {
      record = CardRecord(id: id, title: title, column: column, rank: rank)
    }
    guard var card = record else { return }
    card.title = title ?? card.title
    card.assignee = assignee ?? card.assignee
    card.estimate = estimate ?? card.estimate
    card.isDone = isDone ?? card.isDone
    card.column = column ?? card.column
    card.rank = rank ?? card.rank
    record = card
  }
}

/// The edits of one transaction on their way to all servers.
struct MirrorMessage: Codable, Equatable, Sendable {
  /// The server that sends it.
  let origin: String

  /// Number of the message among those of its server, from 1, without gaps.
  let sequence: Int

  let patches: [CardPatch]
}
