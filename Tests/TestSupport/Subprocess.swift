#if os(Linux) || os(macOS)
  import Foundation

  /// Another program, run to its end.
  package enum Subprocess {
    /// Runs `executable`, without input.
    ///
    /// - Parameter environment: Set in addition to this process's own.
    /// - Returns: The exit status, and the text printed on standard output and error.
    package static func run(
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
      // Not `waitUntilExit()`, which polls every 50 ms.
      let exit = DispatchSemaphore(value: 0)
      process.terminationHandler = { _ in exit.signal() }
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      exit.wait()
      return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// Runs one test again, in another process: for tests that end the process.
    ///
    /// - Parameters:
    ///   - test: As `ClassOfTests/test_name`.
    ///   - environment: Variables by which the test recognizes the second run.
    /// - Returns: The result of `run`; status 0, which no such test expects, if it could not be
    /// started.
    package static func runAgain(
      _ test: String, environment: [String: String]
    ) -> (status: Int32, output: String) {
      let test = "ObservationControllerTests.\(test)"
      #if os(macOS)
        let executable = URL(fileURLWithPath: CommandLine.arguments[0])
        let arguments = ["-XCTest", test, Bundle(for: Anchor.self).bundlePath]
      #else
        let executable = Bundle.main.executableURL
        let arguments = [test]
      #endif
      let quiet = environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      do {
        return try run(executable, arguments, environment: quiet)
      } catch {
        return (0, "could not be started: \(error)")
      }
    }

    private final class Anchor {}
  }
#endif
