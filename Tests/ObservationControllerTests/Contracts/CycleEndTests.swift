import ObservationController
import TestSupport
import XCTest

/// C8: when a cycle is cut off, everybody but the handlers that keep it going is notified of the
/// value that is stored.
final class CycleEndTests: TestCase {
  private final class Counter {
    @Observed var n = 0
    @Observed var other = 0
    @AtomicObserved var atomic = 0
    @Observed var next: Counter?
    @Derived({ (counter: Counter) in counter.n * 10 }) var derived: Int
    @Derived({ (counter: Counter) in counter.derived + counter.atomic }) var above: Int
    var computed: Int { n * 10 + other }
    var aboveAsPath: Int { derived + atomic }
  }

  /// Notes each delivery, and checks that the values are contiguous.
  private final class Observer {
    lazy var observations = ObservationController(observer: self)
    var last: Int
    var count = 0
    var priors = 0

    init(_ last: Int) { self.last = last }

    func receive(_ change: ObservedChange<Int>) {
      if change.isInitial { return XCTAssertEqual(change.newValue, last) }
      if change.isPrior {
        priors += 1
        return XCTAssertEqual(change.newValue, last)
      }
      XCTAssertEqual(change.oldValue, last)
      last = change.newValue
      count += 1
    }
  }

  private let counter = Counter()
  private var isCyclic = true
  private lazy var observations = ObservationController(observer: self)

  private static let options: [ObservationOptions] = [
    .old, [.old, .distinct], [.old, .prior], [.old, .initial], [.old, .prior, .distinct, .initial],
  ]

  private let keyPaths: [KeyPath<Counter, Int>] = [
    \.n, \.atomic, \.derived, \.above, \.computed, \.n.negated, \.atomic.negated,
  ]

  private func observer(_ keyPath: KeyPath<Counter, Int>, _ options: ObservationOptions = .old)
    -> Observer
  {
    let observer = Observer(counter[keyPath: keyPath])
    observer.observations.observe(counter, keyPath, options: options) { $0.receive($2) }
    return observer
  }

  private func assertOneCycle(_ issues: [ObservationIssue], line: UInt = #line) {
    XCTAssertEqual(issues.count, 1, "\(issues)", line: line)
    guard case .cycle? = issues.first else { return XCTFail("\(issues)", line: line) }
  }

  /// Runs a cycle among observers of all kinds, registered before and after the handler that
  /// keeps it going, and sets both properties afterwards.
  private func check(
    _ name: String, line: UInt = #line, start: () -> Void, loop: () -> Void
  ) {
    func observers() -> [(KeyPath<Counter, Int>, Observer)] {
      keyPaths.flatMap { keyPath in
        Self.options.map { (keyPath, observer(keyPath, $0)) }
      }
    }
    func assertInStep(_ moment: String) {
      for (keyPath, observer) in all {
        XCTAssertEqual(observer.last, counter[keyPath: keyPath], "\(name) \(moment)", line: line)
      }
      XCTAssertEqual(bound.n, counter.n, "\(name) \(moment)", line: line)
      XCTAssertEqual(twoWay.n, counter.n, "\(name) \(moment)", line: line)
    }
    isCyclic = true
    let (bound, twoWay) = (Counter(), Counter())
    var all = observers()
    observations.bind(counter, \.n, to: bound, \.n)
    loop()
    observations.bindTwoWay(counter, \.n, with: twoWay, \.n)
    all += observers()
    assertOneCycle(collectingIssues(start), line: line)
    assertInStep("at the end")
    isCyclic = false
    assertNoIssues {
      counter.n = 7_000
      counter.atomic = 8_000
    }
    assertInStep("after the next change")
    observations.unobserveAll()
    for (_, observer) in all { observer.observations.unobserveAll() }
  }

  // MARK: One handler

  func test_C8_handlerThatCountsDown_othersEndWithTheStoredValue() {
    for isFirst in [true, false] {
      (isCyclic, counter.n) = (true, 0)
      var events: [Int] = []
      func count() {
        observations.observe(counter, \.n) { test, counter, change in
          events.append(change.newValue)
          if test.isCyclic { counter.n = change.newValue - 1 }
        }
      }
      if isFirst { count() }
      let recorder = ChangeRecorder<Int>()
      let others = ObservationController(observer: recorder)
      others.observe(counter, \.n, action: ChangeRecorder<Int>.record)
      if !isFirst { count() }
      assertOneCycle(collectingIssues { counter.n = 150 })
      XCTAssertEqual(counter.n, 50)
      XCTAssertEqual(events, (51...150).reversed(), "left out")
      XCTAssertEqual(recorder.events.count, 101)
      XCTAssertEqual(recorder.events.last, .changed(51, 50))
      isCyclic = false
      counter.n = 7
      XCTAssertEqual(recorder.events.last, .changed(50, 7))
      XCTAssertEqual(recorder.events.count, 102)
      observations.unobserveAll()
    }
  }

