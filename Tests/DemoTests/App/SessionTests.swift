import TestSupport
import XCTest

@testable import Demo

@MainActor
final class SessionTests: TestCase {
  func test_run_printed_endsAfterItsSamples() async throws {
    let view = RecordingView()
    let session = try await SteppedSession([], on: view)
    await session.sample(3)
    _ = try await session.summary
    XCTAssertEqual(view.recorder.events, ["open", "draw 15", "draw 16", "draw 16", "close"])
  }

  func test_run_oneSample_isShownAtOnce() async throws {
    let view = RecordingView()
    let session = try await SteppedSession(["--samples", "1", "--rows", "2"], on: view)
    await session.sample()
    let summary = try await session.summary
    XCTAssertEqual(view.recorder.events, ["open", "draw 8", "close"])
    XCTAssertEqual(summary.samples, 1)
  }

  func test_run_interactive_continuesUntilTheUserQuits() async throws {
    let ways: [(EventSource) -> Void] = [
      { $0.key.send("q") }, { $0.key.send("Q") }, { $0.interruption.send() },
    ]
    for leave in ways {
      let view = RecordingView(rows: 10, isWatched: true)
      let session = try await SteppedSession([], on: view)
      await session.sample(6)
      session.events.key.send("x")
      leave(session.events)
      let summary = try await session.summary
      XCTAssertEqual(summary.samples, 6)
      XCTAssertEqual(view.recorder.events.last, "close")
    }
  }

  func test_run_watchedWithLimit_leavesLastSampleUntilNextOne() async throws {
    let view = RecordingView(rows: 10, isWatched: true)
    let session = try await SteppedSession(["--samples", "2"], on: view)
    await session.sample(2)
    session.events.key.send("M")
    await session.sample()
    let summary = try await session.summary
    XCTAssertEqual(summary.samples, 2)
    XCTAssertEqual(view.recorder.events, ["open", "draw 10", "draw 10", "draw 10", "close"])
  }

  func test_run_windowSize_decidesHowManyRows() async throws {
    let view = RecordingView(rows: 20, isWatched: true)
    view.didDraw = { view.size.rows = [8, 5, 12][min($0, 2)] }
    let session = try await SteppedSession([], on: view)
    await session.sample(4)
    _ = try await session.quit()
    XCTAssertEqual(
      view.recorder.events, ["open", "draw 20", "draw 8", "draw 5", "draw 12", "close"])
  }

  func test_run_requestedRows_areLimitedByTheScreen() async throws {
    let view = RecordingView(rows: 10, isWatched: true)
    view.didDraw = { _ in view.size.rows = 8 }
    let session = try await SteppedSession(["--rows", "3"], on: view)
    await session.sample(2)
    _ = try await session.quit()
    XCTAssertEqual(view.recorder.events, ["open", "draw 10", "draw 8", "close"])
  }

  func test_run_suspension_closesAndReopensTheScreen() async throws {
    let view = RecordingView(rows: 10, isWatched: true)
    let stops = Recorder<[String]>()
    let session = try await SteppedSession(
      [], on: view, stopProcess: { stops.append(view.recorder.events) })
    await session.sample()
    session.events.suspension.send()
    XCTAssertEqual(stops.events, [["open", "draw 10", "close"]], "closed while it is stopped")
    _ = try await session.quit()
    XCTAssertEqual(view.recorder.events, ["open", "draw 10", "close", "open", "draw 10", "close"])
  }

  func test_run_resizing_drawsAllLinesAnew() async throws {
    let screen = EmulatedScreen(rows: 12, columns: 60)
    let view = TerminalView(
      sink: screen, keyboard: FakeKeyboard(), currentSize: { screen.size })
    let session = try await SteppedSession([], on: view)
    await session.sample()
    session.events.resizing.send()
    XCTAssertEqual(view.tally.shown, 24)
    XCTAssertEqual(view.tally.drawn, [.appeared: 12, .unchanged: 12])
    _ = try await session.quit()
  }

  func test_run_viewFails_closesAndThrows() async throws {
    // At a sample, and at an event.
    for fail in [
      { await $0.sample() }, { $0.events.resizing.send() }, { $0.events.suspension.send() },
    ] as [@MainActor (SteppedSession) async -> Void] {
      let view = RecordingView(isWatched: true)
      let before = liveObservations
      view.didDraw = { _ in view.error = WriteError(code: EIO) }
      do {
        let session = try await SteppedSession([], on: view)
        await session.sample()
        await fail(session)
        _ = try await session.summary
        XCTFail("the error is lost")
      } catch let error as WriteError {
        XCTAssertEqual(error.code, EIO)
      }
      XCTAssertEqual(view.recorder.events.filter { $0.hasPrefix("draw") }, ["draw 24"])
      XCTAssertEqual(view.recorder.events.last, "close")
      XCTAssertEqual(liveObservations, before)
    }
  }

