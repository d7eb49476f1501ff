import ObservationController

/// A column of one browser: the part of it that is on the screen.
@MainActor
final class ColumnViewModel {
  let column: Column

  /// The cards of the column that the browser's search finds, in the browser's order.
  @Observed var cards: ObservableArray<Card>

  /// The rows on the screen, and some around them.
  @Observed var range = 0..<50

  private(set) lazy var window = ObservableArray.following(self, \.cards)
    .window(with: self, \.range)

  /// The window as the page knows it, once all that waits in the outbox has been sent.
  var sent: [Card] = []

  private var sentTotal = 0

  init(_ column: Column, _ cards: ObservableArray<Card>) {
    (self.column, self.cards) = (column, cards)
  }

  /// The change of the window as an event: removals count before it, the rest after it.
  func event(for change: ArrayChange<Card>) -> String {
    sent = change.elements
    // A card that has changed alone is listed where it is, and among the changed ones.
    let entries = change.kind == .element ? [] : change.entries
    let inserted = entries.compactMap { entry in
      entry.newIndex.map { (index: $0, card: entry.element) }
    }
    return event(
      removed: entries.compactMap(\.oldIndex).sorted(by: >),
      inserted: inserted.sorted { $0.index < $1.index },
      changed: change.changedIndices.map { (index: $0, card: sent[$0]) })
  }

  /// The number of cards as an event, if the page does not know it from a change of the window.
  var totalEvent: String? {
    cards.count == sentTotal ? nil : event(removed: [], inserted: [], changed: [])
  }

  private func event(
    removed: [Int], inserted: [(index: Int, card: Card)], changed: [(index: Int, card: Card)]
  ) -> String {
    sentTotal = cards.count
    return """
      {"column":"\(column.rawValue)","total":\(cards.count),"removed":\(removed),\
      "inserted":[\(json(inserted))],"changed":[\(json(changed))]}
      """
  }

  /// The window as a whole.
  func state() -> String {
    sentTotal = cards.count
    return #"{"column":"\#(column.rawValue)","total":\#(cards.count),"cards":\#(sent.json)}"#
  }

  private func json(_ cards: [(index: Int, card: Card)]) -> String {
    cards.map { "[\($0.index),\($0.card.json)]" }.joined(separator: ",")
  }
}
