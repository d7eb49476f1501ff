import Foundation
import ObservationController

/// A trace of what is observed, on its way into a file that ui.perfetto.dev opens.
struct TraceFile {
  private let path: String
  private let trace = ObservationTrace(readsObjects: false)

  init(path: String) {
    self.path = path
  }

  func start() {
    trace.start()
  }

  /// Finds out what the properties are called that are observed now.
  @MainActor
  func learnNames() {
    trace.learnNames()
  }

  /// Ends the trace, and writes it.
  /// - Throws: ``TraceFileError``.
  func write() throws {
    trace.stop()
    do {
      try trace.chromeTrace.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw TraceFileError(
        description: "can't write the trace to '\(PrintableText.escaping(path))'")
    }
  }
}

struct TraceFileError: Error, CustomStringConvertible {
  let description: String
}
