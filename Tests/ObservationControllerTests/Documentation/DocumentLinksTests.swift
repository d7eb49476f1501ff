import Foundation
import TestSupport
import XCTest

/// Links between documents, and names of the code in the article on the library's inside.
final class DocumentLinksTests: TestCase {
  private static let documents = [
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Benchmarks/README.md",
    "Tests/Coverage.md",
  ]

  func test_documents_relativeLinks_leadToFiles() throws {
    let tree = try SourceTree()
    var count = 0
    for document in Self.documents {
      let folder = tree.root.appendingPathComponent(document).deletingLastPathComponent()
      for link in try tree.text(of: document).matches(of: /\]\(([^)#]+)[^)]*\)/) {
        guard !link.1.contains("://") else { continue }
        count += 1
        let file = folder.appendingPathComponent(String(link.1))
        XCTAssertTrue(
          FileManager.default.fileExists(atPath: file.path), "\(document) links to \(link.1)")
      }
    }
    XCTAssertGreaterThan(count, 30)
  }

  func test_articleOnTheInside_namesFilesAndDeclarationsThatExist() throws {
    let tree = try SourceTree()
    let library = "Sources/ObservationController"
    let files = try tree.swiftFiles(in: library)
    let code = files.values.map { $0.replacing(/\/\/.*/, with: "") }
    let words = Set(code.flatMap { $0.matches(of: /\w+/).map { String($0.output) } })
    let article = try tree.text(
      of: "\(library)/ObservationController.docc/HowAChangeTravels.md"
    ).replacing(/<doc:\w+>/, with: "")
    var count = 0
    for name in article.matches(of: /`([^`\n]+)`/).map({ String($0.1) }) {
      count += 1
      if name.hasSuffix(".swift") {
        XCTAssertNotNil(files[name], "\(name) is not there")
      } else {
        for word in name.matches(of: /[A-Za-z_]\w+/) {
          XCTAssertTrue(words.contains(String(word.output)), "\(name) is not there")
        }
      }
    }
    let rest = article.replacing(/`[^`\n]+`/, with: "")
    for name in rest.matches(of: /\b([A-Z][a-z]+[A-Z]\w+)(?:\.(\w+))?/) {
      for word in [name.1, name.2].compactMap({ $0 }) {
        XCTAssertTrue(words.contains(String(word)), "\(name.0) is not there")
      }
    }
    XCTAssertGreaterThan(count, 40)
  }
}
