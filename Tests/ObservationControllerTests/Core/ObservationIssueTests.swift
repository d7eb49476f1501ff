import ObservationController
import TestSupport
import XCTest

/// Every issue: the condition that reports it, and its key path, file and line of the registration.
final class ObservationIssueTests: TestCase {
  private let person = Person()
  private let counter = Counter()
  private let clock = Clock()
  private let receiver = Receiver()
  private lazy var controller = ObservationController(observer: receiver)

  /// Asserts that `issues` were registered on consecutive lines of this file, from `line` on.
  private func assertPlaces(
    _ issues: [ObservationIssue], from line: UInt, keyPath: AnyKeyPath?, named name: String? = nil,
    file: StaticString = #filePath, at testLine: UInt = #line
  ) {
    for (index, issue) in issues.enumerated() {
      XCTAssertEqual(issue.file, #fileID, file: file, line: testLine)
      XCTAssertEqual(issue.line, line + UInt(index), file: file, line: testLine)
      XCTAssertEqual(issue.keyPath, keyPath, file: file, line: testLine)
      let text = issue.description
      XCTAssertTrue(text.hasPrefix("\(#fileID):\(issue.line): "), text, file: file, line: testLine)
      XCTAssertFalse(text.contains("\n"), text, file: file, line: testLine)
      if let name {
        XCTAssertTrue(text.contains(": \(name) "), text, file: file, line: testLine)
      }
    }
  }

  // MARK: The reporter

  func test_reporter_readAndSetBackManyTimes_isStillCalledAtOnce() {
    let issues = collectingIssues {
      onThread(stackSize: 512 << 10) {
        for _ in 0..<20_000 {
          let reporter = ObservationIssue.reporter
          ObservationIssue.reporter = reporter
        }
        ObservationIssue.reporter(.emptyKeyPaths(file: #fileID, line: #line))
      }
    }
    XCTAssertEqual(issues.count, 1)
  }

  // MARK: Nothing observable

  func test_nothingObservable_everyFormOfObserve_namesItsPlace() {
    var line: UInt = 0
    let issues = collectingIssues {
      line = #line + 1
      controller.observe(person, \.note) { _, _, _ in }
      controller.observe(person, \.note, action: Receiver.receive)
      controller.observe(person, \.note, action: Receiver.receiveNote)
      controller.observe(person, \.note, action: Receiver.receiveNoteAndPerson)
      controller.observe(person, \.note)
      controller.observeEach(person, \.note) { _, _, _ in }
      controller.observeEach(person, \.note, action: Receiver.receive)
      controller.observeEach(person, \.note, action: Receiver.receiveAny)
      controller.observeEach(person, \.note, action: Receiver.receiveAnyAndPerson)
      controller.observeEach(person, \.note)
      controller.observeEach(person, [\.note]) { _, _, _ in }
      controller.observeEach(person, [\.note], action: Receiver.receive)
      controller.observeEach(person, [\.note], action: Receiver.receiveAny)
      controller.observeEach(person, [\.note], action: Receiver.receiveAnyAndPerson)
      controller.observeEach(person, [\.note])
    }
    XCTAssertEqual(issues.count, 15)
    assertPlaces(issues, from: line, keyPath: \Person.note)
    for issue in issues {
      guard case .nothingObservable = issue else { return XCTFail("\(issue)") }
    }
    XCTAssertEqual(controller.observations.count, 0)
  }

  func test_nothingObservable_withInitial_deliversNothing() {
    let issues = collectingIssues {
      controller.observe(person, \.note, options: .initial, action: Receiver.receive)
    }
    XCTAssertEqual(issues.count, 1)
    person.note = "x"
    XCTAssertEqual(receiver.calls, 0)
  }

  func test_nothingObservable_keyPathToTheObjectItself_isReported() {
    let issues = collectingIssues {
      controller.observe(person, \.self) { _, _, _ in }
      controller.observe(person, \.note.count) { _, _, _ in }
    }
    XCTAssertEqual(issues.map(\.keyPath), [\Person.self, \Person.note.count])
  }

  // MARK: Empty key paths

  func test_emptyKeyPaths_namesItsPlaceAndNoKeyPath() {
    var line: UInt = 0
    let issues = collectingIssues {
      line = #line + 1
      controller.observeEach(person, []) { _, _, _ in }
      controller.observeEach(person)
    }
    XCTAssertEqual(issues.count, 2)
    assertPlaces(issues, from: line, keyPath: nil)
    for issue in issues {
      guard case .emptyKeyPaths = issue else { return XCTFail("\(issue)") }
    }
  }

  // MARK: What a report reads

  private final class Child {
    @AtomicObserved var lock = 0
    @Observed var number = 0
    unowned let parent: Clock
    var ratio: Fraction { Fraction(value: number) }
    init(_ parent: Clock) { self.parent = parent }
  }

  private struct Fraction { var value = 0 }

  func test_report_readsNoFurtherThanTheProperty() {
    var parent: Clock? = Clock()
    let child = Child(parent!)
    parent = nil
    // Reading `parent` would trap.
    let issues = collectingIssues {
      controller.observe(child, \.number) { _, _, _ in }
      controller.observe(child, \.number) { _, _, _ in }
      controller.observe(child, \.ratio, options: .distinct) { _, _, _ in }
    }
    XCTAssertEqual(issues.count, 2)
    XCTAssertTrue(issues[0].description.contains("\\Child.number "), issues[0].description)
  }

  func test_report_insideOfWithLockOfAnotherProperty_doesNotReadThat() {
    let clock = Clock()
    let issues = collectingIssues {
      let child = Child(clock)
      controller.observe(child, \.number) { _, _, _ in }
      child.$lock.withLock { _ in
        _ = controller.observe(child, \.number) { _, _, _ in }
      }
    }
    XCTAssertEqual(issues.count, 1)
    withExtendedLifetime(clock) {}
  }

  // MARK: Cycles

  func test_cycle_ofAProperty_namesItsPlace() {
    var line: UInt = 0
    let issues = collectingIssues {
      line = #line + 1
      controller.observe(counter, \.count) { _, counter, _ in counter.count += 1 }
      counter.count = 1
    }
    XCTAssertEqual(issues.count, 1)
    assertPlaces(issues, from: line, keyPath: \Counter.count, named: "\\Counter.count")
    guard case .cycle? = issues.first else { return XCTFail("\(issues)") }
  }

  func test_cycle_ofAPath_namesThePathAsRegistered() {
    let company = Company()
    person.employer = company
    var line: UInt = 0
    let issues = collectingIssues {
      line = #line + 1
      controller.observe(person, \.employer?.name) { _, _, _ in company.name += "!" }
      company.name = "A"
    }
    XCTAssertEqual(issues.count, 1)
    assertPlaces(
      issues, from: line, keyPath: \Person.employer?.name, named: "\\Person.employer?.name?")
    guard case .cycle? = issues.first else { return XCTFail("\(issues)") }
    XCTAssertTrue(company.name.hasPrefix("A!!!"))
  }

  func test_cycle_amongTwoProperties_isReportedAndEnds() {
    let circle = Circle()
    let issues = collectingIssues {
      controller.observe(circle, \.radius) { _, circle, change in
        circle.borderWidth = change.newValue + 1
      }
      controller.observe(circle, \.borderWidth) { _, circle, change in
        circle.radius = change.newValue + 1
      }
      circle.radius = 2
    }
    XCTAssertGreaterThan(issues.count, 0)
    for issue in issues {
      guard case .cycle = issue else { return XCTFail("\(issue)") }
    }
  }

  func test_cycle_afterwards_observationContinues() {
    let recorder = ChangeRecorder<Int>()
    let recording = ObservationController(observer: recorder)
    var isRunning = true
    let issues = collectingIssues {
      controller.observe(counter, \.count) { _, counter, _ in
        if isRunning { counter.count += 1 }
      }
      counter.count = 1
    }
    XCTAssertEqual(issues.count, 1)
    isRunning = false
    let stored = counter.count
    recording.observe(counter, \.count, action: ChangeRecorder<Int>.record)
    counter.count = -1
    XCTAssertEqual(recorder.events, [.changed(stored, -1)])
  }

  // MARK: Already observed

  func test_alreadyObserved_fromAnotherPlace_namesBothPlaces_once() {
    var (firstLine, line): (UInt, UInt) = (0, 0)
    let issues = collectingIssues {
      for _ in 1...3 {
        firstLine = #line + 1
        let token = controller.observe(counter, \.count) { _, _, _ in }
        line = #line + 1
        let other = controller.observe(counter, \.count, action: Receiver.receive)
        XCTAssertTrue(token === other)
        controller.unobserveAll()
      }
    }
    XCTAssertEqual(issues.count, 1)
    assertPlaces(issues, from: line, keyPath: \Counter.count, named: "\\Counter.count")
    guard case .alreadyObserved(_, _, _, #fileID, firstLine)? = issues.first else {
      return XCTFail("\(issues)")
    }
    XCTAssertTrue(issues[0].description.contains("at \(#fileID):\(firstLine):"))
    counter.count = 1
    XCTAssertEqual(receiver.calls, 0)
  }

  func test_alreadyObserved_inTheOtherOrder_isNotReportedAgain() {
    let issues = collectingIssues {
      for isReversed in [false, true] {
        let observe = [
          { self.controller.observe(self.counter, \.count) { _, _, _ in } },
          { self.controller.observe(self.counter, \.count, action: Receiver.receive) },
        ]
        for body in isReversed ? observe.reversed() : observe { _ = body() }
        controller.unobserveAll()
      }
    }
    XCTAssertEqual(issues.count, 1)
  }

  func test_alreadyObserved_atItsFirstPlace_isSilent() {
    assertNoIssues {
      for _ in 1...2 { controller.observe(counter, \.count) { _, _, _ in } }
    }
  }

  func test_alreadyObserved_anotherContextObjectOrController_isSilent() {
    let others = ObservationController(observer: receiver)
    assertNoIssues {
      controller.observe(counter, \.count) { _, _, _ in }
      controller.observe(counter, \.count, context: "other") { _, _, _ in }
      controller.observe(Counter(), \.count) { _, _, _ in }
      others.observe(counter, \.count) { _, _, _ in }
    }
  }

  func test_alreadyObserved_genericClass_inGenericCodeToo_isNamed() {
    // Generic code reads the property by a getter of its own.
    func observe<Value>(_ crate: Crate<Value>) {
      controller.observe(crate, \.contents) { _, _, _ in }
    }
    let (whole, half) = (Crate(1), Crate(0.5))
    let issues = collectingIssues {
      observe(whole)
      controller.observe(whole, \.contents) { _, _, _ in }
      controller.observe(half, \.contents) { _, _, _ in }
      observe(half)
    }
    XCTAssertEqual(issues.count, 2)
    for (issue, name) in zip(issues, ["Crate<Int>", "Crate<Double>"]) {
      guard case .alreadyObserved = issue else { return XCTFail("\(issue)") }
      XCTAssertTrue(issue.description.contains(": \\\(name).contents "), issue.description)
    }
  }

  func test_alreadyObserved_derivedPropertyOfALink_isNamed() {
    final class Tray {
      @Observed var count = 1
      @Derived({ (tray: Tray) in tray.count * 2 }) var pairs: Int
    }
    final class Desk {
      @Observed var tray = Tray()
    }
    let desk = Desk()
    let issues = collectingIssues {
      controller.observe(desk, \.tray.pairs) { _, _, _ in }
      controller.observe(desk, \.tray.pairs) { _, _, _ in }
    }
    XCTAssertEqual(issues.count, 1)
    let text = issues[0].description
    XCTAssertTrue(text.contains(": \\Desk.tray.pairs "), text)
  }

  func test_alreadyObserved_anArrayAndAPath_areReported() {
    let school = School()
    let issues = collectingIssues {
      controller.observeArray(school, \.students) { _, _, _ in }
      controller.observeArray(school, \.students) { _, _, _ in }
      controller.observe(person, \.employer?.name) { _, _, _ in }
      controller.observe(person, \.employer?.name, on: .main) { _, _, _ in }
    }
    XCTAssertEqual(issues.map(\.keyPath), [\School.students, \Person.employer?.name])
  }

  func test_alreadyObserved_bindingsAndSequences_areSilent() {
    let (dial, other) = (Dial(), Dial())
    assertNoIssues {
      controller.bind(dial, \.value, to: other, \.value)
      controller.bind(dial, \.value, to: other, \.value)
      _ = controller.values(of: counter, \.count)
      _ = controller.values(of: counter, \.count)
    }
  }

  func test_alreadyObserved_reporterThatObserves_findsNoLockHeld() {
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    // Its observer is not `Sendable`, and not used on the other thread.
    let (controller, object) = (UncheckedReference(controller), UncheckedReference(counter))
    let count = Recorder<Int>()
    ObservationIssue.reporter = { _ in
      onThreads(1) { _ in
        _ = controller.object.observe(object.object, \.count, context: "reporter") { _, _, _ in }
      }
      count.append(controller.object.observations.count)
    }
    controller.object.observe(counter, \.count) { _, _, _ in }
    controller.object.observe(counter, \.count) { _, _, _ in }
    XCTAssertEqual(count.events, [2])
  }

  // MARK: Distinct

  func test_distinctNeedsEquatable_everyFormOfObserve_namesItsPlace() {
    var line: UInt = 0
    let issues = collectingIssues {
      line = #line + 1
      controller.observe(clock, \.time, options: .distinct) { _, _, _ in }
      controller.observe(clock, \.time, options: .distinct, context: "1", action: Receiver.receive)
      controller.observe(clock, \.time, options: .distinct, context: "2")
      controller.observeEach(clock, \.time, options: .distinct, context: "3") { _, _, _ in }
    }
    XCTAssertEqual(issues.count, 4)
    assertPlaces(issues, from: line, keyPath: \Clock.time, named: "\\Clock.time")
    for issue in issues {
      guard case .distinctNeedsEquatable = issue else { return XCTFail("\(issue)") }
    }
    XCTAssertEqual(controller.observations.count, 4)
  }
}

/// A class whose property no other test names.
private final class Crate<Value> {
  @Observed var contents: Value

  init(_ contents: Value) {
    self.contents = contents
  }
}

private final class Receiver: ObservationDelegate {
  private(set) var calls = 0

  func receive() { calls += 1 }
  func receiveNote(_ change: ObservedChange<String>) { calls += 1 }
  func receiveNoteAndPerson(_ change: ObservedChange<String>, _ person: Person) { calls += 1 }
  func receiveAny(_ change: ObservedChange<Any>) { calls += 1 }
  func receiveAnyAndPerson(_ change: ObservedChange<Any>, _ person: Person) { calls += 1 }

  func observeValue(
    at keyPath: AnyKeyPath, of object: AnyObject,
    change: ObservedChange<Any>, context: ObservationContext?
  ) {
    calls += 1
  }
}
