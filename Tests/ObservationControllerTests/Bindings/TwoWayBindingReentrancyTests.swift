import ObservationController
import TestSupport
import XCTest

/// Two-way bindings converge, for all values that handlers and converters set meanwhile.
final class TwoWayBindingReentrancyTests: TestCase {
  private let (a, b, c) = (Dial(1), Dial(1), Dial(1))
  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  private func observe(_ dial: Dial, _ act: @escaping (Dial, Int) -> Void) {
    observations.observe(dial, \.value, context: ObservationContext()) { _, dial, change in
      act(dial, change.newValue)
    }
  }

  private func bind(_ first: Dial, _ second: Dial, lossy: Bool = false) {
    if lossy {
      observations.bindTwoWay(
        first, \.value, with: second, \.value, forward: Degrees.celsius,
        backward: Degrees.fahrenheit)
    } else {
      observations.bindTwoWay(first, \.value, with: second, \.value)
    }
  }

  // MARK: Clamping

  func test_bindTwoWay_handlerThatClamps_atEitherEnd_isCarriedOver() {
    for (isBefore, clampsFirst, setsFirst) in allCases {
      let (a, b) = (Dial(1), Dial(1))
      func clamp() {
        observe(clampsFirst ? a : b) { dial, value in if value > 100 { dial.value = 100 } }
      }
      if isBefore { clamp() }
      bind(a, b)
      if !isBefore { clamp() }
      assertNoIssues { (setsFirst ? a : b).value = 150 }
      XCTAssertEqual([a.value, b.value], [100, 100], "\(isBefore) \(clampsFirst) \(setsFirst)")
      (setsFirst ? b : a).value = 50
      XCTAssertEqual([a.value, b.value], [50, 50], "\(isBefore) \(clampsFirst) \(setsFirst)")
    }
  }

  private var allCases: [(Bool, Bool, Bool)] {
    (0..<8).map { ($0 & 1 != 0, $0 & 2 != 0, $0 & 4 != 0) }
  }

  func test_bindTwoWay_clampingHandler_duringTheOthersDelivery_isCarriedOver() {
    // `b` is set while it is being delivered, so that its value is carried over later (C7).
    observe(b) { [a] _, value in if value == 7 { a.value = 150 } }
    bind(a, b)
    observe(b) { b, value in if value > 100 { b.value = 100 } }
    assertNoIssues { b.value = 7 }
    XCTAssertEqual([a.value, b.value], [100, 100])
  }

  func test_bindTwoWay_handlerThatClamps_withLoss_keepsTheClampedValue() {
    bind(a, b, lossy: true)
    observe(b) { b, value in if value > 20 { b.value = 20 } }
    a.value = 200
    XCTAssertEqual([a.value, b.value], [68, 20])
    a.value = 69
    XCTAssertEqual([a.value, b.value], [69, 20])
  }

  func test_bindTwoWay_setterThatClamps_isCarriedOver() {
    b.other = 10
    observations.bindTwoWay(a, \.value, with: b, \.clamped)
    a.value = 50
    XCTAssertEqual([a.value, b.clamped], [10, 10])
    b.other = 5
    XCTAssertEqual([a.value, b.clamped], [5, 5])
  }

  // MARK: Setting either end

  func test_bindTwoWay_handlerThatSetsTheOtherEndBack_ends() {
    bind(a, b)
    observe(b) { [a] _, value in a.value = value }
    assertNoIssues {
      a.value = 2
      XCTAssertEqual([a.value, b.value], [2, 2])
      b.value = 3
      XCTAssertEqual([a.value, b.value], [3, 3])
    }
  }

  func test_bindTwoWay_AToBToA_keepsTheLastValue_andEachChainIsContiguous() {
    panel.watch(a, as: "a")
    panel.watch(b, as: "b")
    bind(a, b)
    observe(b) { [a] _, value in if value == 2 { a.value = 3 } }
    a.value = 2
    XCTAssertEqual([a.value, b.value], [3, 3])
    XCTAssertEqual(panel.recorder.events, ["b 1 → 1", "a 1 → 2", "b 1 → 2", "a 2 → 3", "b 2 → 3"])
  }

  func test_bindTwoWay_echoThatIsDeferred_isNotConvertedBack() {
    // `a` is Fahrenheit; `b`, whose handler sets it, is being delivered by an outer call.
    observe(b) { [a] _, value in if value == 7 { a.value = 69 } }
    bind(a, b, lossy: true)
    b.value = 7
    XCTAssertEqual([a.value, b.value], [69, 20])
    // Again, where the next value equals the one being delivered.
    observe(b) { [a] _, value in if value == 30 { a.value = 87 } }
    b.value = 30
    XCTAssertEqual([a.value, b.value], [87, 30])
  }

  func test_bindTwoWay_priorHandlerThatSetsTheOtherEnd_isCarriedOver() {
    var isArmed = true
    observations.observe(b, \.value, options: .prior, context: "prior") { [a] _, _, change in
      guard change.isPrior, change.newValue == 1, isArmed else { return }
      isArmed = false
      a.value = 9
    }
    bind(a, b)
    b.value = 5
    XCTAssertEqual(a.value, b.value)
  }

