import ObservationController
import TestSupport
import XCTest

/// The values that two-way bindings set, and the identity of bindings.
final class TwoWayBindingTests: TestCase {
  private let (a, b) = (Dial(1), Dial(9))
  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  @discardableResult
  private func bindDegrees() -> ObservationToken {
    observations.bindTwoWay(
      a, \.value, with: b, \.value, forward: Degrees.fahrenheit, backward: Degrees.celsius)
  }

  // MARK: Values

  func test_bindTwoWay_secondTakesTheFirstsValue_thenEachTheOthers() {
    panel.watch(a, as: "a")
    panel.watch(b, as: "b")
    observations.bindTwoWay(a, \.value, with: b, \.value)
    a.value = 2
    b.value = 3
    b.value = 4
    a.value = 5
    XCTAssertEqual(
      panel.recorder.events,
      [
        "b 9 → 1", "a 1 → 2", "b 1 → 2", "b 2 → 3", "a 2 → 3", "b 3 → 4", "a 3 → 4", "a 4 → 5",
        "b 4 → 5",
      ])
  }

  func test_bindTwoWay_converters_theLastWriterKeepsItsValue() {
    let conversions = LineRecorder()
    observations.bindTwoWay(
      a, \.value, with: b, \.value,
      forward: {
        conversions.write("\($0) °C")
        return Degrees.fahrenheit($0)
      },
      backward: {
        conversions.write("\($0) °F")
        return Degrees.celsius($0)
      })
    XCTAssertEqual([a.value, b.value], [1, 33])
    b.value = 69
    XCTAssertEqual([a.value, b.value], [20, 69])
    a.value = 21
    XCTAssertEqual([a.value, b.value], [21, 69])
    b.value = 70
    XCTAssertEqual([a.value, b.value], [21, 70])
    XCTAssertEqual(conversions.events, ["1 °C", "69 °F", "21 °C", "70 °F"])
  }

  func test_bindTwoWay_followerSetToTheValueThatItHas_leads() {
    bindDegrees()
    b.value = 69
    a.value = 20
    XCTAssertEqual([a.value, b.value], [20, 68])
  }

  func test_bindTwoWay_inheritedFollower_setToTheValueThatItHas_leads() {
    class Scale { @Observed var value = 1 }
    final class Thermometer: Scale {}
    let a = Thermometer()
    observations.bindTwoWay(
      a, \.value, with: b, \.value, forward: Degrees.fahrenheit, backward: Degrees.celsius)
    b.value = 69
    a.value = 20
    XCTAssertEqual([a.value, b.value], [20, 68])
  }

  func test_bindTwoWay_atomicFollower_setToTheValueThatItHas_leads() {
    let a = Gauge()
    observations.bindTwoWay(
      a, \.count.wrappedValue, with: b, \.value,
      forward: Degrees.fahrenheit, backward: Degrees.celsius)
    b.value = 69
    a.count.wrappedValue = 20
    XCTAssertEqual([a.count.wrappedValue, b.value], [20, 68])
  }

  func test_bindTwoWay_leaderSetToTheValueThatItHas_changesNothing() {
    bindDegrees()
    b.value = 69
    panel.watch(a, as: "a")
    b.value = 69
    XCTAssertEqual(panel.recorder.events, [])
  }

  func test_bindTwoWay_transactionThatSetsBothEnds_keepsTheFirst() {
    observations.bindTwoWay(a, \.value, with: b, \.value)
    for value in [3, 3, 4] {
      withObservationTransaction {
        a.value = value
        b.value = 5
      }
      XCTAssertEqual([a.value, b.value], [value, value])
    }
    b.value = 6
    withObservationTransaction {
      b.value = 6
      a.value = 7
    }
    XCTAssertEqual([a.value, b.value], [6, 6])
  }

  func test_bindTwoWay_ofOneObject_keepsItsPropertiesInStep() {
    observations.bindTwoWay(a, \.value, with: a, \.other)
    a.other = 5
    XCTAssertEqual(a.value, 5)
    a.value = 6
    XCTAssertEqual(a.other, 6)
    XCTAssertEqual(observations.observations.count, 2)
  }

  func test_bindTwoWay_nestedAndComputedPaths_areKeptInStep() {
    let (account, person) = (Account(), Person(employer: Company(name: "A")))
    observations.bindTwoWay(account, \.frame.x, with: b, \.doubled)
    XCTAssertEqual(b.value, 0)
    b.value = 4
    XCTAssertEqual(account.frame, Frame(x: 8, y: 0))
    account.frame.x = 7
    XCTAssertEqual(
      [account.frame.x, b.value, b.doubled], [6, 3, 6], "set to a value that it rejected")
    observations.bindTwoWay(person, \.employer!.name, with: person, \.name)
    XCTAssertEqual(person.name, "A")
    person.name = "B"
    XCTAssertEqual(person.employer?.name, "B")
    person.employer = Company(name: "C")
    XCTAssertEqual(person.name, "C")
  }

  func test_bindTwoWay_pathWithAnEqualValue_doesNotLead() {
    let c = Dial(0)
    b.other = 1_000
    observations.bindTwoWay(
      c, \.value, with: b, \.clamped, forward: Degrees.celsius, backward: Degrees.fahrenheit)
    c.value = 69
    b.other = 2_000
    XCTAssertEqual([c.value, b.clamped], [69, 20])
  }

  func test_bindTwoWay_mutationInPlace_isCarriedOver() {
    let (first, second) = (Person(), Person())
    observations.bindTwoWay(first, \.tags, with: second, \.tags)
    first.tags.append("x")
    second.tags.append("y")
    XCTAssertEqual(first.tags, ["x", "y"])
    XCTAssertEqual(second.tags, ["x", "y"])
  }

