import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Derived properties are observed as stored ones.
final class DerivedObservingTests: TestCase {
  private let figure = Figure()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_eachOption_isHonoured_equalValuesAside() {
    for rawValue in UInt8(0)..<16 {
      let options = ObservationOptions(rawValue: rawValue)
      let figure = Figure()
      let (derived, plain) = (ChangeRecorder<Int>(), ChangeRecorder<Int>())
      let controllers = [derived, plain].map { ObservationController(observer: $0) }
      controllers[0].observe(figure, \.sum, options: options, action: ChangeRecorder<Int>.record)
      controllers[1].observe(
        figure, \.plainSum, options: options, action: ChangeRecorder<Int>.record)
      figure.a = 10
      figure.b += 1
      withObservationTransaction {
        figure.a = 3
        figure.b = 4
      }
      XCTAssertEqual(derived.events, plain.events, "\(options)")
      XCTAssertGreaterThanOrEqual(derived.events.count, 3)
      withExtendedLifetime(controllers) {}
    }
  }

  func test_distinct_equalValue_isNotDelivered() {
    observations.observe(figure, \.sum, options: [.old, .distinct]) { $0.write($2) }
    withObservationTransaction {
      figure.a = 2
      figure.b = 1
    }
    figure.a = 2
    figure.a = 3
    XCTAssertEqual(recorder.events, ["3 → 4"])
  }

  func test_C26_equalValue_notifiesNoObserver_andComputesNoDependents() {
    observations.observe(figure, \.text) { $0.write("text: \($2)") }
    observations.observe(figure, \.branch) { $0.write("branch: \($2)") }
    figure.computed.clear()
    figure.a = 2
    figure.isLarge = true
    XCTAssertEqual(recorder.events, [], "the other side has the same value")
    XCTAssertEqual(figure.computed.events, ["branch"])
  }

  func test_C26_valueThatAPriorHandlerLeadsBack_isNotDelivered() {
    observations.observe(figure, \.sum, options: [.old, .prior]) { recorder, figure, change in
      recorder.write(change)
      guard change.isPrior, figure.b == 2 else { return }
      figure.b = 1
      XCTAssertEqual(figure.sum, 2)
    }
    figure.a = 2
    XCTAssertEqual(recorder.events, ["about to change from 3"])
    figure.a = 4
    XCTAssertEqual(recorder.events.dropFirst(), ["about to change from 3", "3 → 5"])
  }

  func test_C26_pathOverAValueThatAPriorHandlerLeadsBack_isNotDelivered() {
    let holder = FigureHolder()
    let figure = holder.figure
    observations.observe(holder, \.parity, options: [.old, .prior]) { recorder, _, change in
      if !change.isPrior { recorder.write("parity: \(change)") }
    }
    observations.observe(holder, \.optional?.sum, options: [.old, .prior]) { recorder, _, change in
      recorder.write(change)
      guard change.isPrior, figure.b == 2 else { return }
      figure.b = 1
      XCTAssertEqual(figure.sum, 2)
    }
    figure.a = 2
    XCTAssertEqual(recorder.takeEvents(), ["about to change from Optional(3)"])
    figure.a = 4
    XCTAssertEqual(
      recorder.takeEvents(),
      ["about to change from Optional(3)", "parity: 1 → 1", "Optional(3) → Optional(5)"])
    withObservationTransaction {
      figure.a = 10
      XCTAssertEqual(figure.sum, 11)
      figure.a = 4
    }
    XCTAssertEqual(recorder.takeEvents(), [])
    holder.optional = figure
    XCTAssertEqual(
      recorder.takeEvents(),
      ["about to change from Optional(5)", "parity: 1 → 1", "Optional(5) → Optional(5)"])
  }

  func test_C26_valueWithoutEquality_behindAnEqualOne_isNotDelivered() {
    let sample = Sample()
    observations.observe(sample, \.label) { $0.write($2.newValue.text) }
    sample.number = 1
    XCTAssertEqual(recorder.events, [])
    sample.number = 11
    sample.number = 12
    XCTAssertEqual(recorder.events, ["big"])
    sample.number = 2
    XCTAssertEqual(recorder.events, ["big", "small"])
  }

  func test_C11_observerAddedInATransaction_isNotifiedOfLaterChanges() {
    observations.observe(figure, \.sum) { $0.write("first: \($2)") }
    withObservationTransaction {
      figure.a = 10
      observations.observe(figure, \.sum, context: "second") { $0.write("second: \($2)") }
      figure.a = 20
    }
    figure.a = 30
    XCTAssertEqual(
      recorder.events, ["first: 3 → 22", "second: 12 → 22", "first: 22 → 32", "second: 22 → 32"])
  }

