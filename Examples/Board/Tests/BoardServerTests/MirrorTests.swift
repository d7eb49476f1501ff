import XCTest

@testable import BoardServer

/// Servers that share a board by a stream, which is a list here.
@MainActor
final class MirrorTests: XCTestCase {
  /// A server with its mirror.
  @MainActor
  private final class Server {
    let board: Board
    let mirror: Mirror
    private(set) var sent = 0

    init(_ name: String, _ path: String) throws {
      let file = try BoardFile(path: "\(path)-\(name)")
      board = Board(namespace: name)
      board.load(try file.cards())
      mirror = try Mirror(board, Saver(board, to: file), continuing: file)
      mirror.didCatchUp()
    }

    /// Receives the next messages of the stream, of which it has some already.
    func receive(_ count: Int, of stream: [MirrorMessage]) throws {
      let messages = stream[mirror.state.count...].prefix(count)
      _ = try mirror.receive(messages.map { ("0-0", $0) })
    }

    func send(to stream: inout [MirrorMessage]) async throws {
      stream += try await mirror.messagesToSend()
    }
  }

  func test_randomEditsOnTwoServers_endEqual() async throws {
    for seed in UInt64(1)...20 {
      try await BoardClient.withTemporaryFile { path in
        var random = SeededGenerator(state: seed)
        let servers = [try Server("a", path), try Server("b", path)]
        var stream: [MirrorMessage] = []
        for _ in 0..<100 {
          let server = servers.randomElement(using: &random)!
          switch Int.random(in: 0..<4, using: &random) {
          case 0: try server.receive(.random(in: 1...5, using: &random), of: stream)
          case 1:
            add(to: server.board)
            try await server.send(to: &stream)
          default: edit(server.board, by: &random)
          }
        }
        for server in servers {
          // One more, so that there is something to wait for.
          add(to: server.board)
          try await server.send(to: &stream)
        }
        for server in servers { try server.receive(.max, of: stream) }
        let records = servers.map { $0.board.cards.map(\.record).sorted { $0.id < $1.id } }
        XCTAssertEqual(records[0], records[1], "seed \(seed)")
        XCTAssertEqual(
          records[0], servers[0].mirror.state.cards.values.sorted { $0.id < $1.id }, "seed \(seed)")
      }
    }
  }

  private func edit(_ board: Board, by random: inout SeededGenerator) {
    board.edit(as: .person("Ada")) {
      let card = board.cards.randomElement(using: &random)
      let column = Column.allCases.randomElement(using: &random)!
      switch (card, Int.random(in: 0..<8, using: &random)) {
      case (let card?, 0): board.remove(card.id)
      case (let card?, 1...2): board.move(card, to: column, before: nil)
      case (let card?, 3...5): card.estimate = .random(in: 0...99, using: &random)
      default: add(to: board)
      }
    }
  }

  private func add(to board: Board) {
    board.edit(as: .person("Ada")) {
      let rank = board.lastRank(in: .doing)
      board.put(CardRecord(id: board.makeID(), title: "new", column: .doing, rank: rank))
    }
  }

  func test_messageThatIsThereTwice_countsOnce_andAMissingOneIsNoticed() async throws {
    try await BoardClient.withTemporaryFile { path in
      let (a, b) = (try Server("a", path), try Server("b", path))
      a.board.edit(as: .person("Ada")) {
        a.board.put(CardRecord(id: "1", title: "first", column: .done, rank: 1))
      }
      var stream: [MirrorMessage] = []
      try await a.send(to: &stream)
      a.board.edit(as: .person("Ada")) { a.board.card("1")?.title = "second" }
      try await a.send(to: &stream)
      XCTAssertEqual(stream.map(\.sequence), [1, 2])
      try b.receive(.max, of: [stream[0], stream[1], stream[0]])
      XCTAssertEqual(b.board.card("1")?.title, "second")
      let c = try Server("c", path)
      XCTAssertThrowsError(try c.receive(.max, of: [stream[1]])) {
        XCTAssertTrue($0 is MirrorState.Gap)
      }
    }
  }

  func test_serverThatEnds_sendsLaterWhatHasNotComeBack() async throws {
    try await BoardClient.withTemporaryFile { path in
      var stream: [MirrorMessage] = []
      do {
        let server = try Server("a", path)
        for number in 1...3 {
          server.board.edit(as: .person("Ada")) {
            server.board.put(
              CardRecord(id: "\(number)", title: "new", column: .done, rank: Double(number)))
          }
        }
        try await server.send(to: &stream)
        try server.receive(1, of: stream)
        // The last change is one of the file alone.
        server.board.edit(as: .person("Ada")) { server.board.card("1")?.title = "changed" }
        _ = try await server.mirror.messagesToSend()
      }
      let later = try Server("a", path)
      var again: [MirrorMessage] = []
      try await later.send(to: &again)
      XCTAssertEqual(again.map(\.sequence), [2, 3, 4])
      try later.receive(.max, of: [stream[0]] + again)
      XCTAssertEqual(later.board.card("1")?.title, "changed")
    }
  }
}
