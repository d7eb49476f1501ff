#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport
  import XCTest

  /// Code of the README, compiled from the README itself.
  final class ReadmeCodeTests: TestCase {
    private func readme() throws -> String { try SourceTree().text(of: "README.md") }

    /// The first example and the snippets behind it, without the lines for a manifest.
    private func examples() throws -> [Documentation.Example] {
      Documentation.examples(in: try readme(), of: "README.md").filter { $0.language == "swift" }
    }

    func test_readme_firstExample_isACompleteProgram() throws {
      let example = try XCTUnwrap(examples().first)
      XCTAssertTrue(example.code.hasSuffix("// Grace of Navy"))
      let outputs = try Compiler().outputs(ofEachOf: [example.located])
      XCTAssertEqual(outputs, ["Grace of Navy\n"])
    }

    func test_readme_allExamples_compileWithoutWarnings() throws {
      let examples = try examples()
      XCTAssertEqual(examples.count, 7)
      let script =
        "import Dispatch\n" + examples.map(\.located).joined()
        + "#sourceLocation(file: \"surroundings of README.md\", line: 1)\n"
        + ExampleSurroundings.readme
      XCTAssertEqual(try Compiler().errors(inEachOf: [script]), [])
    }

    func test_readme_hasAtMost170Lines() throws {
      XCTAssertLessThanOrEqual(
        try readme().split(separator: "\n", omittingEmptySubsequences: false).count, 171)
    }
  }
#endif
