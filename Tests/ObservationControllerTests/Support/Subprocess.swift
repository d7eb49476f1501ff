#if os(Linux) || os(macOS)
  import Foundation

  /// Another program, run to its end.
  enum Subprocess {
    /// Runs `executable`, without input.
    ///
    /// - Parameter environment: Set in addition to this process's own.
    /// - Returns: The exit status, and what was printed on standard output and error.
    static func run(
      _ executable: URL?, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
      let process = Process()
      let output = Pipe()
      process.executableURL = executable
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment
        .merging(environment) { _, added in added }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
  }
#endif
