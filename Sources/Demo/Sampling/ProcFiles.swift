import Foundation

/// The files below `/proc`, or below a recorded copy of it, or a test's own idea of them.
protocol ProcFiles: Sendable {
  /// The names in the top folder. Empty if it can't be listed.
  func names() -> [String]

  /// The text of a file, with anything that is no UTF-8 replaced.
  ///
  /// - Returns: `nil` if there is no such file, or no longer: a process may end between
  ///   the moment it is listed and the moment it is read, and even while it is read.
  func text(at path: String) -> String?
}

/// Files on disk, below a folder.
struct ProcFolder: ProcFiles {
  var path = "/proc"

  func names() -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  func text(at name: String) -> String? {
    // `FileManager.contents(atPath:)` leaks its buffer where a file of /proc is empty.
    guard let file = FileHandle(forReadingAtPath: path + "/" + name),
      let data = try? (file.readToEnd() ?? Data())
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
