#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport
  import XCTest

  /// The pages of the documentation: their examples compile, and none is left out.
  final class DocumentationExamplesTests: TestCase {
    /// Pages without examples.
    private static let pagesWithoutExamples: Set<String> = ["Contracts.md", "HowAChangeTravels.md"]

    /// Examples of other libraries' code, and printed output.
    private static let otherLanguages: Set<String> = ["objc", "sh", "text"]

    /// A later block of a page may use declarations of an earlier one. Expected output is in
    /// comments: `print(x)    // 1: why` prints 1.
    func test_pages_examplesCompile_withoutWarnings_andPrintAsDocumented() throws {
      let compiler = try Compiler()
      let pages = try Documentation.pages()
      XCTAssertGreaterThan(pages.count, 10)
      var silent: [String] = []
      var printing: [(page: String, script: String, said: [String])] = []
      for page in pages where !Documentation.needsNotifications(page) {
        let examples = try Documentation.examples(inPage: page).filter { $0.language == "swift" }
        guard !examples.isEmpty else {
          XCTAssertTrue(Self.pagesWithoutExamples.contains(page), "\(page) has no example")
          continue
        }
        let script = examples.map(\.located).joined()
        XCTAssertTrue(script.contains("import ObservationController"), page)
        let said = examples.flatMap { Self.saidOutput(in: $0.code) }
        if said.isEmpty { silent.append(script) } else { printing.append((page, script, said)) }
      }
      XCTAssertEqual(try compiler.errors(inEachOf: silent), [])
      XCTAssertGreaterThan(printing.map(\.said.count).reduce(0, +), 20)
      let outputs = try compiler.outputs(ofEachOf: printing.map(\.script))
      for ((page, _, said), output) in zip(printing, outputs) {
        // Between them is a part that depends on addresses.
        var lines = output.split(separator: "\n")[...]
        for text in said {
          let line = lines.firstIndex { text == $0 || text.hasPrefix("\($0): ") }
          guard let line else {
            XCTFail("\(page): \(text) is not printed:\n\(output)")
            break
          }
          lines = lines[(line + 1)...]
        }
      }
    }

    /// The comments behind calls of `print`.
    private static func saidOutput(in code: String) -> [String] {
      code.split(separator: "\n").compactMap { line in
        guard line.contains("print("), let comment = line.range(of: ")  ", options: .backwards),
          let start = line.range(of: "// ", range: comment.upperBound..<line.endIndex)
        else { return nil }
        return String(line[start.upperBound...])
      }
    }

    /// Blocks that are not compiled are another library's code.
    func test_pages_otherCode_isNotOfThisLibrary() throws {
      for page in try Documentation.pages() {
        for example in try Documentation.examples(inPage: page) where example.language != "swift" {
          let place = "\(page):\(example.line)"
          XCTAssertTrue(Self.otherLanguages.contains(example.language), place)
          for name in ["@Observed", "ObservationController(", "observations."] {
            XCTAssertFalse(example.code.contains(name), "\(place) is not compiled")
          }
        }
      }
    }

    func test_wrongExample_isNoticed_byPageAndLine() throws {
      let wrong = Documentation.Example(
        language: "swift", file: "Page.md", line: 7,
        code: "import ObservationController\n\nlet x: Int = \"\"")
      let errors = try Compiler().errors(inEachOf: [wrong.located])
      XCTAssertEqual(errors.count, 1)
      XCTAssertTrue(errors.first?.hasPrefix("Page.md:9:") == true, "\(errors)")
    }

    func test_warning_isAnError() throws {
      let errors = try Compiler().errors(inEachOf: ["func f() {\n  let unused = 1\n}\n"])
      XCTAssertEqual(errors.count, 1, "\(errors)")
    }

    /// The landing page links to every page.
    func test_landingPage_namesEachPageAndPublicType() throws {
      let landing = try Documentation.text(ofPage: "ObservationController.md")
      let topics = try XCTUnwrap(landing.range(of: "## Topics")).upperBound
      let listed = landing[topics...]
      for page in try Documentation.pages() where page != "ObservationController.md" {
        let link = "- <doc:\(page.dropLast(3))>"
        XCTAssertTrue(listed.contains(link), "\(link) is missing")
      }
      // Declarations that begin with an underscore have no page: DocC leaves them out.
      let declaration =
        /public (?:final )?(?:class|struct|enum|protocol|actor|macro|typealias|func) ((?!_)\w+)/
      var types = 0
      for file in Documentation.sourceFiles() {
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
          guard let match = line.prefixMatch(of: declaration) else { continue }
          types += 1
          XCTAssertTrue(
            listed.contains("- ``\(match.1)") || listed.contains("/\(match.1)``"),
            "\(match.1) is missing")
        }
      }
      XCTAssertGreaterThan(types, 15)
    }
  }
#endif