  func test_C8_handlerOfAnyProperty_othersEndWithTheStoredValue() {
    for keyPath in keyPaths {
      check("\(keyPath)") {
        counter.n += 150
        if keyPath == \.atomic || keyPath == \.atomic.negated { counter.atomic += 150 }
      } loop: {
        observations.observe(counter, keyPath) { test, counter, _ in
          guard test.isCyclic else { return }
          if keyPath == \.atomic || keyPath == \.atomic.negated {
            counter.atomic -= 1
          } else {
            counter.n -= 1
          }
        }
      }
    }
  }

  func test_C8_handlerThatKeepsTheCycleGoing_goesOnFromTheValueThatItSet() {
    for keyPath in keyPaths {
      isCyclic = true
      (counter.n, counter.atomic) = (0, 0)
      let isAtomic = keyPath == \.atomic || keyPath == \.atomic.negated
      let recorder = ChangeRecorder<Int>()
      observations.observe(counter, keyPath) { test, counter, change in
        recorder.record(change)
        guard test.isCyclic else { return }
        if isAtomic { counter.atomic += 1 } else { counter.n += 1 }
      }
      assertOneCycle(collectingIssues { if isAtomic { counter.atomic = 1 } else { counter.n = 1 } })
      let last = counter[keyPath: keyPath]
      XCTAssertEqual(recorder.events.count, 100, "\(keyPath)")
      isCyclic = false
      if isAtomic { counter.atomic = 700 } else { counter.n = 700 }
      XCTAssertEqual(recorder.events.last, .changed(last, counter[keyPath: keyPath]), "\(keyPath)")
      observations.unobserveAll()
    }
  }

  func test_C8_handlerThatSetsTwice_othersAreNotifiedOnceMore() {
    for keyPath in [\Counter.n, \.derived, \.computed] {
      let before = observer(keyPath)
      observations.observe(counter, \.n) { test, counter, _ in
        counter.n += 1
        counter.n += 1
      }
      let after = observer(keyPath)
      assertOneCycle(collectingIssues { counter.n = 1 })
      for observer in [before, after] {
        XCTAssertEqual(observer.last, counter[keyPath: keyPath], "\(keyPath)")
        observer.observations.unobserveAll()
      }
      XCTAssertEqual(before.count, keyPath == \.derived ? before.count : 101, "\(keyPath)")
      observations.unobserveAll()
      counter.n = 0
    }
  }

  func test_C8_handlersOfOtherKinds_othersEndWithTheStoredValue() {
    check("prior handler") {
      counter.n = 150
    } loop: {
      observations.observe(counter, \.n, options: .prior) { test, counter, change in
        if test.isCyclic, change.isPrior { counter.n += 1 }
      }
      observations.observe(counter, \.n, context: "starts it") { test, counter, change in
        if test.isCyclic { counter.n += 1 }
      }
    }
    check("transaction in the handler") {
      counter.n = 150
    } loop: {
      observations.observe(counter, \.n) { test, counter, change in
        if test.isCyclic {
          withObservationTransaction {
            counter.n += 1
            counter.n -= 2
          }
        }
      }
    }
    check("transaction around it") {
      withObservationTransaction {
        counter.n = 150
        counter.other = 1
      }
    } loop: {
      observations.observe(counter, \.n) { test, counter, change in
        if test.isCyclic { counter.n -= 1 }
      }
    }
    check("mutation in place") {
      counter.n = 150
    } loop: {
      observations.observe(counter, \.n) { test, counter, change in
        func decrease(_ value: inout Int) { value -= 1 }
        if test.isCyclic { decrease(&counter.n) }
      }
    }
  }

  func test_C8_handlerOfADerivedValue_setsItsDependency_othersEndWithIt() {
    for keyPath in [\Counter.above, \.aboveAsPath] {
      for options in Self.options {
        let before = observer(keyPath, options)
        observations.observe(counter, keyPath) { test, counter, _ in
          if test.isCyclic { counter.n += 1 }
        }
        let after = observer(keyPath, options)
        isCyclic = true
        assertOneCycle(collectingIssues { counter.atomic += 1 })
        for observer in [before, after] { XCTAssertEqual(observer.last, counter[keyPath: keyPath]) }
        isCyclic = false
        counter.atomic += 100
        for observer in [before, after] {
          XCTAssertEqual(observer.last, counter[keyPath: keyPath])
          observer.observations.unobserveAll()
        }
        observations.unobserveAll()
      }
    }
  }

  // MARK: Several handlers

  func test_C8_propertiesThatSetEachOther_othersEndWithTheStoredValue() {
    let recorder = Observer(0)
    recorder.observations.observe(counter, \.other) { $0.receive($2) }
    check("two properties") {
      counter.n = 150
    } loop: {
      observations.observe(counter, \.n) { test, counter, change in
        if test.isCyclic { counter.other = change.newValue - 1 }
      }
      observations.observe(counter, \.other) { test, counter, change in
        if test.isCyclic { counter.n = change.newValue - 1 }
      }
    }
    XCTAssertEqual(recorder.last, counter.other)
  }

