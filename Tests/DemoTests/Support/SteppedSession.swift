import Dispatch
import ObservationController

@testable import Demo

/// A session that is stepped by hand, with the samples and the events that the test makes.
@MainActor
final class SteppedSession {
  let events = EventSource()
  let latest: AtomicObserved<SystemSample?>
  let inspected = AtomicObserved<Int?>(wrappedValue: nil)

  private let view: StepView
  private let run: Task<Summary, any Error>
  private var samples = Fixture.samples[...]

  /// Starts a session, and waits until it has opened its view.
  init(
    _ arguments: [String], on view: any MonitorView,
    latest: AtomicObserved<SystemSample?> = AtomicObserved(wrappedValue: nil),
    sender: TerminationViewModel.Sender? = nil, stopProcess: @escaping () -> Void = {}
  ) async throws {
    self.latest = latest
    self.view = StepView(view)
    let session = Session(
      options: try Options(arguments: arguments), latest: latest, inspected: inspected,
      view: self.view, sender: sender, stopProcess: stopProcess)
    run = Task { [events] in try await session.run(events) }
    await self.view.wait(forStep: 1)
  }

  /// Sets the next recorded samples in the background, and waits for each until it is drawn or the
  /// session is over. The last one is repeated.
  func sample(_ count: Int = 1) async {
    for _ in 0..<count {
      let sample = samples.count > 1 ? samples.removeFirst() : samples[samples.startIndex]
      await wait {
        DispatchQueue.global().async { [latest] in latest.wrappedValue = sample }
      }
    }
  }

  /// Waits until the changes of `body` are drawn in so many frames, or the session is over.
  func wait(forFrames count: Int = 1, after body: () -> Void) async {
    let step = view.stepCount + count
    body()
    await view.wait(forStep: step)
  }

  /// The result of the session, once it is over.
  var summary: Summary {
    get async throws { try await run.value }
  }

  /// Quits as the user does.
  func quit() async throws -> Summary {
    events.key.send("q")
    return try await summary
  }
}

/// Forwards all calls to a view, and lets a test wait for them.
private final class StepView: MonitorView {
  /// The numbers of calls of the view.
  private(set) var stepCount = 0
  private let view: any MonitorView
  private var waiting: (step: Int, continuation: CheckedContinuation<Void, Never>)?

  init(_ view: any MonitorView) {
    self.view = view
  }

  /// One waiter at a time.
  func wait(forStep step: Int, isolation: isolated (any Actor)? = #isolation) async {
    if stepCount >= step { return }
    await withCheckedContinuation { waiting = (step, $0) }
  }

  private func countStep() {
    stepCount += 1
    guard let (step, continuation) = waiting, stepCount >= step else { return }
    waiting = nil
    continuation.resume()
  }

  var size: TerminalSize { view.size }
  var isWatched: Bool { view.isWatched }
  var tally: LineTally { view.tally }

  func open() throws {
    defer { countStep() }
    try view.open()
  }

  func draw(_ lines: [DisplayLine]) throws {
    // A frame that fails is not counted: only the closing of the view counts then.
    try view.draw(lines)
    countStep()
  }

  func invalidate() { view.invalidate() }

  func close() {
    view.close()
    countStep()
  }
}
