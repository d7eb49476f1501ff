import Foundation

/// Runs a command and gives back what it prints.
protocol CommandRunner: Sendable {
  /// - Returns: `nil` if the command can't be run or fails.
  func output(of command: String, _ arguments: [String]) -> String?
}

/// Runs commands as processes of their own, by Foundation's `Process`.
struct ProcessCommandRunner: CommandRunner {
  func output(of command: String, _ arguments: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = arguments
    // Numbers with a decimal point, whatever the user's language.
    process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C"]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return nil }
    // Read first: a command that fills the pipe does not end before it is emptied.
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
