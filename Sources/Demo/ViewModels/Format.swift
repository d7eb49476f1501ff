import Foundation

/// The texts of the screen. Every function depends on its arguments alone, no time and no language.
enum Format {
  static func uptime(minutes: Int?, _ counts: ProcessCounts) -> StyledText {
    var time = unavailable
    if let minutes {
      let days = minutes / 1440
      time = "\(padLeft(minutes / 60 % 24, 2, "0")):\(padLeft(minutes % 60, 2, "0"))"
      if days > 0 { time = "\(days) \(days == 1 ? "day" : "days"), \(time)" }
    }
    var states = "\(counts.running) running, \(counts.sleeping) sleeping"
    if counts.stopped > 0 { states += ", \(counts.stopped) stopped" }
    if counts.zombies > 0 { states += ", \(counts.zombies) zombie" }
    return name("Up") + StyledText(time, .strong) + StyledText("   Tasks  ", .name)
      + StyledText("\(counts.total)", .strong) + StyledText(": \(states)")
  }

  /// At most four lines of bars; the more processors there are, the shorter are the bars.
  static func processors(_ percents: [Int], on screen: Screen) -> [StyledText] {
    guard !percents.isEmpty else { return [] }
    let columns = screen.size.columns - nameWidth
    let lineCount = min((percents.count - 1) / max(columns / 32, 1) + 1, 4)
    let countInLine = (percents.count - 1) / lineCount + 1
    let width = max(columns / countInLine, 1)
    return stride(from: 0, to: percents.count, by: countInLine).map { first in
      let cells = first..<min(first + countInLine, percents.count)
      return cells.reduce(into: name(first == 0 ? "CPU" : "")) { line, index in
        let percent = percents[index]
        if width < 16 {
          line += screen.gauge.bar(percent: Double(percent), width: max(width - 1, 1)) + " "
        } else {
          line += StyledText(padLeft("\(index) ", 3), .dim)
          line += screen.gauge.bar(percent: Double(percent), width: width - 10)
          line += StyledText(padLeft(percent, 4) + "%  ")
        }
      }
    }
  }

  static func memory(_ usage: MemoryUsage?, on screen: Screen) -> StyledText {
    guard let usage, usage.totalMebibytes > 0 else {
      return name("Memory") + StyledText(unavailable)
    }
    let percent = Double(usage.usedMebibytes) / Double(usage.totalMebibytes) * 100
    let text =
      "  \(usage.usedMebibytes) of \(usage.totalMebibytes) MiB  \(fixed(percent, digits: 1))%"
    let width = screen.size.columns - nameWidth - text.count - 2
    return name("Memory") + screen.gauge.bar(percent: percent, width: width) + StyledText(text)
  }

  /// The averages, and beside them a plot of the processors' load, as high as the screen allows.
  static func load(_ load: LoadAverages?, _ history: [Int], on screen: Screen) -> [StyledText] {
    let averages =
      load.map { [$0.oneMinute, $0.fiveMinutes, $0.fifteenMinutes] }?
      .map { fixed($0, digits: 2) }.joined(separator: "  ") ?? unavailable
    let line = name("Load") + StyledText(averages, .strong)
    guard !history.isEmpty else { return [line] }
    let gap = "   "
    let start = nameWidth + averages.count + gap.count
    let height = min(max((screen.size.rows - 16) / 7, 1), 4)
    let plot = screen.gauge.plot(
      history, width: max(screen.size.columns - start - 2, 0), height: height)
    return plot.enumerated().map { row, cells in
      (row == height - 1 ? line + StyledText(gap) : StyledText(padLeft("", start))) + cells
    }
  }

  /// Of all processes: it may be one that the table does not show.
  static func busiest(_ command: String?) -> StyledText {
    name("Busiest") + StyledText("of all: ", .dim) + (command.map(self.command) ?? "none")
  }

