import Observation
import ObservationController
import TestSupport
import XCTest

/// Changes inside of `onChange` closures and of deliveries: every observer sees one contiguous
/// chain (C7).
final class TrackedReentrancyTests: TestCase {
  private let author = TrackedAuthor("a")
  private let recorder = LineRecorder()

  private func observe(
    _ observations: ObservationController<LineRecorder>, _ name: String,
    _ options: ObservationOptions = .old
  ) {
    observations.observe(author, \.name, options: options, context: .init(name)) {
      recorder, author, change in
      recorder.write("\(name) \(change.oldValue ?? "?")→\(change.newValue), is \(author.name)")
    }
  }

  /// Runs `body` before the next change of the name; once, since tracking ends with it.
  private func beforeNextChange(
    of author: TrackedAuthor? = nil, _ body: @escaping (TrackedAuthor) -> Void
  ) {
    let author = UncheckedReference(author ?? self.author)
    let action = Guarded<UncheckedReference<Action>?>(UncheckedReference(Action(body)))
    withObservationTracking {
      _ = author.object.name
    } onChange: {
      let taken = action.withLock { action in
        defer { action = nil }
        return action
      }
      taken?.object.run(author.object)
    }
  }

  func test_onChange_setsTheProperty_makesAChangeBeforeTheOtherOne() {
    for options in [.old, [.old, .prior]] as [ObservationOptions] {
      let (author, recorder) = (TrackedAuthor("a"), LineRecorder())
      let observations = ObservationController(observer: recorder)
      observations.observe(author, \.name, options: options) { recorder, author, change in
        guard !change.isPrior else { return }
        recorder.write("\(change.oldValue ?? "?")→\(change.newValue), is \(author.name)")
      }
      beforeNextChange(of: author) { $0.name = "inner" }
      author.name = "outer"
      XCTAssertEqual(recorder.events, ["a→inner, is inner", "inner→outer, is outer"])
    }
  }

  func test_onChange_ofAMutationInPlace_setsTheProperty_isOneChain() {
    let observations = ObservationController(observer: recorder)
    observe(observations, "1")
    beforeNextChange { $0.name = "inner" }
    author.name += "!"
    XCTAssertEqual(recorder.events, ["1 a→inner, is inner", "1 inner→inner!, is inner!"])
  }

  func test_handler_setsTheProperty_isDeliveredLater_andTrackedAtOnce() {
    let observations = ObservationController(observer: recorder)
    observations.observe(author, \.name, context: "setter") { recorder, author, change in
      guard change.newValue == "b" else { return }
      recorder.track("tracked c") { author.name }
      author.name = "c"
      recorder.write("set c")
    }
    observe(observations, "2")
    recorder.track("tracked b") { author.name }
    author.name = "b"
    XCTAssertEqual(
      recorder.events, ["tracked b", "tracked c", "set c", "2 a→b, is c", "2 b→c, is c"])
  }

  func test_handler_beginsTracking_isNotifiedOfTheNextChangeOnly() {
    let observations = ObservationController(observer: recorder)
    observations.observe(author, \.name) { recorder, author, change in
      recorder.track("tracked after \(change.newValue)") { author.name }
    }
    author.name = "b"
    XCTAssertEqual(recorder.events, [])
    author.name = "c"
    XCTAssertEqual(recorder.events, ["tracked after b"])
  }

  func test_onChange_beginsToObserve_isNotifiedOfTheChange() {
    let observations = ObservationController(observer: recorder)
    beforeNextChange { [self] _ in observe(observations, "1", [.old, .initial]) }
    author.name = "b"
    XCTAssertEqual(recorder.events, ["1 ?→a, is a", "1 a→b, is b"])
  }

  func test_onChange_endsAnObservation_isNotNotifiedOfTheChange() {
    let observations = ObservationController(observer: recorder)
    observe(observations, "1")
    observe(observations, "2")
    beforeNextChange { observations.unobserve($0, \.name, context: "1") }
    author.name = "b"
    XCTAssertEqual(recorder.events, ["2 a→b, is b"])
  }

  func test_twoProperties_thatSetEachOther_areDeliveredInOrder() {
    let observations = ObservationController(observer: recorder)
    observe(observations, "1")
    observations.observe(author, \.name) { _, author, _ in author.count += 1 }
    observations.observe(author, \.count) { recorder, author, change in
      recorder.write("count \(change.newValue)")
      if change.newValue < 3 { author.name += "!" }
    }
    author.name = "b"
    XCTAssertEqual(
      recorder.events,
      [
        "1 a→b, is b", "count 1", "1 b→b!, is b!", "count 2", "1 b!→b!!, is b!!", "count 3",
      ])
  }

  func test_propertySetByItsOwnHandler_stopsWithAnIssue_andTheLastValueStays() {
    let observations = ObservationController(observer: recorder)
    observations.observe(author, \.count) { _, author, _ in author.count += 1 }
    let issues = collectingIssues { author.count = 1 }
    XCTAssertEqual(issues.count, 1)
    guard case .cycle = issues.first else { return XCTFail("\(issues)") }
    XCTAssertEqual(author.count, 101)
  }

  func test_deinitOfAnOldValue_setsTheProperty_isAChangeOfItsOwn() {
    let holder = TrackedHolder()
    let observations = ObservationController(observer: recorder)
    observations.observe(holder, \.part) { recorder, _, change in
      recorder.write("\(change.newValue?.name ?? "-")")
    }
    holder.part = TrackedPart("a") { [unowned holder] in holder.part = TrackedPart("c") {} }
    holder.part = TrackedPart("b") {}
    XCTAssertEqual(recorder.events, ["a", "b", "c"])
    XCTAssertEqual(holder.part?.name, "c")
  }
}

private final class Action {
  let run: (TrackedAuthor) -> Void

  init(_ run: @escaping (TrackedAuthor) -> Void) { self.run = run }
}

private final class TrackedHolder: Observable {
  @TrackedObserved var part: TrackedPart?
}

/// Performs an action in its `deinit`.
private final class TrackedPart {
  let name: String
  private let onDeinit: () -> Void

  init(_ name: String, onDeinit: @escaping () -> Void) {
    (self.name, self.onDeinit) = (name, onDeinit)
  }

  deinit { onDeinit() }
}
