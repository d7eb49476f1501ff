import Foundation

/// Reads the system from `/proc`, as Linux has it.
///
/// A file that is missing or malformed leaves out its own values and nothing else.
struct ProcReader: SystemReader {
  var files: any ProcFiles = ProcFolder()
  var units = ProcUnits.ofThisSystem
  /// The name of the user with a number, if there is one.
  var userName: @Sendable (Int) -> String? = UserName.ofThisSystem

  func read() -> SystemReading {
    SystemReading(
      uptime: files.text(at: "uptime").flatMap(ProcText.uptime),
      loadAverages: files.text(at: "loadavg").flatMap(ProcText.loadAverages),
      memory: files.text(at: "meminfo").flatMap(ProcText.memory),
      processors: files.text(at: "stat").map(ProcText.processors) ?? [],
      processes: files.names().compactMap { Int($0) }.sorted().compactMap(process))
  }

  func details(of processIdentifier: Int) -> ProcessDetails? {
    guard let status = files.text(at: "\(processIdentifier)/status").map(ProcText.status)
    else { return nil }
    return ProcessDetails(
      processIdentifier: processIdentifier,
      user: status["Uid"].map { userName($0) ?? "\($0)" },
      parentIdentifier: status["PPid"], threadCount: status["Threads"])
  }

  private func process(_ identifier: Int) -> ProcessReading? {
    guard let stat = files.text(at: "\(identifier)/stat").flatMap(ProcText.stat) else {
      return nil
    }
    // The process may have ended by now. Its name from the other file will do.
    let arguments = files.text(at: "\(identifier)/cmdline").flatMap(ProcText.commandLine)
    let (bytes, overflow) = stat.residentPages.multipliedReportingOverflow(by: units.pageBytes)
    return ProcessReading(
      processIdentifier: identifier,
      state: stat.state,
      processorSeconds: Double(stat.processorTicks) / units.ticksPerSecond,
      startSeconds: Double(stat.startTicks) / units.ticksPerSecond,
      residentBytes: overflow ? 0 : bytes,
      command: arguments ?? "[\(stat.name)]",
      isKernelThread: stat.isKernelThread)
  }
}

/// Units of the numbers in `/proc`.
struct ProcUnits: Equatable, Sendable {
  var ticksPerSecond: Double
  var pageBytes: Int

  static var ofThisSystem: ProcUnits {
    // Neither is known to fail.
    ProcUnits(
      ticksPerSecond: Double(max(sysconf(Int32(_SC_CLK_TCK)), 1)),
      pageBytes: max(sysconf(Int32(_SC_PAGESIZE)), 1))
  }
}
