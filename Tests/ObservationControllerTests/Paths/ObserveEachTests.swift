import ObservationController
import TestSupport
import XCTest

/// Several key paths with one call: variadic and in an array, with a block, an action, a delegate.
final class ObserveEachTests: TestCase {
  private let person = Person()
  private let viewModel = PersonViewModel()
  private lazy var controller = ObservationController(observer: viewModel)
  private var lines: [String] { viewModel.recorder.events }

  private func changeNameAndAge() {
    person.name = "Grace"
    person.age = 37
  }

  private let nameAndAge = ["\\name: Ada → Grace", "\\age: 36 → 37"]

  // MARK: Forms

  func test_observeEach_variadicWithBlock_observesEachKeyPath() {
    controller.observeEach(person, \.name, \.age) { viewModel, _, change in viewModel.note(change) }
    changeNameAndAge()
    XCTAssertEqual(lines, nameAndAge)
  }

  func test_observeEach_arrayWithBlock_observesEachKeyPath() {
    let keyPaths: [PartialKeyPath<Person>] = [\.name, \.age]
    controller.observeEach(person, keyPaths) { viewModel, _, change in viewModel.note(change) }
    changeNameAndAge()
    XCTAssertEqual(lines, nameAndAge)
  }

  func test_observeEach_variadicWithActions_observesEachKeyPath() {
    controller.observeEach(person, \.name, \.age, context: "0", action: PersonViewModel.noteCall)
    controller.observeEach(person, \.name, \.age, context: "1", action: PersonViewModel.note)
    controller.observeEach(
      person, \.name, \.age, context: "2", action: PersonViewModel.noteWithObject)
    changeNameAndAge()
    XCTAssertEqual(
      lines, nameAndAge.flatMap { ["called", $0, "\($0) of \(ObjectIdentifier(person))"] })
  }

  func test_observeEach_arrayWithActions_observesEachKeyPath() {
    let keyPaths: [PartialKeyPath<Person>] = [\.name, \.age]
    controller.observeEach(person, keyPaths, context: "0", action: PersonViewModel.noteCall)
    controller.observeEach(person, keyPaths, context: "1", action: PersonViewModel.note)
    controller.observeEach(person, keyPaths, context: "2", action: PersonViewModel.noteWithObject)
    changeNameAndAge()
    XCTAssertEqual(
      lines, nameAndAge.flatMap { ["called", $0, "\($0) of \(ObjectIdentifier(person))"] })
  }

  func test_observeEach_variadicWithDelegate_observesEachKeyPath() {
    controller.observeEach(person, \.name, \.age, context: "delegate")
    changeNameAndAge()
    XCTAssertEqual(lines, nameAndAge.map { "\($0) in \"delegate\"" })
  }

  func test_observeEach_arrayWithDelegate_observesEachKeyPath() {
    let keyPaths: [PartialKeyPath<Person>] = [\.name, \.age]
    controller.observeEach(person, keyPaths, context: "delegate")
    changeNameAndAge()
    XCTAssertEqual(lines, nameAndAge.map { "\($0) in \"delegate\"" })
  }

  func test_observeEach_forms_areDescribedByTheirHandlerKind() {
    controller.observeEach(person, \.name, context: "0") { _, _, _ in }
    controller.observeEach(person, \.name, context: "1", action: PersonViewModel.note)
    controller.observeEach(person, \.name, context: "2")
    XCTAssertEqual(controller.observations.map(\.handlerKind), [.block, .action, .delegate])
  }

  // MARK: Options and values

  func test_observeEach_options_holdForEachKeyPath() {
    controller.observeEach(person, \.name, \.age, options: [.initial, .old, .prior]) {
      viewModel, _, change in viewModel.note(change)
    }
    changeNameAndAge()
    XCTAssertEqual(
      lines,
      [
        "\\name: initially Ada", "\\age: initially 36",
        "\\name: about to change from Ada", "\\name: Ada → Grace",
        "\\age: about to change from 36", "\\age: 36 → 37",
      ])
  }

  func test_observeEach_distinct_comparesTheValuesNotTheAny() {
    assertNoIssues {
      controller.observeEach(person, \.name, \.age, options: [.old, .distinct]) {
        viewModel, _, change in viewModel.note(change)
      }
    }
    person.name = "Ada"
    person.age = 36
    changeNameAndAge()
    XCTAssertEqual(lines, nameAndAge)
  }

  func test_observeEach_optionalValues_stayOptionalsAsAny() {
    let recorder = Recorder<ObservedChange<Any>>()
    controller.observeEach(person, \.employer, options: [.initial, .old]) {
      recorder.append($2)
    }
    let company = Company()
    person.employer = company
    person.employer = nil
    let changes = recorder.events
    XCTAssertEqual(changes.count, 3)
    XCTAssertEqual(changes.map { $0.newValue as? Company? }.map { $0 != nil }, [true, true, true])
    XCTAssertNil(changes[0].newValue as? Company)
    XCTAssertIdentical(changes[1].newValue as? Company, company)
    XCTAssertNil(changes[2].newValue as? Company)
    XCTAssertTrue(changes[0].oldValue == nil)
    XCTAssertTrue(changes[1].oldValue != nil)
    XCTAssertIdentical(changes[2].oldValue as? Company, company)
  }

