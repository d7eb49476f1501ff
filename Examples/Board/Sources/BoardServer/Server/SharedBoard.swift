import HTTPTypes
import Inspector
import ObservationController

/// A board with its file, the browsers that show it, and what each person can undo.
@MainActor
final class SharedBoard {
  let board: Board
  let saver: Saver
  private var browsers: [String: BrowserViewModel] = [:]
  private var histories: [String: History] = [:]

  init(_ board: Board, in file: BoardFile) throws {
    board.load(try file.cards())
    (self.board, saver) = (board, Saver(board, to: file))
  }

  // MARK: Browsers

  /// Begins to show the board to a browser, until it leaves.
  func join(as person: String) throws -> BrowserViewModel {
    guard (1...40).contains(person.count) else {
      throw Refusal("The name of a \"person\" has 1 to 40 characters.")
    }
    guard browsers.count < 1_000 else { throw Refusal(.serviceUnavailable, "The board is full.") }
    let id = String(UInt64.random(in: .min ... .max), radix: 36)
    let browser = BrowserViewModel(id: id, person: person, board: board)
    browsers[id] = browser
    board.online[person, default: 0] += 1
    if histories[person] == nil { histories[person] = History(of: person, on: board) }
    return browser
  }

  /// Ends what `join` began. With the last browser of a person their history goes.
  func leave(_ browser: BrowserViewModel) {
    browser.outbox.close()
    Inspector.expectEnd(of: browser)
    guard browsers.removeValue(forKey: browser.id) != nil else { return }
    let person = browser.person
    let left = (board.online[person] ?? 1) - 1
    board.online[person] = left > 0 ? left : nil
    if left == 0 { histories[person] = nil }
  }

  func browser(_ id: String) throws -> BrowserViewModel {
    guard let browser = browsers[id] else {
      throw Refusal(.notFound, "This browser is not connected.")
    }
    return browser
  }

  // MARK: Edits

  /// Makes an edit, and returns once it is saved.
  ///
  /// - Returns: The identifier of the card.
  func edit(_ request: EditRequest) async throws -> CardRecord.ID {
    let person = try browser(request.client).person
    let card = try request.apply(to: board, as: .person(person))
    try await save()
    return card
  }

  /// Takes the last edit of a browser's person back, or makes it again.
  ///
  /// - Returns: The number of edits of its transaction.
  func revert(_ client: String, redoing: Bool) async throws -> Int {
    let history = histories[try browser(client).person]
    guard let edits = redoing ? history?.redo() : history?.undo() else {
      throw Refusal(.conflict, "There is nothing to \(redoing ? "redo" : "undo").")
    }
    try await save()
    return edits
  }

  private func save() async throws {
    do { try await saver.save() } catch {
      let sentence = "The edit is not in the file yet: \(error)"
      throw Refusal(.internalServerError, sentence)
    }
  }

  // MARK: For tests

  /// The whole board in the order of the columns.
  var contents: String {
    let columns = board.columns.map { section in
      #""\#(section.key.rawValue)":\#(section.elements.json)"#
    }
    return #"{"columns":{\#(columns.joined(separator: ","))},"totals":\#(board.totals.value)}"#
  }

  var status: String {
    let observations = ObservationDispatcher.shared.activeObservationCount
    return """
      {"observations":\(observations),"browsers":\(browsers.count),"cards":\(board.cards.count)}
      """
  }
}
