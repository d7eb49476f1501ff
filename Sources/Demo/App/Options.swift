/// Options of the command line.
struct Options: Equatable, Sendable {
  /// After how many samples to end; `nil` for what suits the output.
  var samples: Int?
  /// Seconds from one sample to the next.
  var interval = 1.0
  /// How many processes to show; `nil` for what suits the output.
  var rows: Int?
  var order = ProcessOrder.processor
  /// File for the graph of observations; `nil` to write none.
  var graph: OutputFile?
  /// File for the trace from assignments to redraws; `nil` to write none.
  var trace: OutputFile?
  /// Folder in which Linux lists its processes, `/proc` or a copy of it.
  var procFolder = systemProcFolder
  /// Whether to explain the options, and do nothing else.
  var showsHelp = false

  static let help = """
    Usage: Demo [options]

    Shows uptime, load, memory and the busiest processes, like top.

      --samples N         end after N samples (piped: \(samplesWhenPrinted); on a terminal: never)
      --interval SECONDS  time from one sample to the next (1)
      --rows N            number of processes (piped: \(rowsWhenPrinted); on a terminal: all that fit)
      --sort ORDER        by \(orders) (cpu)
      --graph FILE        write who observes what to FILE.dot (Graphviz) or FILE.mmd (Mermaid)
      --trace FILE        write why each line was drawn, as JSON for ui.perfetto.dev
      --proc FOLDER       read a copy of /proc, on Linux
      --help              show this text

    On a terminal:

      q, Ctrl-C           end
      arrows, page keys   select a process
      Enter               open its page, or close it; x on it: ask it to end (SIGTERM)
      /                   filter by a part of the command, or a number
      p, m, n, c          sort by cpu, memory, number or command; s: the next of them
      k                   show the threads of the kernel too, or no longer
      w                   why was the row of the selected process drawn?
      o                   who observes the selected process?
      ?                   the keys, with what they have set
      Esc                 close the answer, then the page, then remove the filter, the selection

    """

  static let systemProcFolder = "/proc"
  static let samplesWhenPrinted = 3
  static let rowsWhenPrinted = 10
  private static let orders = "cpu, memory, pid or name"

  /// Reads the arguments that follow the name of the program.
  ///
  /// A value follows its option, or `=`: `--rows 5`, `--rows=5`. What is said last counts.
  /// - Throws: ``OptionsError`` for the first argument that is wrong.
  init(arguments: some Sequence<String>) throws(OptionsError) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map(String.init)
      let name = parts.first ?? ""
      func value<Value>(
        _ expected: String, _ read: (String) -> Value?
      ) throws(OptionsError) -> Value {
        guard let text = parts.count == 2 ? parts[1] : rest.popFirst() else {
          throw OptionsError(name, needs: expected)
        }
        guard let value = read(text) else {
          throw OptionsError(name, needs: expected, not: text)
        }
        return value
      }
      func number(to limit: Int, _ expected: String) throws(OptionsError) -> Int {
        try value(expected) { Int($0).flatMap { 1...limit ~= $0 ? $0 : nil } }
      }
      switch name {
      case "--help" where parts.count == 1, "-h" where parts.count == 1:
        showsHelp = true
        return
      case "--samples": samples = try number(to: .max, "a number from 1")
      case "--rows": rows = try number(to: 10_000, "a number from 1 to 10000")
      case "--interval":
        interval = try value("seconds from 0.001 to 86400") {
          Double($0).flatMap { 0.001...86_400 ~= $0 ? $0 : nil }
        }
      case "--sort": order = try value(Self.orders, ProcessOrder.init)
      case "--graph":
        graph = try value("a file name that ends in .dot or .mmd") { path in
          let parts = path.split(separator: "/").last?.split(separator: ".") ?? []
          guard parts.count > 1, ["dot", "mmd"].contains(parts.last) else { return nil }
          return OutputFile(content: "graph", path: path)
        }
      case "--trace":
        trace = try value("a file to write") {
          $0.isEmpty ? nil : OutputFile(content: "trace", path: $0)
        }
      case "--proc": procFolder = try value("a folder") { $0 }
      default: throw OptionsError(unknown: argument)
      }
    }
  }
}