  func test_bindTwoWay_converterThatSetsAnEnd_keepsTheLaterValue() {
    for (setsFirst, isInitial, _) in allCases {
      let (a, b) = (Dial(isInitial ? 5 : 1), Dial(1))
      observations.bindTwoWay(
        a, \.value, with: b, \.value,
        forward: { value in
          if value == 5 { (setsFirst ? a : b).value = setsFirst ? 6 : 60 }
          return value * 10
        }, backward: { $0 / 10 })
      if !isInitial { a.value = 5 }
      XCTAssertEqual([a.value, b.value], [6, 60], "\(setsFirst) \(isInitial)")
    }
  }

  func test_bindTwoWay_insideAHandlerOfTheSecond_isInStepAfterwards() {
    b.value = 0
    observe(b) { [a, unowned self] _, value in if value == 4 { bind(a, b, lossy: true) } }
    a.value = 69
    b.value = 4
    XCTAssertEqual([a.value, b.value], [69, 20])
    b.value = 10
    XCTAssertEqual(a.value, 50)
  }

  // MARK: Several bindings

  func test_bindTwoWay_chain_carriesOverBothWays() {
    bind(a, b)
    bind(b, c)
    panel.watch(a, as: "a")
    panel.watch(b, as: "b")
    panel.watch(c, as: "c")
    for (dial, value) in [(a, 2), (b, 3), (c, 4)] {
      assertNoIssues { dial.value = value }
      XCTAssertEqual([a.value, b.value, c.value], [value, value, value])
    }
    XCTAssertEqual(panel.recorder.events.count, 9)
  }

  func test_bindTwoWay_chainWithLoss_keepsTheLastWriter() {
    bind(a, b, lossy: true)
    bind(c, b, lossy: true)
    a.value = 69
    XCTAssertEqual([a.value, b.value, c.value], [69, 20, 68])
    c.value = 71
    XCTAssertEqual([a.value, b.value, c.value], [69, 21, 71])
  }

  func test_bindTwoWay_triangle_ends() {
    bind(a, b)
    bind(b, c)
    bind(c, a)
    for (dial, value) in [(a, 2), (b, 3), (c, 4), (a, 4), (b, 4), (a, 5), (c, 6)] {
      assertNoIssues { dial.value = value }
      XCTAssertEqual([a.value, b.value, c.value], [value, value, value])
    }
  }

  func test_bindTwoWay_triangleWithLoss_ends() {
    let d = Dial()
    bind(a, b, lossy: true)
    bind(c, b, lossy: true)
    bind(a, c)
    bind(c, d, lossy: true)
    for value in 0..<200 {
      for dial in [a, b, c, d] {
        assertNoIssues { dial.value = value }
        XCTAssertEqual([a.value, b.value], [c.value, d.value])
        XCTAssertEqual(b.value, Degrees.celsius(a.value))
      }
    }
  }

  func test_bindTwoWay_byTwoControllers_ends() {
    let other = Panel()
    bind(a, b, lossy: true)
    other.observations.bindTwoWay(
      b, \.value, with: a, \.value, forward: Degrees.fahrenheit, backward: Degrees.celsius)
    for value in 0..<200 {
      for dial in [a, b] {
        assertNoIssues { dial.value = value }
        XCTAssertEqual(b.value, Degrees.celsius(a.value))
      }
    }
  }

  func test_bindTwoWay_valuesThatCanNotBeCompared_clamped_areCarriedOver() {
    let (first, second) = (Instrument(), Instrument())
    for isBefore in [true, false] {
      func clamp() {
        observations.observe(second, \.reading, options: []) { _, second, change in
          if change.newValue.degrees > 100 { second.reading.degrees = 100 }
        }
      }
      if isBefore { clamp() }
      observations.bindTwoWay(first, \.reading, with: second, \.reading)
      if !isBefore { clamp() }
      assertNoIssues { first.reading.degrees = 150 }
      XCTAssertEqual([first, second].map(\.reading.degrees), [100, 100])
      observations.unobserveAll()
    }
  }

  // MARK: Cycles

  func test_bindTwoWay_handlersThatNeverAgree_areStopped_withAnIssue() {
    for isBefore in [true, false] {
      let (a, b) = (Dial(150), Dial(150))
      if !isBefore { bind(a, b) }
      observe(a) { a, value in if value > 100 { a.value = 100 } }
      observe(b) { b, value in if value < 200 { b.value = 200 } }
      let issues = collectingIssues {
        if isBefore { bind(a, b) } else { a.value = 0 }
      }
      XCTAssertGreaterThan(issues.count, 0)
      for issue in issues {
        guard case .cycle(let keyPath, let file, _) = issue else { return XCTFail("\(issue)") }
        XCTAssertEqual(keyPath, \Dial.value)
        XCTAssertEqual(file, #fileID)
      }
    }
  }

  func test_bindTwoWay_convertersThatNeverAgree_areNoCycle() {
    assertNoIssues {
      observations.bindTwoWay(
        a, \.value, with: b, \.value, forward: { $0 + 1 }, backward: { $0 + 1 })
      XCTAssertEqual([a.value, b.value], [1, 2])
      b.value = 5
      XCTAssertEqual([a.value, b.value], [6, 5])
    }
  }

  func test_bindTwoWay_afterACycle_worksAsBefore() {
    var isFighting = true
    bind(a, b)
    observe(b) { b, value in if isFighting { b.value = value + 1 } }
    _ = collectingIssues { a.value = 2 }
    isFighting = false
    a.value = 5
    XCTAssertEqual([a.value, b.value], [5, 5])
    b.value = 6
    XCTAssertEqual([a.value, b.value], [6, 6])
  }
}
