import TestSupport
import XCTest

/// The table of promises in the article Contracts: each row names tests that exist.
final class ContractsTableTests: TestCase {
  private struct Promise {
    let text: String

    /// Classes of tests, and beginnings of the names of tests such as `test_C7_`.
    let names: [String]
  }

  private func promises() throws -> [Promise] {
    let article = try SourceTree().text(
      of: "Sources/ObservationController/ObservationController.docc/Contracts.md")
    let heading = "\n## All promises and their tests\n"
    let section = article.components(separatedBy: heading).dropFirst().first ?? ""
    let rows = section.components(separatedBy: "\n## ").first!
      .components(separatedBy: "\n").filter { $0.hasPrefix("|") }.dropFirst(2)
    return rows.map { row in
      let cells = row.split(separator: " | ").map(String.init)
      return Promise(text: cells[0], names: Self.names(in: cells.last!))
    }
  }

  /// The names in a cell; `test_C3_…` to `test_C5_…` are three.
  private static func names(in cell: String) -> [String] {
    if let range = cell.firstMatch(of: /`test_C(\d+)_…` to `test_C(\d+)_…`/) {
      return (Int(range.1)!...Int(range.2)!).map { "test_C\($0)_" }
    }
    return cell.matches(of: /`(\w+)…?`/).map { String($0.1) }
  }

  func test_promises_nameTestsThatExist() throws {
    let tests = try SourceTree().tests()
    let functions = tests.values.reduce(into: Set()) { $0.formUnion($1) }
    let promises = try promises()
    XCTAssertGreaterThan(promises.count, 20)
    for promise in promises {
      XCTAssertFalse(promise.names.isEmpty, "no test is named: \(promise.text)")
      for name in promise.names {
        let isThere =
          name.hasPrefix("test_")
          ? functions.contains { $0.hasPrefix(name) } : tests[name]?.isEmpty == false
        XCTAssertTrue(isThere, "\(name) is not there: \(promise.text)")
      }
    }
  }

  func test_promises_coverEachContract() throws {
    let named = Set(try promises().flatMap(\.names))
    for number in 1...31 {
      XCTAssertTrue(named.contains("test_C\(number)_"), "C\(number)")
    }
  }
}
