import Foundation
import GRDB

extension CardRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "card"
}

/// The SQLite file that the board is kept in.
struct BoardFile: Sendable {
  /// What is written in one transaction.
  struct Batch: Sendable {
    /// Cards as they are now; `nil` for those that are gone.
    var cards: [CardRecord.ID: CardRecord?] = [:]

    /// Messages to other servers.
    var messages: [MirrorMessage] = []

    /// The number of the last message that the other servers have.
    var confirmed = 0

    func followed(by next: Batch) -> Batch {
      Batch(
        cards: cards.merging(next.cards) { $1 }, messages: messages + next.messages,
        confirmed: max(confirmed, next.confirmed))
    }
  }

  private let database: DatabasePool

  /// Opens the file, or creates it.
  ///
  /// - Throws: An error of SQLite, as for a folder that does not exist.
  init(path: String) throws {
    var configuration = Configuration()
    // What has been acknowledged survives a loss of power too.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    database = try DatabasePool(path: path, configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("cards") { database in
      try database.execute(
        sql: """
          CREATE TABLE card (
            id TEXT PRIMARY KEY, title TEXT NOT NULL, assignee TEXT NOT NULL,
            estimate INTEGER NOT NULL, isDone BOOLEAN NOT NULL, "column" TEXT NOT NULL,
            rank DOUBLE NOT NULL
          );
          CREATE TABLE server (id TEXT PRIMARY KEY);
          INSERT INTO server (id) VALUES (lower(hex(randomblob(8))));
          -- Never gives a number twice, also when all rows have been deleted.
          CREATE TABLE message (sequence INTEGER PRIMARY KEY AUTOINCREMENT, json TEXT NOT NULL);
          """)
    }
    try migrator.migrate(database)
  }

  func cards() throws -> [CardRecord] { try database.read { try CardRecord.fetchAll($0) } }

  /// Writes all of it in one transaction, or nothing.
  func write(_ batch: Batch) async throws {
    try await database.write { database in
      for (id, card) in batch.cards {
        if let card {
          try card.upsert(database)
        } else {
          try CardRecord.deleteOne(database, key: id)
        }
      }
      for message in batch.messages {
        try database.execute(
          sql: "INSERT INTO message (sequence, json) VALUES (?, ?)",
          arguments: [message.sequence, encoded(message)])
      }
      try database.execute(
        sql: "DELETE FROM message WHERE sequence <= ?", arguments: [batch.confirmed])
    }
  }
}

extension BoardFile {
  /// The identifier of this server, the number of its last message, and the messages that other
  /// servers may not have.
  func mirror() throws -> (origin: String, last: Int, messages: [MirrorMessage]) {
    try database.read { database in
      let origin = try String.fetchOne(database, sql: "SELECT id FROM server")!
      let last = try Int.fetchOne(
        database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'message'")
      let messages = try String.fetchAll(
        database, sql: "SELECT json FROM message ORDER BY sequence")
      let decoder = JSONDecoder()
      return (
        origin, last ?? 0,
        try messages.map { try decoder.decode(MirrorMessage.self, from: Data($0.utf8)) }
      )
    }
  }
}
