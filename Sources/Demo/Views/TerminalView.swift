/// Draws on a terminal in place: after the first frame only the lines that are new or marked.
///
/// The terminal itself moves all others, up where a line is deleted and down where one is
/// inserted.
///
/// While it is open the terminal shows its other screen, without a cursor, and gives keys
/// away as they are pressed. ``close()`` takes all of it back.
final class TerminalView: MonitorView {
  private(set) var tally = LineTally()
  let isWatched = true

  private let sink: any TextSink
  private let keyboard: any KeyboardMode
  private let palette: Palette
  private let currentSize: () -> TerminalSize
  private var isOpen = false
  /// The lines on the screen, from the top down.
  private var drawn: [DisplayLine] = []
  /// The size for which the screen was last drawn; `nil` while the screen is not drawn.
  private var drawnSize: TerminalSize?

  /// - Parameter currentSize: Asked at each frame, so that a frame fits the window as it is.
  init(
    sink: any TextSink, keyboard: any KeyboardMode, palette: Palette = .colored,
    currentSize: @escaping () -> TerminalSize
  ) {
    (self.sink, self.keyboard) = (sink, keyboard)
    (self.palette, self.currentSize) = (palette, currentSize)
  }

  var size: TerminalSize { currentSize() }

  func open() throws {
    guard !isOpen else { return }
    isOpen = true
    invalidate()
    keyboard.enter()
    try sink.write(TerminalSequence.begin)
  }

  func draw(_ lines: [DisplayLine]) throws {
    let size = currentSize()
    let visible = Array(lines.prefix(size.rows))
    var text = ""
    if size != drawnSize {
      text += TerminalSequence.clearScreen
      drawn = []
    }
    let (rearrangement, newRows) = rearrange(to: visible)
    text += rearrangement
    for (row, line) in visible.enumerated() where line.isMarked || newRows.contains(row) {
      // Clear first: behind a line of full width the cursor stands on its last character,
      // and clearing from there would take that away.
      text += TerminalSequence.moveCursor(toRow: row) + TerminalSequence.clearLine
      text += styled(line, columns: size.columns)
      tally.add(line)
      line.unmark()
    }
    tally.shown += visible.count
    drawn = visible
    drawnSize = size
    // All at once, so that the terminal does not show half a frame.
    if !text.isEmpty { try sink.write(text) }
  }

  func invalidate() { drawnSize = nil }

  func close() {
    guard isOpen else { return }
    isOpen = false
    // This fails only for a closed terminal, of which nothing needs to be restored.
    try? sink.write(TerminalSequence.end)
    keyboard.leave()
  }

  /// Takes the lines that left off the screen, and makes room for those that came.
  ///
  /// No line that stays is pushed off the screen in between: first all that leave go, from the last
  /// to the first, and then each that comes takes the place where it will be in the end.
  ///
  /// - Returns: What to write, and the rows that are to be drawn then.
  private func rearrange(to visible: [DisplayLine]) -> (text: String, newRows: Set<Int>) {
    // Of two lines that changed places, the one moves that is marked, and is drawn in any case.
    let difference = visible.difference(from: drawn) { $0 === $1 && $0.change != .moved }
    var text = ""
    for case .remove(let row, _, _) in difference.removals.reversed() {
      text += TerminalSequence.moveCursor(toRow: row) + TerminalSequence.deleteLine
    }
    var newRows: Set<Int> = []
    let keptCount = drawn.count - difference.removals.count
    for case .insert(let row, _, _) in difference.insertions {
      // Below the last line there is room.
      if row < keptCount + newRows.count {
        text += TerminalSequence.moveCursor(toRow: row) + TerminalSequence.insertLine
      }
      newRows.insert(row)
    }
    return (text, newRows)
  }

  private func styled(_ line: DisplayLine, columns: Int) -> String {
    var rest = columns
    var text = ""
    let background = palette.sequence(line.background)
    for run in line.text.runs where rest > 0 {
      let (clipped, width) = PrintableText.clipping(run.text, toColumns: rest)
      rest -= width
      // On a background all styles look alike: not every colour can be read on every other one.
      let style = background == nil ? palette.sequence(run.style) : nil
      text += style.map { $0 + clipped + TerminalSequence.normal } ?? clipped
    }
    guard let background else { return text }
    return background + text + String(repeating: " ", count: rest) + TerminalSequence.normal
  }
}
