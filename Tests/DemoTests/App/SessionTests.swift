import XCTest

@testable import Demo

@MainActor
final class SessionTests: XCTestCase {
  func test_run_printed_endsAfterItsSamples() async throws {
    let view = RecordingView()
    _ = try await run([], on: view, events: [.tick, .tick, .tick, .tick, .tick])
    XCTAssertEqual(view.history, ["open", "draw 16", "draw 16", "draw 16", "close"])
  }

  func test_run_oneSample_needsNoTick() async throws {
    let view = RecordingView()
    let summary = try await run(["--samples", "1", "--rows", "2"], on: view, events: [])
    XCTAssertEqual(view.history, ["open", "draw 8", "close"])
    XCTAssertEqual(summary.samples, 1)
  }

  func test_run_watched_goesOnUntilSomebodyLeaves() async throws {
    for last in [Event.key("q"), .key("Q"), .interruption] {
      let view = RecordingView(lineCapacity: 10, isWatched: true)
      let summary = try await run(
        [], on: view, events: Array(repeating: .tick, count: 5) + [.key("x"), last, .tick])
      XCTAssertEqual(summary.samples, 6)
      XCTAssertEqual(view.history.last, "close")
    }
  }

  func test_run_watchedWithLimit_leavesLastSampleUntilNextTick() async throws {
    let view = RecordingView(lineCapacity: 10, isWatched: true)
    let summary = try await run(
      ["--samples", "2"], on: view, events: [.tick, .key("M"), .tick, .tick])
    XCTAssertEqual(summary.samples, 2)
    XCTAssertEqual(view.history, ["open", "draw 10", "draw 10", "draw 10", "close"])
  }

  func test_run_eventsEnd_endsIt() async throws {
    let view = RecordingView(isWatched: true)
    _ = try await run([], on: view, events: [.tick])
    XCTAssertEqual(view.history.last, "close")
  }

  func test_run_windowSize_decidesHowManyRows() async throws {
    let view = RecordingView(lineCapacity: 20, isWatched: true)
    view.didDraw = { view.lineCapacity = [8, 3, 12][min($0, 2)] }
    _ = try await run([], on: view, events: [.tick, .tick, .tick])
    XCTAssertEqual(
      view.history, ["open", "draw 16", "draw 8", "draw 6", "draw 12", "close"],
      "at first all 10 processes fit")
  }

  func test_run_rowsAskedFor_areAtMostWhatFits() async throws {
    let view = RecordingView(lineCapacity: 10, isWatched: true)
    view.didDraw = { _ in view.lineCapacity = 8 }
    _ = try await run(["--rows", "3"], on: view, events: [.tick])
    XCTAssertEqual(view.history, ["open", "draw 9", "draw 8", "close"])
  }

  func test_run_suspension_closesStopsAndOpensAgain() async throws {
    let view = RecordingView(lineCapacity: 10, isWatched: true)
    var stops: [[String]] = []
    _ = try await run([], on: view, events: [.suspension]) { stops.append(view.history) }
    XCTAssertEqual(stops, [["open", "draw 10", "close"]], "closed while it is stopped")
    XCTAssertEqual(view.history, ["open", "draw 10", "close", "open", "draw 10", "close"])
  }

  func test_run_resizing_drawsAllLinesAnew() async throws {
    let screen = EmulatedScreen(rows: 12, columns: 60)
    let view = TerminalView(
      sink: screen, keyboard: FakeKeyboard(), currentSize: { screen.size })
    _ = try await run([], on: view, events: [.resizing])
    XCTAssertEqual(view.tally, LineTally(shown: 24, drawn: [.appeared: 12, .unchanged: 12]))
  }

  func test_run_viewFails_closesAndThrows() async throws {
    let view = RecordingView(isWatched: true)
    let before = liveObservations
    view.didDraw = { _ in view.error = WriteError(code: EIO) }
    do {
      _ = try await run([], on: view, events: [.tick, .tick])
      XCTFail("the error is lost")
    } catch let error as WriteError {
      XCTAssertEqual(error.code, EIO)
    }
    XCTAssertEqual(view.history, ["open", "draw 16", "close"])
    XCTAssertEqual(liveObservations, before)
  }

  func test_run_terminal_isRestoredWhateverEndsIt() async throws {
    for last in [Event.key("q"), .interruption] {
      let sink = StringSink()
      let keyboard = FakeKeyboard()
      let view = TerminalView(
        sink: sink, keyboard: keyboard, currentSize: { TerminalSize(rows: 12, columns: 60) })
      _ = try await run([], on: view, events: [.tick, last])
      let text = sink.take()
      XCTAssertTrue(text.hasPrefix("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"))
      XCTAssertTrue(text.hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
      XCTAssertEqual(keyboard.history, ["enter", "leave"])
    }
  }

  func test_run_sortKeys_drawAtOnceWithoutASample() async throws {
    let sink = StringSink()
    let view = TerminalView(
      sink: sink, keyboard: FakeKeyboard(), currentSize: { TerminalSize(rows: 7, columns: 40) })
    let summary = try await run([], on: view, events: [.key("M"), .key("P"), .key("P")])
    XCTAssertEqual(summary.samples, 1)
    let frames = sink.writes.dropFirst(2).dropLast()
    XCTAssertEqual(frames.count, 2, "the last key changes nothing")
    XCTAssertTrue(frames.first!.contains("RES*"))
    XCTAssertTrue(frames.last!.contains("%CPU*"))
  }

  func test_summary_recordedSession_countsWhatHappened() async throws {
    let before = liveObservations
    let view = TerminalView(
      sink: StringSink(), keyboard: FakeKeyboard(),
      currentSize: { TerminalSize(rows: 8, columns: 60) })
    // The third sample is the second again: only the rates change, for no time has passed.
    let summary = try await run(["--samples", "2"], on: view, events: [.tick])
    XCTAssertEqual(summary.samples, 2)
    // 16 lines in 2 frames. All 8 of the first; of the second load, tasks and both processes, for the
    // memory is 100 KiB less, which no MiB shows, the uptime is of the same minute, and nobody else
    // is the busiest.
    XCTAssertEqual(
      summary.lines, LineTally(shown: 16, drawn: [.appeared: 8, .started: 1, .changed: 3]))
    XCTAssertEqual(summary.liveObservations, before)
  }

  private func run(
    _ arguments: [String], on view: any MonitorView, events: [Event],
    stopProcess: @escaping () -> Void = {}
  ) async throws -> Summary {
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    for event in events { continuation.yield(event) }
    continuation.finish()
    let session = Session(
      options: try Options(arguments: arguments),
      reader: ReplayReader(recorded: "first", "second"), view: view, stopProcess: stopProcess)
    return try await session.run(stream)
  }
}
