import ObservationController

/// Who makes an edit.
enum Author: Equatable, Sendable {
  case person(String)

  /// A person who takes an edit back, or makes it again.
  case undo(String)
  case redo(String)

  /// Another server.
  case mirror
}

/// The shared board: cards, what is counted of them, and who is online.
///
///     browser's view model ──▶ board ──▶ columns ──▶ cards      strong
///     history, saver, mirror ──▶ board ──▶ journal
@MainActor
final class Board {
  /// All cards, in no particular order.
  let cards = ObservableArray<Card>()

  /// The cards of each column by rank, shared by all browsers.
  let columns: ObservableArray<ObservableSection<Column, Card>>

  /// Browsers of each person who is online.
  let online = ObservableDictionary<String, Int>()

  /// What is counted, as the pages read it.
  let totals: ObservableValue<String>

  private(set) lazy var journal = Journal(of: self)

  /// Who makes the edit that is being made.
  private(set) var author = Author.mirror

  private var cardsByID: [CardRecord.ID: Card] = [:]
  private let namespace: String
  private var lastNumber = 0

  /// - Parameter namespace: Begins the identifiers of cards that are added here; no other server,
  ///   and no earlier run of this one, uses it.
  init(namespace: String) {
    self.namespace = namespace
    let columns = cards.sorted(on: [\.rank]) { ($0.rank, $0.id) < ($1.rank, $1.id) }
      .sections(on: [\.column], by: { $0.column }, keys: Column.allCases)
    let counts = columns.map { ($0.key.rawValue, CardTotals(of: $0.elements)) }
    let (online, all) = (online, CardTotals(of: cards))
    self.columns = columns
    totals = ObservableValue {
      let columns = Dictionary(uniqueKeysWithValues: counts.map { ($0, $1.numbers) })
      return encoded(
        BoardTotals(columns: columns, board: all.numbers, people: online.keys.sorted()))
    }
  }

  func card(_ id: CardRecord.ID) -> Card? { cardsByID[id] }

  /// The cards of a column by rank.
  func cards(in column: Column) -> ObservableArray<Card> {
    // All columns are always there, since their keys are fixed.
    columns.first { $0.key == column }!.elements
  }
}

// MARK: - Edits

extension Board {
  /// Makes edits as one transaction, which each observer is notified of once.
  func edit<Result>(as author: Author, _ body: () throws -> Result) rethrows -> Result {
    self.author = author
    return try withObservationTransaction(body)
  }

  /// An identifier that no card has had.
  func makeID() -> CardRecord.ID {
    lastNumber += 1
    return "\(namespace)-\(lastNumber)"
  }

  /// Adds a card, or changes the one with this identifier.
  func put(_ record: CardRecord) {
    if let card = cardsByID[record.id] { return card.update(to: record) }
    let card = Card(record)
    cardsByID[record.id] = card
    cards.append(card)
  }

  /// Removes a card; does nothing if there is none.
  func remove(_ id: CardRecord.ID) {
    guard let card = cardsByID.removeValue(forKey: id) else { return }
    cards.remove(card)
  }

  /// Shows what a file or another server has, with the cards that stay kept.
  func load(_ records: [CardRecord]) {
    cards.update(
      from: records, by: \.id, matching: { $0.id }, make: { Card($0) },
      refresh: { $0.update(to: $1) })
    cardsByID = Dictionary(uniqueKeysWithValues: cards.map { ($0.id, $0) })
  }

  /// Moves a card to a column, before another one or to the end.
  func move(_ card: Card, to column: Column, before next: Card?) {
    guard next !== card else { return }
    let others = cards(in: column).elements.filter { $0 !== card }
    let index = next.flatMap { next in others.firstIndex { $0 === next } } ?? others.count
    var record = card.record
    record.column = column
    if let rank = rank(at: index, among: others) {
      record.rank = rank
    } else {
      // No number is left between the two neighbours.
      for (position, other) in others.enumerated() { other.rank = Double(position + 1) }
      record.rank = Double(index) + 0.5
    }
    card.update(to: record)
  }

  /// A rank behind all cards of a column.
  func lastRank(in column: Column) -> Double { (cards(in: column).last?.rank ?? 0) + 1 }

  /// A rank between two neighbours; `nil` if there is none.
  private func rank(at index: Int, among others: [Card]) -> Double? {
    guard index < others.count else { return (others.last?.rank ?? 0) + 1 }
    let next = others[index].rank
    guard index > 0 else { return next - 1 }
    let previous = others[index - 1].rank
    let rank = previous + (next - previous) / 2
    return previous < rank && rank < next ? rank : nil
  }
}
