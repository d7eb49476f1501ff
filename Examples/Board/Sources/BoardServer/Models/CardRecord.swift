/// A column of the board, from left to right.
enum Column: String, Codable, CaseIterable, Comparable, Sendable {
  case toDo = "To do"
  case doing = "Doing"
  case done = "Done"

  static func < (first: Self, second: Self) -> Bool { first.index < second.index }

  private var index: Int { Self.allCases.firstIndex(of: self)! }
}

/// A card at one moment: what is saved, sent to other servers, and kept to undo an edit.
struct CardRecord: Codable, Equatable, Sendable {
  typealias ID = String

  let id: ID
  var title: String
  var assignee = ""

  /// Hours, from 0 to 999.
  var estimate = 0

  var isDone = false
  var column: Column

  /// Position in the column, among others in ascending order; the `id` decides between equal ones.
  var rank: Double

  /// Takes the change from `new` back to `old`, except for what is no longer as in `new`.
  mutating func revert(_ new: Self, to old: Self) {
    func revert<Value: Equatable>(_ field: WritableKeyPath<Self, Value>) {
      if self[keyPath: field] == new[keyPath: field] { self[keyPath: field] = old[keyPath: field] }
    }
    revert(\.title)
    revert(\.assignee)
    revert(\.estimate)
    revert(\.isDone)
    revert(\.column)
    revert(\.rank)
  }
}

/// The change of one card in a transaction: from what it was to what it is.
struct CardEdit: Sendable {
  /// The card before; `nil` if it was added.
  let before: CardRecord?

  /// The card after; `nil` if it was removed.
  let after: CardRecord?

  var id: CardRecord.ID { (before ?? after)!.id }
}
