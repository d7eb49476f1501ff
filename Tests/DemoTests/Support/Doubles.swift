import TestSupport

@testable import Demo

/// Keeps the text written to it.
final class StringSink: TextSink {
  let writes = LineRecorder()
  var error: WriteError?
  /// Called after each text.
  var didWrite: () -> Void = {}

  func write(_ text: String) throws {
    if let error { throw error }
    writes.write(text)
    didWrite()
  }

  /// All text written since the last call.
  func take() -> String {
    writes.takeEvents().joined()
  }
}

/// Records whether the keyboard has been restored.
final class FakeKeyboard: KeyboardMode {
  let recorder = LineRecorder()

  func enter() { recorder.write("enter") }
  func leave() { recorder.write("leave") }
}

/// Records the lines marked at each frame.
final class RecordingView: MonitorView {
  var size: TerminalSize
  var isWatched: Bool
  private(set) var tally = LineTally()
  let recorder = LineRecorder()
  /// Called at each frame, with its number from 0.
  var didDraw: (Int) -> Void = { _ in }
  var error: WriteError?
  private var frameCount = 0

  init(rows: Int = 24, isWatched: Bool = false) {
    size = TerminalSize(rows: rows, columns: 80)
    self.isWatched = isWatched
  }

  func open() { recorder.write("open") }

  func draw(_ lines: [DisplayLine]) throws {
    if let error { throw error }
    recorder.write("draw \(lines.count)")
    for line in lines { line.unmark() }
    frameCount += 1
    didDraw(frameCount - 1)
  }

  func invalidate() { recorder.write("invalidate") }
  func close() { recorder.write("close") }
}

extension Key: ExpressibleByUnicodeScalarLiteral {
  public init(unicodeScalarLiteral scalar: Unicode.Scalar) {
    self = .character(Character(scalar))
  }
}

/// The marked lines by their number, with their texts; unmarks them.
func takeMarked(_ lines: [DisplayLine]) -> [String] {
  lines.enumerated().compactMap { index, line in
    guard line.isMarked else { return nil }
    line.unmark()
    return "\(index) \(line.text.text)"
  }
}

/// The reasons for which lines are marked, by their number and with their texts; unmarks them.
func takeChanges(_ lines: [DisplayLine]) -> [String] {
  let changes = lines.map(\.change)
  return takeMarked(lines).map { marked in
    let index = Int(marked.prefix { $0 != " " })!
    return "\(changes[index].rawValue) \(marked)"
  }
}

extension ProcessSample {
  /// A process with the fields that a test needs.
  static func stub(
    _ identifier: Int, cpu: Double = 0, bytes: Int = 0, state: ProcessState = .sleeping,
    command: String? = nil, isKernelThread: Bool = false
  ) -> ProcessSample {
    ProcessSample(
      processIdentifier: identifier, state: state, processorPercent: cpu, residentBytes: bytes,
      command: command ?? "p\(identifier)", isKernelThread: isKernelThread)
  }
}
