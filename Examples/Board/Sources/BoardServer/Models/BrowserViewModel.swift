import ObservationController

/// The order of the cards in a browser's columns.
enum CardOrder: String, Codable, Sendable {
  case manual, title, assignee, estimate

  /// Whether `first` comes first; the manual order is that of the columns.
  @MainActor
  func precedes(_ first: Card, _ second: Card) -> Bool {
    switch self {
    case .manual: false
    case .title: first.title < second.title
    case .assignee: first.assignee < second.assignee
    case .estimate: first.estimate > second.estimate
    }
  }
}

/// What one browser shows: the board with a search, an order and a window of its own.
///
/// Sends the page what changes. When the browser leaves, the view model is deallocated, and all its
/// views and observations with it.
@MainActor
final class BrowserViewModel {
  let id: String
  let person: String
  @Observed var search = ""
  @Observed var order = CardOrder.manual

  let outbox = Outbox()
  private let board: Board
  private var columns: [ColumnViewModel] = []
  private lazy var observations = ObservationController(observer: self)

  /// Changes that are made faster than this are sent joined.
  static let frame = ObservationCoalescing.interval(.milliseconds(30))

  init(id: String, person: String, board: Board) {
    (self.id, self.person, self.board) = (id, person, board)
    columns = board.columns.map { ColumnViewModel($0.key, $0.elements) }
    let needed = { [unowned self] in [search.isEmpty, order == .manual] }
    observations.observe(needed, options: .distinct) { browser, _ in browser.makeViews() }
    for column in columns { follow(column) }
    observations.observeOnMainActor(
      board.totals, \.value, coalescing: .interval(.milliseconds(100))
    ) {
      browser, _, change in browser.outbox.send("totals", change.newValue)
    }
  }
}

extension BrowserViewModel {
  /// Searches and orders all columns. A view that is not needed is not made: it would take part in
  /// each edit, once for each browser.
  private func makeViews() {
    for (column, section) in zip(columns, board.columns) {
      var cards = section.elements
      if !search.isEmpty {
        cards = cards.filtered(on: [\.title, \.assignee], with: self, \.search) { card, text in
          card.title.localizedCaseInsensitiveContains(text)
            || card.assignee.localizedCaseInsensitiveContains(text)
        }
      }
      if order != .manual {
        cards = cards.sorted(on: [\.title, \.assignee, \.estimate], with: self, \.order) {
          first, second, order in
          order.precedes(first, second)
        }
      }
      column.cards = cards
    }
  }

  /// Sends the changes of a column's window, and how many cards it has.
  private func follow(_ column: ColumnViewModel) {
    observations.observeArrayOnMainActor(
      column.window, elements: [\.json], coalescing: Self.frame
    ) { [unowned column] browser, _, change in
      browser.outbox.send("change", column.event(for: change))
    }
    observations.observeOnMainActor(
      column, \.cards.count, options: .distinct, coalescing: Self.frame
    ) { [unowned column] browser, _, _ in
      if let event = column.totalEvent { browser.outbox.send("change", event) }
    }
    // As it was when the observation began: changes lead on from there.
    column.sent = column.window.elements
  }

  /// All events that wait, as soon as there are some; `nil` once the browser has left.
  func nextEvents() async -> String? { await outbox.next { state() } }

  /// Everything that the page shows, as events.
  private func state() -> String {
    columns.map { Outbox.event("column", $0.state()) }.joined()
      + Outbox.event("totals", board.totals.value)
  }

  /// What the page should show once all changes have been sent, for tests.
  var shown: String {
    let windows = columns.map { column in
      let cards = column.window.json
      return #""\#(column.column.rawValue)":{"total":\#(column.cards.count),"cards":\#(cards)}"#
    }
    return #"{"columns":{\#(windows.joined(separator: ","))},"totals":\#(board.totals.value)}"#
  }

  /// Shows other rows of a column.
  func show(_ range: Range<Int>, of column: Column) {
    columns.first { $0.column == column }?.range = range
  }
}
