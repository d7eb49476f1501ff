#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport
  import XCTest

  /// The examples in comments of public declarations compile, with the declarations that they
  /// assume.
  final class DocCommentExamplesTests: TestCase {
    func test_comments_examplesCompile_withoutWarnings() throws {
      let compiler = try Compiler()
      var surroundings = ExampleSurroundings.byFile
      var scripts: [String] = []
      var count = 0
      for file in Documentation.sourceFiles() {
        let name = file.lastPathComponent
        let examples = try Documentation.examples(inCommentsOf: file)
        guard !examples.isEmpty, !Documentation.needsNotifications(name) else { continue }
        count += examples.count
        let assumed = surroundings.removeValue(forKey: name) ?? ""
        scripts.append(
          "import Foundation\nimport ObservationController\n"
            // "…" stands for omitted statements.
            + examples.map(\.located).joined().replacingOccurrences(of: "…", with: "")
            + "#sourceLocation(file: \"surroundings of \(name)\", line: 1)\n\(assumed)\n")
      }
      XCTAssertEqual(try compiler.errors(inEachOf: scripts), [])
      XCTAssertGreaterThan(count, 40)
      XCTAssertEqual(
        surroundings.keys.filter { !Documentation.needsNotifications($0) }, [],
        "there is no example in these files")
    }
  }
#endif
