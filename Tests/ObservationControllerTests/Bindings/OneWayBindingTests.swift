import ObservationController
import TestSupport
import XCTest

/// The values that a binding sets, and the identity of bindings.
final class OneWayBindingTests: TestCase {
  private let person = Person()
  private let label = Label()
  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  // MARK: Values

  func test_bind_property_setsTheInitialValueAndEachChange() {
    let token = observations.bind(person, \.name, to: label, \.text)
    person.name = "Grace"
    person.name = "Grace"
    person.name.append("!")
    XCTAssertEqual(label.texts.events, ["Ada", "Grace", "Grace", "Grace!"])
    XCTAssertTrue(token.isActive)
  }

  func test_bind_nestedPath_setsTheTargetToItsValue() {
    observations.bind(person, \.employer?.name, to: label, \.title)
    person.employer = Company(name: "A")
    person.employer?.name = "B"
    person.employer = nil
    XCTAssertEqual(label.titles.events, [nil, "A", "B", nil])
  }

  func test_bind_computedProperty_setsItOnceForEachChange() {
    observations.bind(person, \.summary, to: label, \.text)
    person.name = "Grace"
    person.age = 37
    XCTAssertEqual(label.texts.events, ["Ada, 36", "Grace, 36", "Grace, 37"])
  }

  func test_bind_toAnOptionalTarget_needsNoTransform() {
    observations.bind(person, \.name, to: label, \.title)
    person.name = "Grace"
    XCTAssertEqual(label.titles.events, ["Ada", "Grace"])
  }

  func test_bind_toANestedTarget_setsIt() {
    let company = Company()
    let other = Person(employer: company)
    observations.bind(person, \.name, to: other, \.employer!.name)
    person.name = "Grace"
    XCTAssertEqual(company.name, "Grace")
  }

  func test_bind_transform_setsTheTransformedValue() {
    observations.bind(person, \.age, to: label, \.text) { "\($0) years" }
    person.age = 37
    observations.bind(person, \.employer, to: label, \.title) { $0?.name }
    person.employer = Company(name: "A")
    XCTAssertEqual(label.texts.events, ["36 years", "37 years"])
    XCTAssertEqual(label.titles.events, [nil, "A"])
  }

  func test_bind_mutationInPlace_copiesNothing() {
    var addresses: [UnsafeRawPointer?] = []
    person.tags = (0..<100).map(String.init)
    person.tags.reserveCapacity(1_000)
    observations.bind(person, \.tags, to: label, \.number) { tags in
      addresses.append(tags.withUnsafeBytes { $0.baseAddress })
      return tags.count
    }
    for _ in 0..<100 { person.tags.append("x") }
    XCTAssertEqual(label.number, 200)
    XCTAssertEqual(Set(addresses).count, 1)
  }

  func test_bind_toAnObservedTarget_notifiesItsObservers() {
    let recorder = ChangeRecorder<String>()
    let recording = ObservationController(observer: recorder)
    recording.observe(label, \.caption, action: ChangeRecorder<String>.record)
    observations.bind(person, \.name, to: label, \.caption)
    person.name = "Grace"
    XCTAssertEqual(recorder.events, [.changed("", "Ada"), .changed("Ada", "Grace")])
  }

  func test_bind_inAChain_setsAllOfIt() {
    let (first, second, third) = (Dial(1), Dial(), Dial())
    observations.bind(second, \.value, to: third, \.value)
    observations.bind(first, \.value, to: second, \.value)
    first.value = 2
    XCTAssertEqual([second.value, third.value], [2, 2])
  }

  // MARK: Identity

