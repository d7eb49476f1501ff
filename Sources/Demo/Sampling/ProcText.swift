/// Understands the text of the files in `/proc`; see `man 5 proc`.
///
/// Every function returns `nil` for a text that it can't make sense of.
enum ProcText {
  /// `1237.84 2452.83`: seconds since the start, and seconds spent idle.
  static func uptime(_ text: String) -> Double? {
    text.split(whereSeparator: \.isWhitespace).first.flatMap(number)
  }

  /// `0.52 0.58 0.59 1/467 12345`: three averages, and things that are not shown.
  static func loadAverages(_ text: String) -> LoadAverages? {
    LoadAverages(text.split(whereSeparator: \.isWhitespace).prefix(3).compactMap(number))
  }

  /// Lines such as `MemTotal:       24684092 kB`.
  static func memory(_ text: String) -> MemoryReading? {
    var kibibytes: [Substring: Int] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count >= 2, fields[0].last == ":", let value = Int(fields[1]) else { continue }
      kibibytes[fields[0].dropLast()] = value
    }
    guard let total = kibibytes["MemTotal"], 1...maximumKibibytes ~= total,
      let available = kibibytes["MemAvailable"]
    else { return nil }
    return MemoryReading(
      totalBytes: total * 1024, availableBytes: min(max(available, 0), total) * 1024)
  }

  /// Lines such as `cpu0 1393280 32966 572056 13343292 6130 0 17875 0 0 0`, in the order of the
  /// file; others are passed over. Guests, the last two numbers, are part of the first two.
  static func processors(_ text: String) -> [ProcessorReading] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      let fields = line.split(separator: " ")
      guard let name = fields.first, name.hasPrefix("cpu"), name.count > 3 else { return nil }
      let ticks = fields.dropFirst().prefix(8).compactMap { Int($0) }
      guard ticks.count >= 4, ticks.allSatisfy({ 0...maximumKibibytes ~= $0 }) else { return nil }
      let total = ticks.reduce(0, +)
      let idle = ticks[3] + (ticks.count > 4 ? ticks[4] : 0)
      return ProcessorReading(busyTicks: total - idle, totalTicks: total)
    }
  }

  /// One line: `381 (a (b) c) S 1 381 …`.
  ///
  /// The name is the process's own choice and may hold spaces, parentheses and line
  /// breaks: it ends at the last `)` of the text.
  static func stat(_ text: String) -> ProcStat? {
    // Look for bytes: a combining mark after a parenthesis would make another character of it.
    let bytes = text.utf8
    guard let open = bytes.firstIndex(of: UInt8(ascii: "(")),
      let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
    else { return nil }
    let fields = text[bytes.index(after: close)...].split(whereSeparator: \.isWhitespace)
    // The first of these fields is the third of the file, so that field n has index n - 3.
    guard fields.count >= 22, let letter = fields[0].first,
      let flags = Int(fields[9 - 3]), let userTicks = Int(fields[14 - 3]),
      let systemTicks = Int(fields[15 - 3]),
      let startTicks = Int(fields[22 - 3]), let residentPages = Int(fields[24 - 3])
    else { return nil }
    let (ticks, overflow) = userTicks.addingReportingOverflow(systemTicks)
    guard !overflow, ticks >= 0 else { return nil }
    return ProcStat(
      name: String(decoding: bytes[bytes.index(after: open)..<close], as: UTF8.self),
      state: ProcessState(letter: letter),
      processorTicks: ticks,
      startTicks: startTicks,
      // Negative for a moment while a process ends.
      residentPages: max(residentPages, 0),
      // PF_KTHREAD of <linux/sched.h>.
      isKernelThread: flags & 0x0020_0000 != 0)
  }

  /// The first number of each line such as `Uid:  1000  1000  1000  1000`, by the name of the line.
  static func status(_ text: String) -> [String: Int] {
    // Line breaks in the name of a process are escaped here, so that it can't make up lines.
    var numbers: [String: Int] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count >= 2, fields[0].last == ":", let number = Int(fields[1]), number >= 0
      else { continue }
      let name = String(fields[0].dropLast())
      numbers[name] = numbers[name] ?? number
    }
    return numbers
  }

  /// Arguments that end in a zero byte each.
  ///
  /// - Returns: `nil` if there are none: a kernel thread, or a process that has ended.
  static func commandLine(_ text: String) -> String? {
    // A program that renames itself may leave many zeros behind its new name.
    let arguments = text.split(separator: "\0", omittingEmptySubsequences: true)
    let line = arguments.joined(separator: " ")
    return line.allSatisfy(\.isWhitespace) ? nil : line
  }

  /// So that bytes fit an `Int`: 4 EiB, which a file that makes sense does not reach.
  private static let maximumKibibytes = 1 << 52

  /// Positive and finite, as all values of the system are.
  static func number(_ field: Substring) -> Double? {
    Double(field).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }
}

/// The fields of `/proc/PID/stat` that the monitor uses.
struct ProcStat: Equatable {
  var name: String
  var state: ProcessState
  /// In user and in kernel mode together.
  var processorTicks: Int
  /// Since the system started.
  var startTicks: Int
  var residentPages: Int
  var isKernelThread: Bool
}