  func test_C8_handlersThatCorrectEachOther_othersEndWithTheStoredValue() {
    check("odd and even") {
      counter.n = 151
    } loop: {
      observations.observe(counter, \.n, context: "odd") { test, counter, change in
        if test.isCyclic, !change.newValue.isMultiple(of: 2) { counter.n += 1 }
      }
      observations.observe(counter, \.n, context: "even") { test, counter, change in
        if test.isCyclic, change.newValue.isMultiple(of: 2) { counter.n += 1 }
      }
    }
  }

  func test_C8_handlerThatSetsItAtTheEnd_isNotifiedUntilThen() {
    var events: [Int] = []
    check("at the end") {
      counter.n = 150
    } loop: {
      observations.observe(counter, \.n, context: "always") { test, counter, change in
        if test.isCyclic { counter.n -= 1 }
      }
      observations.observe(counter, \.n, context: "once in the last rounds") {
        test, counter, change in
        events.append(change.newValue)
        if events.count == 95 { counter.n -= 1 }
        if events.count > 100, test.isCyclic { counter.n = 1_000 }
      }
    }
    XCTAssertEqual(events.count, 102, "100 rounds, the last value, and the next change")
    XCTAssertEqual(events.last, 7_000)
  }

  func test_C8_bindingsInARing_othersEndWithTheStoredValue() {
    let target = Counter()
    var observers = [observer(\.n), observer(\.derived), observer(\.computed)]
    let ofTarget = Observer(0)
    ofTarget.observations.observe(target, \.n) { $0.receive($2) }
    let issues = collectingIssues {
      observations.bind(counter, \.n, to: target, \.n)
      observers += [observer(\.n), observer(\.derived), observer(\.computed)]
      observations.bind(target, \.n, to: counter, \.n) { $0 - 1 }
    }
    assertOneCycle(issues)
    XCTAssertEqual(ofTarget.last, target.n)
    observations.unobserveAll()
    for next in [counter.n, 7_000] {
      counter.n = next
      let (n, tenfold) = (counter.n, counter.n * 10)
      XCTAssertEqual(observers.map(\.last), [n, tenfold, tenfold, n, tenfold, tenfold])
    }
  }

  // MARK: Others

  func test_C8_derivedPropertyThatIsDeliveredMeanwhile_endsWithItsValue() {
    // The delivery of the derived value is under way in a frame below the cycle.
    let before = observer(\.computed)
    let above = observer(\.above)
    observations.observe(counter, \.n) { test, counter, _ in if test.isCyclic { counter.n += 1 } }
    observations.observe(counter, \.above, context: "starts it") { test, counter, _ in
      if counter.n == 0 { counter.n = 1 }
    }
    let after = observer(\.above)
    assertOneCycle(collectingIssues { counter.atomic = 1 })
    XCTAssertEqual(before.last, counter.computed)
    for observer in [above, after] { XCTAssertEqual(observer.last, counter.above) }
  }

  func test_C8_nestedPath_endsWithTheStoredValue() {
    let outer = Counter()
    outer.next = counter
    let recorders = [ChangeRecorder<Int?>(), ChangeRecorder<Int?>()]
    var others: [ObservationController<ChangeRecorder<Int?>>] = []
    for (index, recorder) in recorders.enumerated() {
      others.append(ObservationController(observer: recorder))
      others[index].observe(outer, \.next?.n, action: ChangeRecorder<Int?>.record)
      guard index == 0 else { break }
      observations.observe(counter, \.n) { test, counter, _ in
        if test.isCyclic { counter.n -= 1 }
      }
    }
    assertOneCycle(collectingIssues { counter.n = 150 })
    isCyclic = false
    counter.n = 7
    for recorder in recorders {
      XCTAssertEqual(recorder.events.suffix(2), [.changed(51, 50), .changed(50, 7)])
    }
  }

  func test_C8_observerAddedOrEndedInTheCycle_isContiguous() {
    var late: Observer?
    let ended = observer(\.n)
    observations.observe(counter, \.n) { [unowned self] test, counter, change in
      counter.n -= 1
      if change.newValue == 51 {
        late = observer(\.n)
        ended.observations.unobserveAll()
      }
    }
    assertOneCycle(collectingIssues { counter.n = 150 })
    XCTAssertEqual([late?.last, late?.count], [50, 0], "begins with the value")
    XCTAssertEqual(ended.last, 51)
    observations.unobserveAll()
    counter.n = 7
    XCTAssertEqual([late?.last, late?.count], [7, 1])
  }
}

extension Int {
  fileprivate var negated: Int { -self }
}