  func test_run_terminal_isRestoredWhateverEndsIt() async throws {
    for leave in [{ $0.key.send("q") }, { $0.interruption.send() }] as [(EventSource) -> Void] {
      let sink = StringSink()
      let keyboard = FakeKeyboard()
      let view = TerminalView(
        sink: sink, keyboard: keyboard, currentSize: { TerminalSize(rows: 12, columns: 60) })
      let session = try await SteppedSession([], on: view)
      await session.sample(2)
      leave(session.events)
      _ = try await session.summary
      let text = sink.take()
      XCTAssertTrue(text.hasPrefix("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"))
      XCTAssertTrue(text.hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
      XCTAssertEqual(keyboard.recorder.events, ["enter", "leave"])
    }
  }

  func test_run_sortKeys_drawAtOnceWithoutASample() async throws {
    let sink = StringSink()
    let view = TerminalView(
      sink: sink, keyboard: FakeKeyboard(), currentSize: { TerminalSize(rows: 12, columns: 40) })
    let session = try await SteppedSession([], on: view)
    await session.sample()
    _ = sink.take()
    for key in ["M", "P", "P"] as [Key] { session.events.key.send(key) }
    XCTAssertEqual(sink.writes.events.count, 2, "the last key changes nothing")
    XCTAssertTrue(sink.writes.events.first!.contains("RES*"))
    XCTAssertTrue(sink.writes.events.last!.contains("%CPU*"))
    let summary = try await session.quit()
    XCTAssertEqual(summary.samples, 1)
  }

  func test_run_eachKey_actsAsTheHelpSays() async throws {
    let screen = EmulatedScreen(rows: 24, columns: 80, isUnicode: true)
    let view = TerminalView(
      sink: screen, keyboard: FakeKeyboard(), currentSize: { screen.size })
    let session = try await SteppedSession([], on: view)
    await session.sample(2)
    func press(_ keys: Key...) -> [String] {
      for key in keys { session.events.key.send(key) }
      return screen.lines
    }
    func rows() -> [String] {
      screen.lines.drop { !$0.contains("COMMAND") }.dropFirst().prefix { !$0.isEmpty }
        .map { String($0.prefix(7)).trimmingCharacters(in: .whitespaces) }
    }
    let byProcessor = rows()
    XCTAssertEqual(byProcessor.count, 10, "without the thread of the kernel")
    XCTAssertTrue(press("n").contains { $0.contains("PID*") })
    XCTAssertEqual(rows(), byProcessor.sorted { Int($0)! < Int($1)! })
    XCTAssertTrue(press("c").contains { $0.contains("COMMAND*") })
    XCTAssertTrue(press("s").contains { $0.contains("%CPU*") }, "the one after the last")
    _ = press("k")
    XCTAssertEqual(rows().count, 11)
    _ = press("k")
    XCTAssertEqual(rows(), byProcessor)

    _ = press("/", "s", "w", "q")
    XCTAssertEqual(rows(), [])
    XCTAssertTrue(screen.lines.last!.hasPrefix(" Filter  swq_"))
    _ = press(.backspace, "i", .enter)
    XCTAssertEqual(rows(), ["1200"])
    XCTAssertTrue(press("?").contains(" /     filter by command or number: swi"))
    _ = press(.escape, .escape)
    XCTAssertEqual(rows(), byProcessor, "the first closes the keys, the second removes the filter")
    _ = press("/", "x", .escape)
    XCTAssertEqual(rows(), byProcessor)

    _ = press(.end)
    XCTAssertEqual(
      screen.styles(inRow: 6).count { $0.hasPrefix("30;46") }, 1, "the first is selected")
    _ = press(.end)
    XCTAssertEqual(screen.styles(inRow: 15).count { $0.hasPrefix("30;46") }, 1)
    _ = press(.up, .pageUp, .pageDown, .home, .down)
    XCTAssertEqual(screen.styles(inRow: 7).count { $0.hasPrefix("30;46") }, 1)
    XCTAssertTrue(press("w").contains { $0.hasPrefix(" Why was the row of process 1800 drawn?") })
    XCTAssertTrue(press("o").contains { $0.hasPrefix(" Who observes process 1800?") })
    XCTAssertFalse(press(.escape).contains { $0.contains("1800?") })
    XCTAssertEqual(screen.styles(inRow: 7).count { $0.hasPrefix("30;46") }, 1, "still selected")
    _ = press(.escape)
    XCTAssertEqual(screen.styles(inRow: 7).count { $0.hasPrefix("30;46") }, 0)
    let summary = try await session.quit()
    XCTAssertEqual(summary.samples, 2)
  }

  func test_summary_recordedSession_countsSamplesAndLines() async throws {
    let before = liveObservations
    let view = TerminalView(
      sink: StringSink(), keyboard: FakeKeyboard(),
      currentSize: { TerminalSize(rows: 8, columns: 60) })
    let session = try await SteppedSession(["--samples", "2"], on: view)
    await session.sample(3)
    let summary = try await session.summary
    XCTAssertEqual(summary.samples, 2)
    XCTAssertEqual(summary.lines.shown, 16, "8 lines in 2 frames")
    XCTAssertEqual(summary.lines[.appeared], 10, "all of the first, and two processes")
    XCTAssertEqual(summary.liveObservations, before)
  }
}