  func test_keyPathOfTheChange_isTheDerivedOne() {
    observations.observe(figure, \.sum, context: "context") { recorder, _, change in
      XCTAssertEqual(change.keyPath, \Figure.sum)
      XCTAssertEqual(change.context, "context")
      recorder.write(change)
    }
    figure.a = 2
    XCTAssertEqual(recorder.events, ["3 → 4"])
    XCTAssertEqual(ObservationDispatcher.shared.observedKeyPaths(of: figure), [\Figure.sum])
  }

  func test_pathThroughADerivedProperty_isFollowed() {
    final class Chooser {
      @Observed var first = Branch("first")
      @Observed var second = Branch("second")
      @Observed var takesSecond = false
      @Derived({ (chooser: Chooser) in chooser.takesSecond ? chooser.second : chooser.first })
      var chosen: Branch
    }
    let chooser = Chooser()
    observations.observe(chooser, \.chosen.name) { $0.write($2) }
    observations.observeArray(chooser, \.chosen.leaves) { $0.write("leaves: \($2.line)") }
    chooser.first.name = "1st"
    chooser.second.name = "2nd"
    chooser.takesSecond = true
    chooser.first.name = "unheard"
    chooser.second.leaves.append(Leaf("a"))
    XCTAssertEqual(
      recorder.events,
      ["first → 1st", "1st → 2nd", "leaves: setting: ", "leaves: insertion +a0: a"])
  }

  func test_observeEach_action_andDelegate() {
    observations.observeEach(figure, \.sum, \.both) { $0.write($2) }
    figure.b = 3
    figure.a = 2
    XCTAssertEqual(recorder.events, ["3 → 4", "4 → 5", "1: 2 1 → 2: 4 4"])
  }

