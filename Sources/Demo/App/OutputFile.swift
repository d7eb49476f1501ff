import Foundation

/// A file that is written when the samples are taken, and looked at before.
struct OutputFile: Equatable, Sendable {
  /// Name of the content, for messages.
  let content: String
  let path: String

  /// Finds out whether the file can be written, without writing it.
  /// - Throws: ``OutputFileError``.
  func check() throws {
    let folder = (path as NSString).deletingLastPathComponent
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    // It is replaced by a new one, which is made in its folder.
    guard !(exists && (isFolder.boolValue || access(path, W_OK) != 0)),
      access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0
    else { throw OutputFileError(file: self) }
  }

  /// - Throws: ``OutputFileError``.
  func write(_ text: String) throws {
    do {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw OutputFileError(file: self)
    }
  }
}

/// That a file can't be written, in one line.
struct OutputFileError: Error, CustomStringConvertible {
  let file: OutputFile

  var description: String {
    "can't write the \(file.content) to '\(PrintableText.escaping(file.path))'"
  }
}
