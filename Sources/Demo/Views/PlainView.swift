/// Prints every frame in full, one after the other: for pipes, files and simple terminals.
final class PlainView: MonitorView {
  private(set) var tally = LineTally()
  let isWatched = false

  private let sink: any TextSink
  let size: TerminalSize
  private var isFirstFrame = true

  /// - Parameter columns: Where lines are cut off: command lines can be very long.
  init(sink: any TextSink, columns: Int = 120) {
    self.sink = sink
    size = TerminalSize(rows: TerminalSize.usual.rows, columns: columns)
  }

  func open() {}
  func invalidate() {}
  func close() {}

  func draw(_ lines: [DisplayLine]) throws {
    var text = isFirstFrame ? "" : "\n"
    for line in lines {
      text += PrintableText.clipping(line.text.text, toColumns: size.columns).text + "\n"
      tally.add(line)
      line.unmark()
    }
    tally.shown += lines.count
    isFirstFrame = false
    try sink.write(text)
  }
}
