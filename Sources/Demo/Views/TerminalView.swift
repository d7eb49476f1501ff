/// Draws on a terminal in place: after the first frame only the lines that are marked.
///
/// While it is open the terminal shows its other screen, without a cursor, and gives keys
/// away as they are pressed. ``close()`` takes all of it back.
final class TerminalView: MonitorView {
  private(set) var tally = LineTally()
  let isWatched = true

  private let sink: any TextSink
  private let keyboard: any KeyboardMode
  private let currentSize: () -> TerminalSize
  private var isOpen = false
  /// What the screen was last drawn for; `nil` if nothing of ours is on it.
  private var drawnSize: TerminalSize?
  private var drawnLineCount = 0

  /// - Parameter currentSize: Asked at each frame, so that a frame fits the window as it is.
  init(
    sink: any TextSink, keyboard: any KeyboardMode, currentSize: @escaping () -> TerminalSize
  ) {
    self.sink = sink
    self.keyboard = keyboard
    self.currentSize = currentSize
  }

  var lineCapacity: Int? { currentSize().rows }

  func open() throws {
    guard !isOpen else { return }
    isOpen = true
    drawnSize = nil
    keyboard.enter()
    try sink.write(
      TerminalSequence.enterOtherScreen + TerminalSequence.hideCursor
        + TerminalSequence.stopWrapping)
  }

  func draw(_ lines: [DisplayLine]) throws {
    let size = currentSize()
    let isNew = size != drawnSize
    let visible = lines.prefix(size.rows)
    var text = isNew ? TerminalSequence.clearScreen : ""
    for (row, line) in visible.enumerated() where isNew || line.isMarked {
      // Clear first: behind a line of full width the cursor stands on its last character,
      // and clearing from there would take that away.
      text += TerminalSequence.moveCursor(toRow: row) + TerminalSequence.clearLine
      text += styled(line, columns: size.columns)
      tally.redrawn += 1
      if line.isMarked { tally.changed += 1 }
      line.unmark()
    }
    if !isNew, visible.count < drawnLineCount {
      text += TerminalSequence.moveCursor(toRow: visible.count) + TerminalSequence.clearBelow
    }
    tally.shown += visible.count
    drawnSize = size
    drawnLineCount = visible.count
    // All at once, so that the terminal does not show half a frame.
    if !text.isEmpty { try sink.write(text) }
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    // When this fails the terminal is gone, and with it what there is to restore.
    try? sink.write(
      TerminalSequence.startWrapping + TerminalSequence.showCursor
        + TerminalSequence.leaveOtherScreen)
    keyboard.leave()
  }

  private func styled(_ line: DisplayLine, columns: Int) -> String {
    let text = PrintableText.clipping(line.text, toColumns: columns)
    switch line.style {
    case .plain:
      return text
    case .heading:
      let rest = String(repeating: " ", count: max(columns - text.count, 0))
      return TerminalSequence.reverse + text + rest + TerminalSequence.normal
    }
  }
}
