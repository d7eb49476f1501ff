#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport
  import XCTest

  /// The examples in comments of public declarations compile, with what they take for granted.
  final class DocCommentExamplesTests: XCTestCase {
    /// Run, not only compiled, by `ReplacingNumberTests`.
    private static let testedElsewhere: Set<String> = ["String+ReplacingNumber.swift"]

    func test_comments_examplesCompile_withoutWarnings() throws {
      let compiler = try Compiler()
      var surroundings = ExampleSurroundings.byFile
      var count = 0
      for file in Documentation.sourceFiles() {
        let name = file.lastPathComponent
        let examples = try Documentation.examples(inCommentsOf: file)
        guard !examples.isEmpty, !Self.testedElsewhere.contains(name) else { continue }
        count += examples.count
        let assumed = surroundings.removeValue(forKey: name) ?? ""
        let script =
          "import Foundation\nimport ObservationController\n"
          // "…" stands for statements that do not matter.
          + examples.map(\.located).joined().replacingOccurrences(of: "…", with: "")
          + "#sourceLocation(file: \"surroundings of \(name)\", line: 1)\n\(assumed)\n"
        XCTAssertEqual(try compiler.errors(inScript: script), [])
      }
      XCTAssertGreaterThan(count, 40)
      XCTAssertEqual(surroundings.keys.sorted(), [], "there is no example in these files")
    }
  }
#endif
