/// What the command line asks for.
struct Options: Equatable, Sendable {
  /// After how many samples to end; `nil` for what suits the output.
  var samples: Int?
  /// Seconds from one sample to the next.
  var interval = 1.0
  /// How many processes to show; `nil` for what suits the output.
  var rows: Int?
  var order = ProcessOrder.processor
  /// Where to draw who observes what; `nil` for nowhere.
  var graph: GraphFile?
  /// Where to write what was set, and what was drawn because of it; `nil` for nowhere.
  var traceFile: String?
  /// Whether to explain the options, and do nothing else.
  var showsHelp = false

  static let help = """
    Usage: Demo [options]

    Shows uptime, load, memory and the busiest processes, like top.

      --samples N         end after N samples (piped: \(samplesWhenPrinted); on a terminal: never)
      --interval SECONDS  time from one sample to the next (1)
      --rows N            number of processes (piped: \(rowsWhenPrinted); on a terminal: all that fit)
      --sort cpu|memory   what comes first (cpu)
      --graph FILE        write who observes what to FILE.dot (Graphviz) or FILE.mmd (Mermaid)
      --trace FILE        write why each line was drawn, as JSON for ui.perfetto.dev
      --help              show this text

    On a terminal, q or Ctrl-C ends it, P sorts by cpu, M by memory.

    """

  static let samplesWhenPrinted = 3
  static let rowsWhenPrinted = 10

  /// Reads the arguments that follow the name of the program.
  ///
  /// A value follows its option, or `=`: `--rows 5`, `--rows=5`. What is said last counts.
  /// - Throws: ``OptionsError`` for the first argument that is wrong.
  init(arguments: some Sequence<String>) throws(OptionsError) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts.first.map(String.init) ?? ""
      let attached = parts.count == 2 ? String(parts[1]) : nil
      switch name {
      case "--help" where attached == nil, "-h" where attached == nil:
        showsHelp = true
        return
      case "--samples":
        let value = try Self.value(of: name, attached, &rest, "a number from 1")
        samples = try Self.number(value, in: 1...Int.max, of: name, "a number from 1")
      case "--rows":
        let value = try Self.value(of: name, attached, &rest, "a number from 1 to 10000")
        rows = try Self.number(value, in: 1...10_000, of: name, "a number from 1 to 10000")
      case "--interval":
        let expected = "seconds from 0.001 to 86400"
        let value = try Self.value(of: name, attached, &rest, expected)
        guard let seconds = Double(value), 0.001...86_400 ~= seconds else {
          throw OptionsError(name, needs: expected, not: value)
        }
        interval = seconds
      case "--trace":
        let value = try Self.value(of: name, attached, &rest, "a file to write")
        guard !value.isEmpty else { throw OptionsError(name, needs: "a file to write") }
        traceFile = value
      case "--sort":
        let value = try Self.value(of: name, attached, &rest, "cpu or memory")
        guard let order = ProcessOrder(rawValue: value) else {
          throw OptionsError(name, needs: "cpu or memory", not: value)
        }
        self.order = order
      case "--graph":
        let value = try Self.value(of: name, attached, &rest, GraphFile.expected)
        guard let graph = GraphFile(path: value) else {
          throw OptionsError(name, needs: GraphFile.expected, not: value)
        }
        self.graph = graph
      default:
        throw OptionsError(unknown: argument)
      }
    }
  }

  private static func value(
    of name: String, _ attached: String?, _ rest: inout ArraySlice<String>, _ expected: String
  ) throws(OptionsError) -> String {
    if let attached { return attached }
    guard let value = rest.popFirst() else { throw OptionsError(name, needs: expected) }
    return value
  }

  private static func number(
    _ text: String, in range: ClosedRange<Int>, of name: String, _ expected: String
  ) throws(OptionsError) -> Int {
    guard let value = Int(text), range.contains(value) else {
      throw OptionsError(name, needs: expected, not: text)
    }
    return value
  }
}
