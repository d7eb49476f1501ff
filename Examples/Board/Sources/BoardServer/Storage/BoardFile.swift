import Foundation
import GRDB

extension CardRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "card"
}

/// The SQLite file that the board is kept in.
struct BoardFile: Sendable {
  /// Cards to write, and those to delete.
  struct Batch: Sendable {
    var cards: [CardRecord.ID: CardRecord?] = [:]
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
    }
  }
}
