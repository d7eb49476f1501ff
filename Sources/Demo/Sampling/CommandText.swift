/// Understands what `ps`, `sysctl` and `vm_stat` print on macOS.
///
/// Every function returns `nil` for a text that it can't make sense of.
enum CommandText {
  /// `{ sec = 1700000000, usec = 123456 } Tue Nov 14 22:13:20 2023`, in seconds since 1970.
  static func bootTime(_ line: Substring) -> Double? {
    let fields = line.split(whereSeparator: { $0.isWhitespace || $0 == "," })
    guard let name = fields.firstIndex(of: "sec"), name + 2 < fields.count else { return nil }
    return ProcText.number(fields[name + 2])
  }

  /// `{ 1.23 1.45 1.67 }`.
  static func loadAverages(_ line: Substring) -> LoadAverages? {
    LoadAverages(line.split(whereSeparator: \.isWhitespace).compactMap(ProcText.number))
  }

  /// The output of `vm_stat`: a page size in the first line, then counts such as
  /// `Pages free:                               12345.`
  static func availableBytes(_ text: String) -> Int? {
    let lines = text.split(whereSeparator: \.isNewline)
    guard let first = lines.first,
      let pageBytes = first.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
    else { return nil }
    var pages: [Substring: Int] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let digits = line[colon...].filter(\.isNumber)
      pages[line[..<colon]] = Int(digits)
    }
    guard let free = pages["Pages free"] else { return nil }
    let available = free + (pages["Pages inactive"] ?? 0) + (pages["Pages speculative"] ?? 0)
    let (bytes, overflow) = available.multipliedReportingOverflow(by: pageBytes)
    return overflow ? nil : bytes
  }

  /// A line of `ps -o pid=,state=,time=,etime=,rss=,command=`.
  ///
  /// - Parameter uptime: Of the system. Without it every process seems to start with it,
  ///   at the time 0 of a clock that does not run.
  static func process(_ line: Substring, uptime: Double?) -> ProcessReading? {
    let fields = line.split(maxSplits: 5, whereSeparator: \.isWhitespace)
    guard fields.count == 6, let identifier = Int(fields[0]), let letter = fields[1].first,
      let processorSeconds = duration(fields[2]), let age = duration(fields[3]),
      let kibibytes = Int(fields[4]), 0...(1 << 52) ~= kibibytes
    else { return nil }
    return ProcessReading(
      processIdentifier: identifier,
      state: ProcessState(letter: letter),
      processorSeconds: processorSeconds,
      startSeconds: uptime.map { max($0 - age, 0) } ?? 0,
      residentBytes: kibibytes * 1024,
      command: String(fields[5]))
  }

  /// `[[days-]hours:]minutes:seconds[.hundredths]`, in seconds.
  static func duration(_ text: Substring) -> Double? {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let clock = parts[parts.count - 1].split(separator: ":", omittingEmptySubsequences: false)
    var days = 0.0
    if parts.count == 2 {
      guard let value = ProcText.number(parts[0]) else { return nil }
      days = value
    }
    guard 2...3 ~= clock.count else { return nil }
    var seconds = 0.0
    for part in clock {
      guard let value = ProcText.number(part) else { return nil }
      seconds = seconds * 60 + value
    }
    return days * 86_400 + seconds
  }
}
