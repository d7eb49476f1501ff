import XCTest

@testable import BoardServer

/// Undo, redo and saving.
@MainActor
final class HistoryTests: XCTestCase {
  func test_undoAndRedo_restoreEachTransaction() async throws {
    try await BoardClient.run { client, board in
      let card = try await client.add("Call Grace")
      try await client.edit(#""kind":"change","card":"\#(card)","title":"Ask Grace","estimate":3"#)
      try await client.edit(#""kind":"move","card":"\#(card)","column":"Doing""#)
      try await client.edit(#""kind":"remove","card":"\#(card)""#)
      var states = [board.contents]
      for _ in 0..<4 {
        let answer = try await client.post("/undo", #"{"client":"\#(client.browser.id)"}"#)
        XCTAssertEqual(answer.status, 200, answer.text)
        states.append(board.contents)
      }
      XCTAssertTrue(states[1].contains(#""Doing":[{"#), states[1])
      XCTAssertTrue(states[2].contains(#""estimate":3"#) && states[2].contains(#""To do":[{"#))
      XCTAssertTrue(states[3].contains("Call Grace"))
      XCTAssertEqual(states[4], states[0])
      let nothing = try await client.post("/undo", #"{"client":"\#(client.browser.id)"}"#)
      XCTAssertEqual(nothing.status, 409)
      for state in states.dropLast().reversed() {
        try await client.post("/redo", #"{"client":"\#(client.browser.id)"}"#)
        let now = board.contents
        XCTAssertEqual(now, state)
      }
    }
  }

  func test_undo_leavesAloneWhatSomebodyElseHasChangedSince() async throws {
    try await BoardClient.run { client, board in
      let id = try await client.add("Call Grace")
      try await client.edit(#""kind":"change","card":"\#(id)","title":"Ask Grace","estimate":3"#)
      self.rename(id, "Thank Grace", on: board.board)
      try await client.post("/undo", #"{"client":"\#(client.browser.id)"}"#)
      let record = board.board.card(id)?.record
      XCTAssertEqual(record?.title, "Thank Grace")
      XCTAssertEqual(record?.estimate, 0)
    }
  }

  private func rename(_ id: String, _ title: String, on board: Board) {
    board.edit(as: .person("Grace")) { board.card(id)?.title = title }
  }

  func test_acknowledgedEdits_areInTheFile() async throws {
    try await BoardClient.withTemporaryFile { path in
      let file = try BoardFile(path: path)
      let board = try SharedBoard(Board(namespace: "test"), in: file)
      let browser = try board.join(as: "Ada")
      var ids: [String] = []
      for number in 0..<50 {
        let json = #"{"client":"\#(browser.id)","kind":"add","column":"Done","title":"\#(number)"}"#
        let request = try JSONDecoder().decode(EditRequest.self, from: Data(json.utf8))
        ids.append(try await board.edit(request))
        XCTAssertEqual(Set(try file.cards().map(\.id)), Set(ids))
      }
      let loaded = try SharedBoard(Board(namespace: "later"), in: BoardFile(path: path))
      let (before, after) = (board.board.records, loaded.board.records)
      XCTAssertEqual(after, before)
    }
  }
}

extension Board {
  /// The cards by their identifiers.
  fileprivate var records: [CardRecord.ID: CardRecord] {
    Dictionary(uniqueKeysWithValues: cards.map { ($0.id, $0.record) })
  }
}
