import ObservationController

/// What a browser asks to be shown.
struct ViewRequest: Decodable, Sendable {
  struct Window: Decodable {
    let column: Column
    let from, to: Int
  }

  let client: String
  var search: String?
  var order: CardOrder?
  var window: Window?

  @MainActor
  func apply(to browser: BrowserViewModel) throws {
    if let search, search.count > 200 { throw Refusal("A search has at most 200 characters.") }
    if let window {
      guard window.from >= 0, window.to >= window.from, window.to - window.from <= 1_000 else {
        throw Refusal("A window goes \"from\" a row \"to\" another one, at most 1,000 rows on.")
      }
    }
    withObservationTransaction {
      if let search { browser.search = search }
      if let order { browser.order = order }
      if let window { browser.show(window.from..<window.to, of: window.column) }
    }
  }
}
