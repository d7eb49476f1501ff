/// The page of a process.
extension Format {
  static func pageTitle(_ identifier: Int, hasEnded: Bool) -> StyledText {
    " Process \(identifier)\(hasEnded ? ", which has ended" : "")"
  }

  /// A value with its name; `nil` for one that is not known.
  static func entry(_ title: String, _ value: String?) -> StyledText {
    name(title) + (value.map { StyledText($0, .strong) } ?? StyledText(unavailable, .dim))
  }

  /// The whole command, in as many lines as it takes, but at most `limit`.
  static func wrappedCommand(_ command: String, columns: Int, limit: Int = 4) -> [StyledText] {
    var rest = PrintableText.escaping(command)[...]
    var lines: [StyledText] = []
    while !rest.isEmpty || lines.isEmpty, lines.count < limit {
      let width = max(columns - nameWidth, 2)
      let line = PrintableText.clipping(String(rest), toColumns: width).text
      rest = rest.dropFirst(max(line.count, 1))
      lines.append(name(lines.isEmpty ? "Command" : "") + StyledText(line, .strong))
    }
    return lines
  }

  static func state(_ state: ProcessState?) -> StyledText {
    guard let state else { return entry("State", nil) }
    return name("State") + StyledText(state.words, style(of: state))
  }

  /// - Parameter command: Of the parent, if that is listed.
  static func parent(_ identifier: Int?, _ command: String?) -> StyledText {
    let entry = entry("Parent", identifier.map(String.init))
    return entry + (command.map { "  " + self.command($0) } ?? "")
  }

  /// The last value, and a plot of all on as many columns as there are.
  static func processor(_ percents: [Double], on screen: Screen) -> StyledText {
    let percent = percents.last.map { fixed($0, digits: 1) + "%" }
    let text = percent?.padding(toLength: 9, withPad: " ", startingAt: 0)
    let width = max(min(screen.size.columns - nameWidth - 9, ProcessPageViewModel.historyLimit), 0)
    let plot = screen.gauge.plot(
      percents.map { Int(min($0, 100).rounded()) }, width: min(percents.count, width), height: 1)
    return entry("CPU", text) + (plot.first ?? "")
  }
}

extension ProcessState {
  /// The state as a user says it.
  var words: String {
    switch self {
    case .running: "running"
    case .sleeping: "sleeping"
    case .waitingForDisk: "waiting for a disk"
    case .idle: "idle"
    case .stopped: "stopped"
    case .zombie: "a zombie: ended, and not yet noticed by its parent"
    case .unknown: "unknown"
    }
  }
}