  func test_observeEach_valueTypes_areReachedByCasting() {
    let clock = Clock()
    let times = Recorder<Clock.Time?>()
    controller.observeEach(clock, \.time) { times.append($2.newValue as? Clock.Time) }
    clock.time.hours = 3
    XCTAssertEqual(times.events.map { $0?.hours }, [3])
  }

  func test_observeEach_nestedAndComputedPaths_areObserved() {
    person.employer = Company(name: "A")
    controller.observeEach(person, \.summary, \.employer?.name, \.tags.count) {
      viewModel, _, change in viewModel.noteValues(change)
    }
    person.age = 37
    person.employer?.name = "B"
    person.tags.append("x")
    XCTAssertEqual(
      lines, ["Ada, 36 → Ada, 37", "Optional(\"A\") → Optional(\"B\")", "0 → 1"])
  }

  // MARK: Tokens

  func test_observeEach_tokens_comeInTheOrderOfTheKeyPaths() {
    let tokens = controller.observeEach(person, \.age, \.name) { viewModel, _, change in
      viewModel.note(change)
    }
    XCTAssertEqual(tokens.count, 2)
    tokens[0].invalidate()
    changeNameAndAge()
    XCTAssertEqual(lines, [nameAndAge[0]])
    XCTAssertEqual(tokens.map(\.isActive), [false, true])
  }

  func test_observeEach_duplicateKeyPath_isObservedOnce() {
    let tokens = controller.observeEach(person, \.name, \.age, \.name) { viewModel, _, change in
      viewModel.note(change)
    }
    XCTAssertEqual(tokens.count, 3)
    XCTAssertIdentical(tokens[0], tokens[2])
    XCTAssertEqual(controller.observations.map(\.keyPath), [\Person.name, \Person.age])
    changeNameAndAge()
    XCTAssertEqual(lines, nameAndAge)
  }

  func test_observeEach_keyPathObservedBefore_keepsItsHandler() {
    let first = controller.observe(person, \.name) { viewModel, _, _ in viewModel.noteCall() }
    let tokens = controller.observeEach(person, \.name, \.age) { viewModel, _, change in
      viewModel.note(change)
    }
    XCTAssertIdentical(tokens[0], first)
    changeNameAndAge()
    XCTAssertEqual(lines, ["called", nameAndAge[1]])
  }

  // MARK: Misuse

  func test_observeEach_emptyList_reportsAndRegistersNothing() {
    var line: UInt = 0
    var tokens: [ObservationToken] = []
    let issues = collectingIssues {
      line = #line + 1
      tokens += controller.observeEach(person, []) { _, _, _ in }
      tokens += controller.observeEach(person, [], action: PersonViewModel.noteCall)
      tokens += controller.observeEach(person, [], action: PersonViewModel.note)
      tokens += controller.observeEach(person, [], action: PersonViewModel.noteWithObject)
      tokens += controller.observeEach(person, [])
    }
    XCTAssertEqual(tokens.count, 0)
    XCTAssertEqual(controller.observations.count, 0)
    XCTAssertEqual(issues.map(\.line), (0..<5).map { line + $0 })
    for issue in issues {
      guard case .emptyKeyPaths = issue else { return XCTFail("\(issue)") }
      XCTAssertEqual(issue.file, #fileID)
    }
  }

  func test_observeEach_oneUnobservableKeyPath_observesTheOthers() {
    var tokens: [ObservationToken] = []
    let issues = collectingIssues {
      tokens = controller.observeEach(person, \.note, \.name) { viewModel, _, change in
        viewModel.note(change)
      }
    }
    XCTAssertEqual(tokens.map(\.isActive), [false, true])
    XCTAssertEqual(issues.map(\.keyPath), [\Person.note])
    person.note = "x"
    changeNameAndAge()
    XCTAssertEqual(lines, [nameAndAge[0]])
  }
}

/// Has an action of each form. Records changes of a person with the name of their key path.
private final class PersonViewModel: ObservationDelegate {
  let recorder = LineRecorder()

  func noteCall() { recorder.append("called") }

  func note(_ change: ObservedChange<Any>) { recorder.append(line(change)) }

  func noteWithObject(_ change: ObservedChange<Any>, _ person: Person) {
    recorder.append("\(line(change)) of \(ObjectIdentifier(person))")
  }

  func noteValues(_ change: ObservedChange<Any>) { recorder.write(change) }

  func observeValue(
    at keyPath: AnyKeyPath, of object: AnyObject,
    change: ObservedChange<Any>, context: ObservationContext?
  ) {
    XCTAssertEqual(keyPath, change.keyPath)
    recorder.append("\(line(change)) in \(context?.description ?? "none")")
  }

  private func line(_ change: ObservedChange<Any>) -> String {
    let name =
      switch change.keyPath {
      case \Person.name: "\\name"
      case \Person.age: "\\age"
      default: "?"
      }
    return "\(name): \(change)"
  }
}