  func test_bind_again_changesNothingAndReturnsTheFirstToken() {
    var calls = 0
    func bind() -> ObservationToken {
      observations.bind(person, \.age, to: label, \.text) { age in
        calls += 1
        return "\(age)"
      }
    }
    let first = bind()
    XCTAssertTrue(first === bind())
    XCTAssertTrue(
      first === observations.bindText(person, \.age, to: label, \.text, replacing: .whole))
    XCTAssertEqual(calls, 1)
    XCTAssertEqual(label.texts.events, ["36"])
    XCTAssertEqual(observations.observations.count, 1)
    first.invalidate()
    XCTAssertFalse(first === bind())
    XCTAssertEqual(label.texts.events, ["36", "36"])
  }

  func test_bind_toSeveralTargets_makesSeveral() {
    let (other, caption) = (Label(), Label())
    let tokens = [
      observations.bind(person, \.name, to: label, \.text),
      observations.bind(person, \.name, to: other, \.text),
      observations.bind(person, \.name, to: label, \.title),
      observations.bind(person, \.name, to: caption, \.caption),
    ]
    XCTAssertEqual(Set(tokens.map(ObjectIdentifier.init)).count, 4)
    person.name = "Grace"
    tokens[0].invalidate()
    person.name = "Joan"
    XCTAssertEqual(label.texts.events, ["Ada", "Grace"])
    XCTAssertEqual(other.texts.events, ["Ada", "Grace", "Joan"])
    XCTAssertEqual(label.titles.events, ["Ada", "Grace", "Joan"])
  }

  func test_bind_besideAnObservation_isApartFromIt() {
    let binding = observations.bind(person, \.name, to: label, \.text)
    let observation = observations.observe(person, \.name) { panel, _, change in
      panel.recorder.write(change)
    }
    XCTAssertFalse(binding === observation)
    person.name = "Grace"
    XCTAssertEqual(panel.recorder.events, ["Ada → Grace"])
    XCTAssertEqual(label.texts.events, ["Ada", "Grace"])
    observation.invalidate()
    XCTAssertTrue(binding.isActive)
  }

  func test_bind_isListedWithTheObservations() {
    let line: UInt = #line + 1
    observations.bind(person, \.name, to: label, \.text)
    let description = observations.observations[0]
    XCTAssertTrue(description.object === person)
    XCTAssertTrue(description.observer === panel)
    XCTAssertEqual(description.keyPath, \Person.name)
    XCTAssertEqual(description.options, .initial)
    XCTAssertEqual(description.handlerKind, .binding)
    XCTAssertEqual(description.file, #fileID)
    XCTAssertEqual(description.line, line)
    XCTAssertTrue(observations.isObserving(person, \.name))
  }

  // MARK: To itself

  func test_bind_toItself_leavesItAsItIs() {
    let (dial, instrument) = (Dial(1), Instrument())
    panel.watch(dial, as: "dial")
    assertNoIssues {
      XCTAssertTrue(observations.bind(dial, \.value, to: dial, \.value).isActive)
      observations.bind(instrument, \.reading, to: instrument, \.reading)
      observations.bindText(label, \.caption, to: label, \.caption, replacing: .number)
      dial.value = 2
      instrument.reading.degrees = 3
      label.caption = "4 a"
    }
    XCTAssertEqual(panel.recorder.events, ["dial 1 → 2"])
    XCTAssertEqual(label.caption, "4 a")
  }

  func test_bind_toItself_transform_isAppliedUntilItStays() {
    let dial = Dial(17)
    panel.watch(dial, as: "dial")
    assertNoIssues {
      observations.bind(dial, \.value, to: dial, \.value) { min($0, 10) }
      dial.value = 5
      dial.value = 12
    }
    XCTAssertEqual(
      panel.recorder.events, ["dial 17 → 10", "dial 10 → 5", "dial 5 → 12", "dial 12 → 10"])
  }

  func test_bind_toItself_transformThatNeverStays_isReportedAsACycle() {
    let dial = Dial(0)
    let issues = collectingIssues {
      observations.bind(dial, \.value, to: dial, \.value) { $0 + 1 }
    }
    XCTAssertEqual(issues.map(\.keyPath), [\Dial.value])
  }
}
