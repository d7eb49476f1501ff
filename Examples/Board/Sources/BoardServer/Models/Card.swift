import Foundation
import ObservationController

/// A card of the board.
@MainActor
final class Card {
  let id: CardRecord.ID

  @Observed var title: String
  @Observed var assignee: String
  @Observed var estimate: Int
  @Observed var isDone: Bool
  @Observed var column: Column
  @Observed var rank: Double

  /// All properties at once. Who follows it is notified once of a transaction that changes several.
  @Derived({ (card: Card) in card.makeRecord() }) var record: CardRecord

  /// The card as pages read it, encoded once for all of them after each change.
  @Derived({ (card: Card) in encoded(card.record) }) var json: String

  init(_ record: CardRecord) {
    id = record.id
    title = record.title
    assignee = record.assignee
    estimate = record.estimate
    isDone = record.isDone
    column = record.column
    rank = record.rank
  }

  /// Sets what differs from `record`, so that observers of the rest are not notified.
  func update(to record: CardRecord) {
    set(\.title, to: record.title)
    set(\.assignee, to: record.assignee)
    set(\.estimate, to: record.estimate)
    set(\.isDone, to: record.isDone)
    set(\.column, to: record.column)
    set(\.rank, to: record.rank)
  }

  private func set<Value: Equatable>(
    _ property: ReferenceWritableKeyPath<Card, Value>, to value: Value
  ) {
    if self[keyPath: property] != value { self[keyPath: property] = value }
  }

  private func makeRecord() -> CardRecord {
    CardRecord(
      id: id, title: title, assignee: assignee, estimate: estimate, isDone: isDone,
      column: column, rank: rank)
  }
}

extension Sequence<Card> {
  /// A list of cards as pages read it.
  @MainActor var json: String { "[" + map(\.json).joined(separator: ",") + "]" }
}

/// `value` as JSON in one line.
func encoded(_ value: some Encodable) -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  // Can't fail: what this program encodes has string keys, and numbers that are finite.
  return String(decoding: try! encoder.encode(value), as: UTF8.self)
}
