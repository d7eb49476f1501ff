import Foundation

/// Reads the system by its own commands, as macOS has them: `ps`, `sysctl` and `vm_stat`.
///
/// A command that fails leaves out its own values and nothing else.
struct CommandReader: SystemReader {
  var runner: any CommandRunner = ProcessCommandRunner()
  /// Seconds since 1970.
  var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

  func read() -> SystemReading {
    let time = now()
    let system = runner.output(
      of: "/usr/sbin/sysctl", ["-n", "hw.memsize", "vm.loadavg", "kern.boottime"])
    let lines = system?.split(whereSeparator: \.isNewline) ?? []
    var reading = SystemReading()
    if lines.count >= 3 {
      reading.uptime = CommandText.bootTime(lines[2]).map { max(time - $0, 0) }
      reading.loadAverages = CommandText.loadAverages(lines[1])
    }
    if let totalBytes = lines.first.flatMap({ Int($0) }), totalBytes > 0,
      let availableBytes = runner.output(of: "/usr/bin/vm_stat", [])
        .flatMap(CommandText.availableBytes)
    {
      reading.memory = MemoryReading(
        totalBytes: totalBytes, availableBytes: min(availableBytes, totalBytes))
    }
    // `ps` lists itself and its like too, as it does in `top`.
    let processes = runner.output(
      of: "/bin/ps", ["-A", "-ww", "-o", "pid=,state=,time=,etime=,rss=,command="])
    reading.processes = (processes ?? "").split(whereSeparator: \.isNewline)
      .compactMap { CommandText.process($0, uptime: reading.uptime) }
    return reading
  }

  /// `ps` has no column for the number of threads.
  func details(of processIdentifier: Int) -> ProcessDetails? {
    let text = runner.output(of: "/bin/ps", ["-o", "ppid=,user=", "-p", "\(processIdentifier)"])
    let fields = (text ?? "").split(whereSeparator: \.isWhitespace)
    guard fields.count == 2, let parent = Int(fields[0]) else { return nil }
    return ProcessDetails(
      processIdentifier: processIdentifier, user: String(fields[1]), parentIdentifier: parent)
  }
}