  func test_C24_derivedFromNothingObservable_isReported() {
    final class Fixed {
      var plain = 1
      @Derived({ (fixed: Fixed) in fixed.plain + 1 }) var next: Int
    }
    let fixed = Fixed()
    let issues = collectingIssues {
      let token = observations.observe(fixed, \.next) { $0.write($2) }
      XCTAssertFalse(token.isActive)
    }
    guard case .nothingObservable(\Fixed.next, _, _)? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)")
    }
    fixed.plain = 2
    XCTAssertEqual(fixed.next, 2, "unchanged: nothing notifies of the change")
  }

  // MARK: C7 to C9

  func test_C7_handlerThatSetsADependency_getsAContiguousChain() {
    for name in ["1", "2"] {
      observations.observe(figure, \.sum, context: ObservationContext(name)) {
        recorder, figure, change in
        recorder.write("\(name): \(change)")
        if change.newValue == 12, name == "1" { figure.b = 20 }
      }
    }
    figure.a = 10
    XCTAssertEqual(recorder.events.filter { $0.hasPrefix("1") }, ["1: 3 → 12", "1: 12 → 30"])
    XCTAssertEqual(recorder.events.filter { $0.hasPrefix("2") }, ["2: 3 → 12", "2: 12 → 30"])
  }

  func test_C8_handlerThatAlwaysSetsADependency_isReported() {
    observations.observe(figure, \.double) { _, figure, _ in figure.a += 1 }
    let issues = collectingIssues { figure.a = 10 }
    guard case .cycle(\Figure.double, #fileID, _)? = issues.first else {
      return XCTFail("\(issues)")
    }
    XCTAssertEqual(figure.double, figure.a * 2)
  }

  // MARK: C13 to C18

  func test_C13_unretainedObject_withAnObservedDerivedValue_isDeallocated() {
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    assertLeavesNoObservations {
      assertReleased {
        let figure = Figure()
        controller.observe(figure, \.both) { $0.write($2) }
        figure.a = 2
        return figure
      }
    }
    XCTAssertEqual(recorder.events, ["1: 2 1 → 2: 4 4"])
  }

  func test_C13_retainedObject_stays_untilItIsUnobserved() {
    let reference = scoped { () -> Weak<Figure> in
      let figure = Figure()
      observations.observe(figure, \.both) { $0.write($2) }
      return Weak(figure)
    }
    XCTAssertNotNil(reference.object)
    observations.unobserveAll()
    XCTAssertNil(reference.object)
  }

  func test_C14_controllerDeallocated_endsTheObservation_notTheValue() {
    assertLeavesNoObservations {
      let controller = ObservationController(observer: recorder)
      controller.observe(figure, \.both) { _, _, _ in XCTFail("delivered") }
    }
    figure.a = 2
    XCTAssertEqual(figure.both, "2: 4 4")
  }

  /// The value that the new observation begins with is not dropped with the last other one.
  func test_C20_observed_whileAnotherThreadEndsTheOnlyObservation_isNotified() {
    let shared = UncheckedReference(figure)
    _ = figure.double
    for round in 1...Effort.count(quick: 200, full: 2_000) {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        let observer = SilentObserver()
        let controller = ObservationController(observer: observer)
        for _ in 0..<50 {
          controller.observe(shared.object, \.double) { _, _, _ in }.invalidate()
        }
        done.signal()
      }
      for _ in 0..<40 { observations.observe(figure, \.double) { _, _, _ in }.invalidate() }
      observations.observe(figure, \.double) { $0.write($2) }
      done.wait()
      figure.a += 1
      XCTAssertEqual(recorder.takeEvents(), ["\(2 * round) → \(2 * round + 2)"])
      observations.unobserveAll()
    }
  }

  private final class Holding {
    let things = LifetimeCounter()
    @Observed var version = 0
    @Derived({ (holding: Holding) -> LifetimeCounter.Ticket in
      _ = holding.version
      return holding.things.makeTicket()
    }) var thing: LifetimeCounter.Ticket
  }

  func test_C15_oldValues_areFreed() {
    for options: ObservationOptions in [[], [.initial, .old], [.initial, .old, .prior]] {
      let holding = Holding()
      observations.observe(holding, \.thing, options: options) { _, _, _ in }
      assertKeepsOne(holding)
      observations.unobserveAll()
      holding.version = 4
      XCTAssertEqual(holding.things.count, 0, "out of date, and not read")
    }
  }

  func test_C15_oldValues_ofPaths_andOfOneObservedTwice_areFreed() {
    let begins: [(Holding) -> Void] = [
      { [observations] in observations.observe($0, \.thing.isThere) { _, _, _ in } },
      { [observations] holding in
        for _ in 0..<2 { observations.observe(holding, \.thing) { _, _, _ in } }
      },
      { [observations] in
        let token = observations.observe($0, \.thing, context: "ended") { _, _, _ in }
        observations.observe($0, \.thing.isThere) { _, _, _ in }
        token.invalidate()
      },
    ]
    for (number, begin) in begins.enumerated() {
      let holding = Holding()
      begin(holding)
      assertKeepsOne(holding, "\(number)")
    }
  }

  private func assertKeepsOne(
    _ holding: Holding, _ message: String = "", line: UInt = #line
  ) {
    XCTAssertEqual(holding.things.count, 1, "the one that is kept", line: line)
    holding.version = 1
    XCTAssertEqual(holding.things.count, 1, message, line: line)
    withObservationTransaction {
      holding.version = 2
      holding.version = 3
    }
    XCTAssertEqual(holding.things.count, 1, message, line: line)
  }

  func test_C16_handler_isFreedWhenTheObservationEnds() {
    let handlers = LifetimeCounter()
    let token = observations.observe(figure, \.both) { [ticket = handlers.makeTicket()] _, _, _ in
      _ = ticket
    }
    figure.a = 2
    XCTAssertEqual(handlers.count, 1)
    token.invalidate()
    XCTAssertEqual(handlers.count, 0)
  }

  func test_C17_observedAgain_isOneObservation() {
    let first = observations.observe(figure, \.sum) { $0.write($2) }
    let second = observations.observe(figure, \.sum) { _, _, _ in XCTFail("delivered") }
    XCTAssertIdentical(first, second)
    figure.a = 2
    XCTAssertEqual(recorder.events, ["3 → 4"])
    XCTAssertTrue(observations.isObserving(figure, \.sum))
    observations.unobserve(figure, \.sum)
    XCTAssertFalse(observations.isObserving(figure, \.sum))
  }
}

extension Figure {
  /// The value of `sum`, without caching it.
  fileprivate var plainSum: Int { a + b }
}

private final class FigureHolder {
  let figure = Figure()
  @Observed var optional: Figure?

  init() { optional = figure }

  var parity: Int { (optional?.sum ?? 0) % 2 }
}

private final class Sample {
  /// Has no `==`.
  struct Label { let text: String }

  @Observed var number = 0
  @Derived({ (sample: Sample) in sample.number > 10 }) var isBig: Bool
  @Derived({ (sample: Sample) in Label(text: sample.isBig ? "big" : "small") }) var label: Label
}

extension LifetimeCounter.Ticket {
  fileprivate var isThere: Bool { true }
}
