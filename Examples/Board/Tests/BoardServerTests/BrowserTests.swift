import ObservationController
import XCTest

@testable import BoardServer

/// What a browser is sent.
@MainActor
final class BrowserTests: XCTestCase {
  func test_randomEdits_leadThePageToTheModel() async throws {
    for seed in 1...20 {
      try await BoardClient.run { client, board in
        try await self.followRandomEdits(client.browser, board.board, seed: UInt64(seed))
      }
    }
  }

  /// Edits, searches, orders and windows at random, with the page applying events now and then.
  private func followRandomEdits(
    _ browser: BrowserViewModel, _ board: Board, seed: UInt64
  ) async throws {
    var random = SeededGenerator(state: seed)
    var page = ShownPage()
    var wantsEvents = true
    for _ in 0..<200 {
      change(board, browser, by: &random)
      wantsEvents = Int.random(in: 0..<10, using: &random) > 2
      if wantsEvents { try await receive(&page, from: browser) }
    }
    let expected = try JSONDecoder().decode(Contents.self, from: Data(browser.shown.utf8)).columns
    // Joined changes are sent when their time has come.
    try await BoardClient.wait {
      try await receive(&page, from: browser)
      return page.columns == expected.mapValues(\.cards)
        && page.totals == expected.mapValues(\.total)
    }
    XCTAssertEqual(page.columns, expected.mapValues(\.cards), "seed \(seed)")
    XCTAssertEqual(page.totals, expected.mapValues(\.total), "seed \(seed)")
    for section in board.columns {
      let found = section.elements.filter {
        browser.search.isEmpty || $0.title.contains(browser.search)
      }
      XCTAssertEqual(page.totals[section.key.rawValue], found.count, "seed \(seed)")
    }
  }

  private struct Contents: Decodable {
    struct Column: Decodable {
      let total: Int
      let cards: [ShownPage.Item]
    }

    let columns: [String: Column]
  }

  /// Applies what waits.
  private func receive(_ page: inout ShownPage, from browser: BrowserViewModel) async throws {
    repeat {
      // Also what is behind gets it, once it has the state.
      browser.outbox.send("mark", "{}")
      try page.apply(await browser.nextEvents() ?? "")
    } while page.names.last != "mark"
  }

  private func change(
    _ board: Board, _ browser: BrowserViewModel, by random: inout SeededGenerator
  ) {
    let column = Column.allCases.randomElement(using: &random)!
    let card = board.cards.randomElement(using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0: browser.search = ["", "a", "b"].randomElement(using: &random)!
    case 1: browser.order = [.manual, .title, .estimate].randomElement(using: &random)!
    case 2: browser.show(0..<Int.random(in: 0...9, using: &random), of: column)
    case 3: if let card { board.edit(as: .person("Ada")) { board.remove(card.id) } }
    case 4...9:
      let title = ["a", "b", "ab", "c"].randomElement(using: &random)!
      let rank = board.lastRank(in: column)
      board.edit(as: .person("Ada")) {
        board.put(CardRecord(id: board.makeID(), title: title, column: column, rank: rank))
      }
    case 10...13:
      guard let card else { return }
      let next = board.cards(in: column).randomElement(using: &random)
      board.edit(as: .person("Ada")) { board.move(card, to: column, before: next) }
    default:
      guard let card else { return }
      board.edit(as: .person("Ada")) {
        card.title = ["a", "b", "ab"].randomElement(using: &random)!
        card.estimate = Int.random(in: 0...9, using: &random)
      }
    }
  }

  func test_browserThatFallsBehind_isSentTheState() async throws {
    let outbox = Outbox(capacity: 100)
    let first = await outbox.next { "state 1" }
    XCTAssertEqual(first, "state 1")
    outbox.send("change", "1")
    outbox.send("change", "2")
    let second = await outbox.next { "state 2" }
    XCTAssertEqual(second, "event: change\ndata: 1\n\nevent: change\ndata: 2\n\n")
    for number in 0..<1_000 { outbox.send("change", "\(number)") }
    let third = await outbox.next { "state 3" }
    XCTAssertEqual(third, "state 3")
    outbox.send("change", "3")
    let fourth = await outbox.next { "state 4" }
    XCTAssertEqual(fourth, "event: change\ndata: 3\n\n")
    outbox.close()
    let fifth = await outbox.next { "state 5" }
    XCTAssertNil(fifth)
  }

  func test_browserThatLeaves_isDeallocatedWithItsObservations() async throws {
    try await BoardClient.run { client, board in
      _ = try await client.add("Call Grace")
      let before = ObservationDispatcher.shared.activeObservationCount
      weak var left: BrowserViewModel?
      do {
        let browser = try board.join(as: "Grace")
        left = browser
        XCTAssertGreaterThan(ObservationDispatcher.shared.activeObservationCount, before)
        board.leave(browser)
      }
      for _ in 0..<1_000 where left != nil { await MainActor.run {} }
      XCTAssertNil(left)
      XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before)
      let online = board.board.online.elements
      XCTAssertEqual(online, ["Ada": 1])
    }
  }

  func test_events_withoutAPerson_areRefused() async throws {
    try await BoardClient.run { client, _ in
      let answer = try await client.client.executeRequest(
        uri: "/events", method: .get, headers: [:], body: nil)
      XCTAssertEqual(answer.status, .badRequest)
    }
  }

  func test_events_overHTTP_beginWithTheState_andEndWithTheConnection() async throws {
    try await BoardClient.run(.live) { client, board in
      _ = try await client.add("Call Grace")
      let url = "http://localhost:\(try XCTUnwrap(client.client.port))/events?person=Grace"
      var page = ShownPage()
      try page.apply(try await BoardClient.firstEvents(at: url, through: "totals"))
      XCTAssertEqual(page.names.first, "hello")
      XCTAssertEqual(page.columns["To do"]?.map(\.title), ["Call Grace"])
      try await BoardClient.wait { board.board.online.count == 1 }
      XCTAssertEqual(board.board.online.elements, ["Ada": 1])
    }
  }
}

/// SplitMix64, by Guy Steele, Doug Lea and Christine Flood.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
