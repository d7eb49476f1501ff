import TestSupport
import XCTest

@testable import Demo

/// The page of a process, from the keys to the screen. No signal is sent: the sender is a double.
@MainActor
final class SessionPageTests: TestCase {
  private let screen = EmulatedScreen(rows: 24, columns: 80, isUnicode: true)
  private lazy var view = TerminalView(
    sink: screen, keyboard: FakeKeyboard(), currentSize: { [screen] in screen.size })

  func test_page_enterAndEscape_openAndCloseIt() async throws {
    let session = try await start()
    let table = screen.lines
    for key in [Key.enter, .escape] {
      press(session, .home, .enter)
      XCTAssertTrue(screen.lines.contains { $0.hasPrefix(" Process ") })
      XCTAssertTrue(screen.lines.contains { $0.hasPrefix("Threads ") })
      XCTAssertFalse(screen.lines.contains { $0.contains("COMMAND") })
      XCTAssertNotNil(session.inspected.wrappedValue)
      XCTAssertEqual(screen.lines.last, table.last, "the keys stay")
      press(session, key)
      XCTAssertEqual(screen.lines, table)
      XCTAssertNil(session.inspected.wrappedValue)
    }
    let before = screen.lines
    press(session, .enter, "s", "/", "k", "y", .enter)
    XCTAssertEqual(screen.lines, before, "what is behind the page stays as it is")
    _ = try await session.quit()
  }

  func test_page_arrows_turnToTheNextProcess() async throws {
    let session = try await start()
    press(session, .enter)
    let first = title
    press(session, .down)
    XCTAssertNotEqual(title, first)
    XCTAssertEqual(title, session.inspected.wrappedValue.map { " Process \($0)" })
    press(session, "w")
    XCTAssertTrue(screen.lines.contains { $0.hasPrefix(" Why was the row of process ") })
    press(session, .escape)
    XCTAssertNotNil(title, "closes the answer first")
    press(session, .up)
    XCTAssertEqual(title, first)
    await session.sample()
    XCTAssertEqual(title, first, "whatever its new place is")
    let summary = try await session.quit()
    XCTAssertEqual(summary.samples, 3)
  }

  func test_page_x_sendsNothingBeforeTheAnswer() async throws {
    let before = liveObservations
    let sent = Recorder<Int>()
    let session = try await start { identifier in
      sent.append(identifier)
      return nil
    }
    press(session, "x", "y")
    XCTAssertEqual(sent.events, [], "there is no page")
    press(session, .enter, "x")
    XCTAssertTrue(screen.lines.contains { $0.hasPrefix(" Send SIGTERM to process ") })
    press(session, "q")
    XCTAssertEqual(sent.events, [], "any other key, also one that has a meaning")
    XCTAssertNotNil(title)
    press(session, "x", .escape, "y", "x", .down, "y")
    XCTAssertEqual(sent.events, [])
    press(session, "x", "y")
    XCTAssertEqual(sent.events, [session.inspected.wrappedValue!])
    XCTAssertTrue(screen.lines.contains { $0.hasPrefix(" SIGTERM was sent to process ") })
    let summary = try await session.quit()
    XCTAssertEqual(summary.liveObservations, before, "with the page open")
  }

  private var title: String? { screen.lines.first { $0.hasPrefix(" Process ") } }

  private func start(
    sender: TerminationViewModel.Sender? = nil
  ) async throws -> SteppedSession {
    let session = try await SteppedSession([], on: view, sender: sender)
    await session.sample(2)
    session.events.key.send(.home)
    return session
  }

  private func press(_ session: SteppedSession, _ keys: Key...) {
    for key in keys { session.events.key.send(key) }
  }
}
