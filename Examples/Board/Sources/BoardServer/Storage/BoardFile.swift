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
      try database.create(table: CardRecord.databaseTableName) { table in
        table.primaryKey("id", .text)
        table.column("title", .text).notNull()
        table.column("assignee", .text).notNull()
        table.column("estimate", .integer).notNull()
        table.column("isDone", .boolean).notNull()
        table.column("column", .text).notNull()
        table.column("rank", .double).notNull()
      }
    }
    migrator.registerMigration("mirror") { database in
      try database.create(table: "server") { $0.primaryKey("id", .text) }
      let id = String(UInt64.random(in: .min ... .max), radix: 36)
      try database.execute(sql: "INSERT INTO server (id) VALUES (?)", arguments: [id])
      // Never gives a number twice, also when all rows have been deleted.
      try database.create(table: "message") { table in
        table.autoIncrementedPrimaryKey("sequence")
        table.column("json", .text).notNull()
      }
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
