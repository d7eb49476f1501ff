import Foundation
import TestSupport
import XCTest

/// `CONTRIBUTING.md` agrees with folders and commands, and the README names every example.
final class ContributingDocumentTests: TestCase {
  /// The first cell of each row of the table in a section.
  private func firstCells(of section: String) throws -> [String] {
    let text = try SourceTree().text(of: "CONTRIBUTING.md")
    let section = text.components(separatedBy: "\n## \(section)\n").dropFirst().first ?? ""
    return section.components(separatedBy: "\n## ").first!.components(separatedBy: "\n")
      .filter { $0.hasPrefix("| `") }
      .compactMap { $0.firstMatch(of: /^\| `([^`]+)`/).map { String($0.1) } }
  }

  private func folders(in path: String) throws -> Set<String> {
    let folder = try SourceTree().root.appendingPathComponent(path)
    let entries = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.isDirectoryKey])
    return Set(
      try entries.filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
        .map { "\(path)/\($0.lastPathComponent)" })
  }

  func test_folders_areListed_andNothingElseIs() throws {
    let listed = Set(try firstCells(of: "Folders"))
    var found = try folders(in: "Sources").union(folders(in: "Tests"))
      .union(folders(in: "Sources/ObservationController")).union(["Benchmarks", "Examples", ".ci"])
    // Its folders are listed in its place.
    found.remove("Sources/ObservationController")
    XCTAssertEqual(found.subtracting(listed), [], "folders that are not listed")
    XCTAssertEqual(listed.subtracting(found), [], "listed, and not there")
  }

  func test_commands_areThoseOfTheScript_inItsOrder() throws {
    let script = try SourceTree().text(of: ".ci/run").replacing("\\\n ", with: "")
    var rest = script[...]
    let commands = try firstCells(of: "Before you send a change")
    XCTAssertGreaterThan(commands.count, 6)
    for command in commands {
      // Its first words, since the script adds options of its own.
      let words = command.split(separator: " -").first!
      let range = try XCTUnwrap(rest.range(of: words), "\(command) is not there, or not in order")
      rest = rest[range.upperBound...]
    }
  }

  func test_examples_haveAnExpectedOutput_andALineInTheReadme() throws {
    let examples = Set(
      try folders(in: "Examples/Sources").map { $0.components(separatedBy: "/").last! })
    let readme = try SourceTree().text(of: "README.md")
    XCTAssertEqual(
      Set(readme.matches(of: /\n  - `(\w+Example)`:/).map { String($0.1) }), examples)
    for example in examples {
      XCTAssertFalse(try SourceTree().text(of: "Examples/Expected/\(example).txt").isEmpty)
    }
  }

  func test_testNames_haveAtMost70Characters() throws {
    let names = try SourceTree().tests().values.joined()
    XCTAssertEqual(names.filter { $0.count > 70 }.sorted(), [])
  }
}