  func test_bindTwoWay_optionals_areCarriedOver() {
    let (first, second) = (Instrument(), Instrument())
    observations.bindTwoWay(first, \.holder, with: second, \.holder)
    let holder = Person("Ada")
    second.holder = holder
    XCTAssertTrue(first.holder === holder)
    first.holder = nil
    XCTAssertNil(second.holder)
  }

  func test_bindTwoWay_valuesThatCanNotBeCompared_areCarriedOver() {
    let (first, second) = (Instrument(), Instrument())
    var conversions = 0
    func convert(_ reading: Reading) -> Reading {
      conversions += 1
      return reading
    }
    assertNoIssues {
      observations.bindTwoWay(
        first, \.reading, with: second, \.reading, forward: convert, backward: convert)
      first.reading.degrees = 1
      XCTAssertEqual(second.reading.degrees, 1)
      second.reading.degrees = 2
      XCTAssertEqual(first.reading.degrees, 2)
    }
    XCTAssertEqual(conversions, 3)
  }

  func test_bindTwoWay_valuesUnequalToThemselves_areCarriedOverOnce() {
    let (first, second) = (Instrument(), Instrument())
    let recorder = ChangeRecorder<Double>()
    let recording = ObservationController(observer: recorder)
    assertNoIssues {
      observations.bindTwoWay(first, \.level, with: second, \.level)
      recording.observe(first, \.level, options: [], action: ChangeRecorder<Double>.record)
      first.level = .nan
      XCTAssertTrue(second.level.isNaN)
      second.level = .nan
      second.level = 1
    }
    XCTAssertEqual(recorder.events.count, 3)
    XCTAssertEqual(first.level, 1)
  }

  func test_bindTwoWay_valueUnequalToItself_setAgain_isNotCarriedOverAgain() {
    let (first, second) = (Instrument(), Instrument())
    let recorder = ChangeRecorder<Double>()
    let recording = ObservationController(observer: recorder)
    observations.bindTwoWay(first, \.level, with: second, \.level)
    recording.observe(second, \.level, options: [], action: ChangeRecorder<Double>.record)
    for _ in 0..<3 { first.level = .nan }
    XCTAssertEqual(recorder.events.count, 1)
    first.level = 2
    XCTAssertEqual(second.level, 2)
    XCTAssertEqual(recorder.events.count, 2)
  }

  func test_bindTwoWay_pathUnequalToItself_doesNotLead() {
    final class Sum {
      @Observed var stored = 0.0
      @Observed var other = 1
      var value: Double {
        get {
          _ = other
          return stored
        }
        set { stored = newValue }
      }
    }
    let (sum, person) = (Sum(), Person())
    observations.bindTwoWay(
      sum, \.value, with: person, \.name,
      forward: { String($0) }, backward: { Double($0) ?? .nan })
    person.name = "abc"
    sum.other = 2
    XCTAssertEqual(person.name, "abc")
    XCTAssertTrue(sum.value.isNaN)
    sum.value = 3
    XCTAssertEqual(person.name, "3.0")
  }

  // MARK: Identity

  func test_bindTwoWay_again_inEitherOrder_returnsTheFirstToken() {
    let first = bindDegrees()
    b.value = 69
    XCTAssertTrue(first === bindDegrees())
    let reverse = observations.bindTwoWay(
      b, \.value, with: a, \.value, forward: Degrees.celsius, backward: Degrees.fahrenheit)
    XCTAssertTrue(first === reverse)
    XCTAssertTrue(first === observations.bindTwoWay(a, \.value, with: b, \.value))
    XCTAssertEqual([a.value, b.value], [20, 69])
    XCTAssertEqual(observations.observations.count, 2)
  }

  func test_bindTwoWay_besideABinding_isApartFromIt() {
    let oneWay = observations.bind(a, \.value, to: b, \.value)
    let twoWay = observations.bindTwoWay(a, \.value, with: b, \.value)
    XCTAssertFalse(oneWay === twoWay)
    assertNoIssues {
      b.value = 2
      XCTAssertEqual(a.value, 2)
      a.value = 3
      XCTAssertEqual(b.value, 3)
    }
  }

  func test_bindTwoWay_isListedForBothObjects() {
    bindDegrees()
    let dispatcher = ObservationDispatcher.shared
    XCTAssertEqual(dispatcher.observations(of: a).map(\.handlerKind), [.binding])
    XCTAssertEqual(dispatcher.observations(of: b).map(\.handlerKind), [.binding])
    XCTAssertTrue(observations.isObserving(b, \.value))
    XCTAssertTrue(dispatcher.observers(of: b, \.value).first === panel)
  }

  // MARK: To itself

  func test_bindTwoWay_toItself_leavesItAsItIs() {
    panel.watch(a, as: "a")
    assertNoIssues {
      let token = observations.bindTwoWay(
        a, \.value, with: a, \.value, forward: { $0 + 1 }, backward: { $0 - 1 })
      XCTAssertTrue(token.isActive)
      a.value = 5
      token.invalidate()
    }
    XCTAssertEqual(panel.recorder.events, ["a 1 → 5"])
  }

  func test_bindTwoWay_toItselfByAnotherKeyPath_ends() {
    panel.watch(a, as: "a")
    assertNoIssues {
      observations.bindTwoWay(a, \.value, with: a, \.itself.value)
      a.value = 5
    }
    XCTAssertEqual(a.value, 5)
    let issues = collectingIssues {
      observations.bindTwoWay(
        b, \.value, with: b, \.itself.value, forward: { $0 + 1 }, backward: { $0 - 1 })
      b.value = 0
    }
    XCTAssertGreaterThan(issues.count, 0)
  }
}
