import Foundation
import ObservationController

/// The file to which the demo writes who observes what in it.
struct GraphFile: Equatable, Sendable {
  static let expected = "a file name that ends in .dot or .mmd"

  let path: String
  private let format: Format

  private enum Format: String {
    case dot, mmd
  }

  /// `nil` unless the name says in which language to write.
  init?(path: String) {
    let parts = (path as NSString).lastPathComponent.split(separator: ".")
    guard parts.count > 1, let format = parts.last.flatMap({ Format(rawValue: String($0)) })
    else { return nil }
    (self.path, self.format) = (path, format)
  }

  /// Writes everything that is observed just now.
  @MainActor
  func write() throws {
    let graph = ObservationGraph()
    do {
      try (format == .dot ? graph.dot : graph.mermaid)
        .write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw GraphFileError(path: path)
    }
  }
}

/// That a graph can't be written, in one line.
struct GraphFileError: Error, CustomStringConvertible {
  let path: String

  var description: String { "can't write the graph to '\(PrintableText.escaping(path))'" }
}
