import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import ObservationController
import XCTest

@testable import BoardServer

/// A server on a file of its own, with a browser that knows what it has been sent.
@MainActor
struct BoardClient {
  let client: any TestClientProtocol
  let browser: BrowserViewModel

  /// Runs `body` with a server and a browser that has joined.
  static func run(
    _ setup: TestingSetup = .router,
    _ body: @MainActor @Sendable @escaping (BoardClient, SharedBoard) async throws -> Void
  ) async throws {
    try await expectNoObservations()
    try await withTemporaryFile { path in
      let board = try SharedBoard(Board(namespace: "test"), in: BoardFile(path: path))
      let application = Application(router: BoardRoutes(board: board).router(isLocal: true))
      try await application.test(setup) { client in
        try await run(body, client, board)
      }
    }
    try await expectNoObservations()
  }

  private static func expectNoObservations() async throws {
    // Jobs of the main actor that are on their way may hold a board for a moment.
    try await wait { ObservationDispatcher.shared.activeObservationCount == 0 }
    XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, 0)
  }

  private static func run(
    _ body: @MainActor @Sendable (BoardClient, SharedBoard) async throws -> Void,
    _ client: any TestClientProtocol, _ board: SharedBoard
  ) async throws {
    let browser = try board.join(as: "Ada")
    try await body(BoardClient(client: client, browser: browser), board)
    board.leave(browser)
  }

  /// Looks again and again, for some seconds at most, until `condition` holds: what the main actor
  /// or a connection does next takes its time. The test then asserts what it has waited for.
  static func wait(until condition: () async throws -> Bool) async throws {
    for _ in 0..<1_000 where try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
  }

  static func withTemporaryFile(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "board-\(UInt64.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appending(path: "board.sqlite").path())
  }

  /// The events that a server sends, up to the first one of a name; then the connection is closed.
  nonisolated static func firstEvents(at url: String, through name: String) async throws -> String {
    let response = try await HTTPClient.shared.execute(
      HTTPClientRequest(url: url), timeout: .seconds(30))
    var text = ""
    for try await part in response.body {
      text += String(buffer: part)
      if text.contains("event: \(name)"), text.hasSuffix("\n\n") { break }
    }
    return text
  }

  /// - Returns: Status and text of the answer.
  @discardableResult
  func post(
    _ path: String, _ body: String, type: String = "application/json",
    _ headers: HTTPFields = [:]
  ) async throws -> (status: Int, text: String) {
    var headers = headers
    headers[.contentType] = type
    let response = try await client.executeRequest(
      uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
    return (response.status.code, String(buffer: response.body))
  }

  /// Makes an edit, as `"kind":"remove","card":"7"`.
  @discardableResult
  func edit(_ edit: String) async throws -> (status: Int, text: String) {
    try await post("/edits", #"{"client":"\#(browser.id)",\#(edit)}"#)
  }

  /// Adds a card, and returns its identifier.
  func add(_ title: String, to column: String = "To do") async throws -> String {
    let answer = try await edit(#""kind":"add","column":"\#(column)","title":"\#(title)""#)
    return try JSONDecoder().decode([String: String].self, from: Data(answer.text.utf8))["card"]!
  }
}

/// What a page shows, by the events that it has been sent alone.
struct ShownPage {
  private struct Event: Decodable {
    let column: String
    let total: Int
    var cards: [Item]?
    var removed: [Int]?
    var inserted, changed: [Place]?
  }

  struct Item: Decodable, Equatable {
    let id, title, assignee, column: String
    let estimate: Int
    let isDone: Bool
  }

  private struct Place: Decodable {
    let index: Int
    let card: Item

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      (index, card) = (try list.decode(Int.self), try list.decode(Item.self))
    }
  }

  private(set) var columns: [String: [Item]] = [:]
  private(set) var totals: [String: Int] = [:]

  /// Names of the events, in their order.
  private(set) var names: [String] = []

  mutating func apply(_ events: String) throws {
    for event in events.components(separatedBy: "\n\n") where !event.isEmpty {
      let lines = event.split(separator: "\n", maxSplits: 1)
      let (name, json) = (lines[0].dropFirst(7), lines[1].dropFirst(6))
      names.append(String(name))
      guard name == "column" || name == "change" else { continue }
      let event = try JSONDecoder().decode(Event.self, from: Data(json.utf8))
      var cards = event.cards ?? columns[event.column]!
      for index in event.removed ?? [] { cards.remove(at: index) }
      for place in event.inserted ?? [] { cards.insert(place.card, at: place.index) }
      for place in event.changed ?? [] { cards[place.index] = place.card }
      (columns[event.column], totals[event.column]) = (cards, event.total)
    }
  }
}
