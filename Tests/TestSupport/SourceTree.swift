import Foundation
import XCTest

/// The files of this package, for tests of documents about sources and tests.
package struct SourceTree {
  /// The folder of the package.
  package let root: URL

  /// Skips the test where the sources are not beside the tests, as on a device.
  package init(file: StaticString = #filePath) throws {
    var folder = URL(fileURLWithPath: "\(file)")
    repeat {
      folder.deleteLastPathComponent()
      let manifest = folder.appendingPathComponent("Package.swift").path
      if FileManager.default.fileExists(atPath: manifest) {
        root = folder
        return
      }
    } while folder.path.count > 1
    throw XCTSkip("no Package.swift above \(file)")
  }

  package func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The text of each Swift file in a folder, by its path from there.
  package func swiftFiles(in folder: String) throws -> [String: String] {
    let folder = root.appendingPathComponent(folder)
    guard let paths = FileManager.default.enumerator(atPath: folder.path) else { return [:] }
    var files: [String: String] = [:]
    for case let path as String in paths where path.hasSuffix(".swift") {
      files[path] = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }
    return files
  }

  /// The test functions, by class.
  package func tests() throws -> [String: Set<String>] {
    if let tests = Self.known.withLock({ $0 }) { return tests }
    var tests: [String: Set<String>] = [:]
    for text in try swiftFiles(in: "Tests").values {
      tests.merge(Self.tests(in: text)) { $0.union($1) }
    }
    Self.known.withLock { $0 = tests }
    return tests
  }

  /// Result of `tests`, since reading all files takes long.
  private static let known = Guarded<[String: Set<String>]?>(nil)

  /// The test functions in the text of a file, by class.
  package static func tests(in text: String) -> [String: Set<String>] {
    var tests: [String: Set<String>] = [:]
    var name: String?
    for line in text.split(separator: "\n") {
      // Filtered before they are matched, which takes a hundred times as long.
      if line.contains("class "), line.contains("Case") {
        guard let match = line.firstMatch(of: /^\s{0,2}(?:\w+ )*class (\w+): \w*Case\b/) else {
          continue
        }
        name = String(match.1)
      } else if let name, line.contains("func test") {
        guard let match = line.firstMatch(of: /^\s+(?:\w+ )*func (test\w+)\(\)/) else { continue }
        tests[name, default: []].insert(String(match.1))
      }
    }
    return tests
  }
}
