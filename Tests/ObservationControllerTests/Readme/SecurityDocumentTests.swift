import TestSupport
import XCTest

/// `SECURITY.md` agrees with the sources.
final class SecurityDocumentTests: TestCase {
  private static let sources = "Sources/ObservationController"

  /// The text of each file of the library, without comments.
  private static let code: [String: String]? = try? SourceTree().swiftFiles(in: sources).mapValues {
    $0.replacing(/\/\/.*/, with: "")
  }

  private func code() throws -> [String: String] { try XCTUnwrap(Self.code) }

  private func files(matching pattern: some RegexComponent) throws -> Set<String> {
    Set(try code().filter { $0.value.contains(pattern) }.keys)
  }

  func test_unsafeCode_isListedByFile_andNothingElseIs() throws {
    let text = try SourceTree().text(of: "SECURITY.md")
    let list = text.components(separatedBy: "\n## Unsafe code\n").dropFirst().joined()
      .components(separatedBy: "\n## ").first!
    let listed = Set(list.matches(of: /`((?:[A-Z]\w*\/)+[\w+]+\.swift)`/).map { String($0.1) })
    let found = try files(matching: /[uU]nsafe|Unmanaged|@unchecked|load\(as:|assumingMemoryBound/)
    XCTAssertEqual(found.subtracting(listed), [], "unsafe code that is not listed")
    XCTAssertEqual(listed.subtracting(found), [], "listed without reason")
  }

  func test_sources_importNothingButTheStandardLibraryDispatchAndFoundation() throws {
    let imports = try code().values.flatMap { $0.matches(of: /\bimport (\w+)/).map(\.1) }
    // One of the files in the second line, where there are POSIX threads.
    let modules: Set<Substring> = ["Dispatch", "Foundation", "Observation", "Synchronization"]
    XCTAssertEqual(Set(imports), modules.union(["Darwin", "Glibc", "Musl", "Android", "Swift"]))
  }

  func test_sources_useNoNetworkNoProcessesNoFilesNoPrivateSymbols() throws {
    let files = try files(
      matching:
        /@_|dlopen|dlsym|import _|URLSession|URLRequest|\bsocket|(Input|Output)Stream|Process\(|FileManager|getenv|NSClassFromString/
    )
    XCTAssertEqual(files, ["Diagnostics/StoredNames.swift"], "lists fields, as the document says")
  }

  func test_functionsWithAnUnderscore_areThoseThatAreNamed() throws {
    let text = try SourceTree().text(of: "SECURITY.md")
    let named = Set(text.matches(of: /`(_[a-z]\w+)`/).map { String($0.1) })
    let calls = try code().values.flatMap { text in
      text.matches(of: /\b(_[a-z]\w+)(?:\(| \{)/).map { String($0.1) }
    }
    let own: Set = ["_modify", "_spi", "_checkInvariants"]
    XCTAssertEqual(Set(calls).subtracting(own), named, "none of these is")
    XCTAssertGreaterThan(named.count, 1)
  }
}
