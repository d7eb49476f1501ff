import Dispatch
import ObservationController
import TestSupport
import XCTest

@testable import Demo

/// A session and its sampler in the background.
@MainActor
final class SessionSamplingTests: TestCase {
  func test_run_whileASampleIsTaken_handlesKeysAndQuits() async throws {
    let before = liveObservations
    let (reader, queue) = (SteppedReader(), DispatchQueue(label: "SessionSamplingTests"))
    let sampler = BackgroundSampler(reader: reader, queue: queue)
    let view = RecordingView(rows: 10, isWatched: true)
    let session = try await SteppedSession([], on: view, latest: sampler.latest)
    let clock = sampler.start(every: 86_400)
    reader.waitForReading()

    session.events.key.send("M")
    session.events.resizing.send()
    XCTAssertEqual(view.recorder.events, ["open", "draw 10", "invalidate", "draw 10"])
    let summary = try await session.quit()
    XCTAssertEqual(summary.samples, 0)
    XCTAssertEqual(summary.liveObservations, before)
    XCTAssertEqual(view.recorder.events.last, "close")
    XCTAssertNil(sampler.latest.wrappedValue, "the session did not wait for it")

    clock.cancel()
    reader.endReading()
    await withCheckedContinuation { done in queue.async { done.resume() } }
    XCTAssertEqual(sampler.latest.wrappedValue?.uptime, 60)
    XCTAssertEqual(view.recorder.events.last, "close")
    XCTAssertEqual(liveObservations, before)
  }

  func test_run_severalSamplesWhileAFrameIsDrawn_showsTheNewestAlone() async throws {
    let sink = StringSink()
    let view = TerminalView(
      sink: sink, keyboard: FakeKeyboard(), currentSize: { TerminalSize(rows: 1, columns: 20) })
    let session = try await SteppedSession(["--samples", "3"], on: view)
    sink.didWrite = { [latest = session.latest, sink] in
      sink.didWrite = {}
      for minutes in 2...9 { latest.wrappedValue = .stub(minutesUp: minutes) }
    }
    await session.wait(forFrames: 2) { session.latest.wrappedValue = .stub(minutesUp: 1) }
    await session.wait { session.latest.wrappedValue = .stub(minutesUp: 10) }
    XCTAssertEqual(
      sink.take().matches(of: #/\d\d:\d\d/#).map(\.output),
      ["00:01", "00:09", "00:10"])
    let summary = try await session.quit()
    XCTAssertEqual(summary.samples, 3)
  }

  func test_run_sampleTakenBeforeIt_isShownAtOnce() async throws {
    let view = RecordingView()
    let latest = AtomicObserved<SystemSample?>(wrappedValue: .stub(minutesUp: 1))
    let session = try await SteppedSession(["--samples", "1"], on: view, latest: latest)
    let summary = try await session.summary
    XCTAssertEqual(summary.samples, 1)
    XCTAssertEqual(view.recorder.events, ["open", "draw 5", "close"])
  }
}

extension SystemSample {
  fileprivate static func stub(minutesUp: Int) -> Self {
    SystemSample(uptime: Double(minutesUp * 60))
  }
}
