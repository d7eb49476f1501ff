import Foundation

/// The texts of the screen. Every function depends on its arguments alone: no time, no
/// language, no width of a terminal.
enum Format {
  static func uptime(minutes: Int?) -> String {
    guard let minutes else { return unavailable }
    let days = minutes / 1440
    let clock = "\(pad(minutes / 60 % 24, 2)):\(pad(minutes % 60, 2))"
    return days == 0 ? clock : "\(days) \(days == 1 ? "day" : "days"), \(clock)"
  }

  static func loadAverages(_ load: LoadAverages?) -> String {
    guard let load else { return unavailable }
    return [load.oneMinute, load.fiveMinutes, load.fifteenMinutes]
      .map { fixed($0, digits: 2) }.joined(separator: "  ")
  }

  static func counts(_ counts: ProcessCounts) -> String {
    "\(counts.total) total, \(counts.running) running, \(counts.sleeping) sleeping, "
      + "\(counts.stopped) stopped, \(counts.zombies) zombie"
  }

  static func memory(_ usage: MemoryUsage?) -> String {
    guard let usage, usage.totalMebibytes > 0 else { return unavailable }
    let percent = Double(usage.usedMebibytes) / Double(usage.totalMebibytes) * 100
    return "\(usage.usedMebibytes) of \(usage.totalMebibytes) MiB used"
      + " (\(fixed(percent, digits: 1)) %)"
  }

  /// A command as it can be shown: nothing in it can move the cursor or change a colour.
  static func command(_ command: String) -> String {
    PrintableText.escaping(command)
  }

  /// What the table says of a process.
  static func row(_ record: ProcessRecord) -> String {
    row(
      processIdentifier: String(record.processIdentifier),
      state: String(record.state.rawValue),
      processorPercent: fixed(record.processorPercent, digits: 1),
      residentBytes: bytes(record.residentBytes),
      command: command(record.command))
  }

  /// The title of the column that the table is sorted by ends in a mark.
  static func titles(sortedBy order: ProcessOrder) -> String {
    row(
      processIdentifier: "PID", state: "S",
      processorPercent: order == .processor ? "%CPU*" : "%CPU",
      residentBytes: order == .memory ? "RES*" : "RES",
      command: "COMMAND")
  }

  private static func row(
    processIdentifier: String, state: String, processorPercent: String, residentBytes: String,
    command: String
  ) -> String {
    [
      padLeft(processIdentifier, 7), state, padLeft(processorPercent, 6),
      padLeft(residentBytes, 7), command,
    ].joined(separator: "  ")
  }

  /// `512K`, `12.3M`, `1.2G`: in units of 1024, as `top` has them.
  static func bytes(_ bytes: Int) -> String {
    let kibibytes = Double(bytes) / 1024
    if kibibytes < 1024 { return fixed(kibibytes, digits: 0) + "K" }
    if kibibytes < 1024 * 1024 { return fixed(kibibytes / 1024, digits: 1) + "M" }
    if kibibytes < 1024 * 1024 * 1024 { return fixed(kibibytes / 1024 / 1024, digits: 1) + "G" }
    return fixed(kibibytes / 1024 / 1024 / 1024, digits: 1) + "T"
  }

  static func fixed(_ value: Double, digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }

  static let unavailable = "not available"

  private static func pad(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }

  private static func padLeft(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }
}