  /// A command as it can be shown: nothing in it can move the cursor or change a colour.
  static func command(_ command: String) -> StyledText {
    let text = PrintableText.escaping(command)
    if text.hasPrefix("[") { return StyledText(text, .dim) }
    let program = text.prefix { $0 != " " }
    let folder = program.lastIndex(of: "/").map { program[...$0] } ?? ""
    return StyledText(String(folder), .dim)
      + StyledText(String(program.dropFirst(folder.count)), .strong)
      + StyledText(String(text.dropFirst(program.count)))
  }

  static let unavailable = "not available"
  static let nameWidth = 9

  static func name(_ name: String) -> StyledText {
    StyledText(name.padding(toLength: nameWidth, withPad: " ", startingAt: 0), .name)
  }
}

extension Format {
  /// The row of a process.
  static func row(_ record: ProcessRecord) -> StyledText {
    let percent = record.processorPercent
    return StyledText(padLeft(record.processIdentifier, 7) + "  ")
      + StyledText(String(record.state.rawValue), style(of: record.state))
      + StyledText(
        padLeft(fixed(percent, digits: 1), 8),
        percent < 0.05 ? .dim : percent < 10 ? .plain : Gauge.style(percent: percent))
      + StyledText(
        padLeft(bytes(record.residentBytes), 9), record.residentBytes < 512 ? .dim : .plain)
      + "  " + command(record.command)
  }

  static func style(of state: ProcessState) -> StyledText.Style {
    switch state {
    case .running: .good
    case .waitingForDisk: .warning
    case .zombie: .alarm
    case .stopped: .name
    default: .dim
    }
  }

  /// The title of the column that the table is sorted by ends in a mark. At the right stands how
  /// many processes there are, and why these.
  static func titles(
    sortedBy order: ProcessOrder, shown: Int, of total: Int, filter: String, on screen: Screen
  ) -> StyledText {
    func title(_ title: String, _ its: ProcessOrder) -> String {
      order == its ? title + screen.gauge.mark : title
    }
    let titles =
      padLeft(title("PID", .identifier), 7) + "  S" + padLeft(title("%CPU", .processor), 8)
      + padLeft(title("RES", .memory), 9) + "  " + title("COMMAND", .command)
    var note = shown == total ? "\(total)" : "\(shown) of \(total)"
    if !filter.isEmpty { note = "'\(PrintableText.escaping(filter))': " + note }
    return StyledText(titles + padLeft(note, screen.size.columns - titles.count - 2))
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

  private static func padLeft(_ value: some Any, _ width: Int, _ fill: String = " ") -> String {
    let text = "\(value)"
    return String(repeating: fill, count: max(width - text.count, 0)) + text
  }
}

/// The lines below the table.
extension Format {
  static func activity(_ counts: Activity.Counts?, arrow: String) -> StyledText {
    let title = name("A second")
    guard let counts else { return title + StyledText("is counted first", .dim) }
    func part(_ count: Int, _ text: String) -> StyledText {
      StyledText("\(count)", .strong) + StyledText(" " + text)
    }
    let arrow = StyledText(" \(arrow) ", .dim)
    return title + part(counts.changes, "values set") + arrow
      + part(counts.deliveries, "handlers called") + arrow + part(counts.linesDrawn, "of ")
      + part(counts.linesShown, "lines redrawn")
  }

  static func keys(_ gauge: Gauge) -> StyledText {
    let keys = [
      ("q", "quit"), (gauge.upAndDown, "select"), ("Enter", "open"), ("/", "filter"),
      ("w", "why drawn?"), ("o", "observers?"), ("?", "keys"),
    ]
    return keys.reduce(into: "") { line, key in
      let gap = line.runs.isEmpty ? " " : "  "
      line += StyledText(gap + key.0, .strong) + StyledText(" \(key.1)", .dim)
    }
  }

  static func field(_ text: String) -> StyledText {
    StyledText(" Filter  ", .name) + StyledText(PrintableText.escaping(text), .strong) + "_"
      + StyledText("   Enter keeps it, Esc removes it", .dim)
  }
}
