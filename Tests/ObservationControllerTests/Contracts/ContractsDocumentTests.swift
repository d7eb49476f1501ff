import Foundation
import TestSupport
import XCTest

/// Checks that each contract in `Contracts.md` has a reason and names tests that exist.
final class ContractsDocumentTests: TestCase {
  private static let path = "Sources/ObservationController/ObservationController.docc/Contracts.md"

  /// The groups of contracts, each with the file of its principal tests.
  private static let groups: [(title: String, contracts: ClosedRange<Int>, file: String)] = [
    ("Values and order", 1...11, "ValuesAndOrderTests"),
    ("Lifetime", 12...16, "LifetimeTests"),
    ("Identity and removal", 17...19, "IdentityAndRemovalTests"),
    ("Threads", 20...23, "ThreadTests"),
    ("Misuse", 24...25, "MisuseTests"),
    ("Derived values", 26...31, "DerivedValueTests"),
    ("Bindings", 32...32, "BindingContractTests"),
    ("Reports", 33...33, "ReportingStateTests"),
  ]

  /// A contract of the document.
  private struct Section {
    let number: Int
    let title: String
    let group: String
    var text = ""

    /// The tests that the contract names, each with its class.
    var tests: [(name: String, function: String)] {
      let list = text.components(separatedBy: "**Tests:**").dropFirst().joined()
      return list.matches(of: /`(\w+)\.(test_\w+)`/).map { (String($0.1), String($0.2)) }
    }
  }

  private func sections() throws -> [Section] {
    var sections: [Section] = []
    var group = ""
    for line in try SourceTree().text(of: Self.path).components(separatedBy: "\n") {
      if let match = line.wholeMatch(of: /## (.+)/) {
        group = String(match.1)
      } else if let match = line.wholeMatch(of: /### C(\d+): (.+)/) {
        sections.append(
          Section(number: Int(match.1)!, title: String(match.2), group: group))
      } else if !sections.isEmpty {
        sections[sections.count - 1].text += line + "\n"
      }
    }
    return sections
  }

  func test_document_statesEachContract_inItsGroup() throws {
    let expected = Self.groups.flatMap { group in
      group.contracts.map { "\(group.title): C\($0)" }
    }
    XCTAssertEqual(try sections().map { "\($0.group): C\($0.number)" }, expected)
  }

  func test_document_givesAReasonForEachContract() throws {
    for section in try sections() {
      let parts = section.text.components(separatedBy: "**Why:** ")
      XCTAssertEqual(parts.count, 2, "C\(section.number)")
      XCTAssertGreaterThan(parts.first?.count ?? 0, 40, "the text of C\(section.number)")
      let reason = parts.last?.components(separatedBy: "**Tests:**").first ?? ""
      XCTAssertGreaterThan(reason.count, 40, "why C\(section.number) is so")
    }
  }

  func test_document_namesTestsThatExist_ofTheContract() throws {
    let tests = try SourceTree().tests()
    for section in try sections() {
      XCTAssertFalse(section.tests.isEmpty, "C\(section.number) names no test")
      for (name, function) in section.tests {
        let isThere = tests[name]?.contains(function) ?? false
        XCTAssertTrue(isThere, "C\(section.number) names \(name).\(function), which is not there")
        XCTAssertTrue(
          function.hasPrefix("test_C\(section.number)_"), "C\(section.number) names \(function)")
      }
    }
  }

  func test_groupFile_hasTheTestThatTheDocumentNamesFirst() throws {
    let files = try SourceTree().swiftFiles(in: "Tests/ObservationControllerTests/Contracts")
    let sections = try sections()
    for (title, contracts, file) in Self.groups {
      let tests = SourceTree.tests(in: files["\(file).swift"] ?? "")[file] ?? []
      for number in contracts {
        XCTAssertTrue(
          tests.contains { $0.hasPrefix("test_C\(number)_") },
          "\(file).swift has no test of C\(number) (\(title))")
        let first = sections.first { $0.number == number }?.tests.first
        XCTAssertEqual(first?.name, file, "the first test that is named for C\(number)")
      }
    }
  }

  func test_groupFile_hasTheTitleOfEachContract() throws {
    let files = try SourceTree().swiftFiles(in: "Tests/ObservationControllerTests/Contracts")
    for section in try sections() {
      let group = Self.groups.first { $0.contracts.contains(section.number) }
      let text = files["\(group?.file ?? "").swift"] ?? ""
      let mark = "  // MARK: C\(section.number): \(section.title)\n"
      XCTAssertTrue(text.contains(mark), "\(group?.file ?? "").swift has no \(mark)")
    }
  }
}
