import ObservationController
import TestSupport
import XCTest

/// The contents of changes; a change that is kept retains only its values.
final class ObservedChangeTests: TestCase {
  private let counter = Counter()

  /// The changes that an observation of a counter delivers, from 0 to 1.
  private func changes(
    _ options: ObservationOptions, context: ObservationContext? = nil,
    observe keyPath: KeyPath<Counter, Int> = \.count
  ) -> [ObservedChange<Int>] {
    let recorder = Recorder<ObservedChange<Int>>()
    let controller = ObservationController(observer: recorder)
    controller.observe(counter, keyPath, options: options, context: context) {
      $0.append($2)
    }
    counter.count = 1
    return recorder.events
  }

  func test_changeMadeByHand_isAsAHandlerReceivesIt() {
    let change = ObservedChange(
      oldValue: 1, newValue: 2, keyPath: \Person.age, context: "by hand")
    XCTAssertEqual([change.oldValue, change.newValue], [1, 2])
    XCTAssertEqual(change.keyPath, \Person.age)
    XCTAssertEqual(change.context, "by hand")
    XCTAssertEqual("\(change)", "1 → 2")
    let initial = ObservedChange(newValue: "a", isInitial: true)
    XCTAssertTrue(initial.isInitial && !initial.isPrior)
    XCTAssertNil(initial.oldValue)
    XCTAssertEqual("\(ObservedChange(newValue: 3, isPrior: true))", "about to change from 3")
  }

  func test_change_kinds_areDistinguished() {
    let changes = changes([.initial, .old, .prior])
    XCTAssertEqual(changes.map(\.isInitial), [true, false, false])
    XCTAssertEqual(changes.map(\.isPrior), [false, true, false])
    XCTAssertEqual(changes.map(\.newValue), [0, 0, 1])
  }

  func test_change_oldValue_withOld_isSetExceptInitially() {
    XCTAssertEqual(changes([.initial, .old, .prior]).map(\.oldValue), [nil, 0, 0])
  }

  func test_change_oldValue_withOldOnAPath_isSetExceptInitially() {
    XCTAssertEqual(
      changes([.initial, .old, .prior], observe: \.doubled).map(\.oldValue), [nil, 0, 0])
  }

  func test_change_oldValue_withoutOld_isNil() {
    XCTAssertEqual(changes([.initial, .prior]).map(\.oldValue), [nil, nil, nil])
  }

  func test_change_oldValue_withoutOldOnAPath_isNil() {
    XCTAssertEqual(
      changes([.initial, .prior], observe: \.doubled).map(\.oldValue), [nil, nil, nil])
  }

  func test_change_oldValue_withoutOld_besideAnObservationWithIt_isNil() {
    let observer = SilentObserver()
    let controller = ObservationController(observer: observer)
    controller.observe(counter, \.count, options: .old, context: "old") { _, _, _ in }
    XCTAssertEqual(changes([.initial, .prior, .distinct]).map(\.oldValue), [nil, nil, nil])
  }

  func test_change_keyPathAndContext_areThoseRegistered() {
    for change in changes([.initial, .old, .prior], context: "a") {
      XCTAssertEqual(change.keyPath, \Counter.count)
      XCTAssertEqual(change.context, "a")
    }
    XCTAssertEqual(changes(.old).map(\.context), [nil])
    XCTAssertEqual(changes(.old, observe: \.doubled).map(\.keyPath), [\Counter.doubled])
  }

  func test_change_description_isOneLine() {
    XCTAssertEqual(
      changes([.initial, .old, .prior]).map(\.description),
      ["initially 0", "about to change from 0", "0 → 1"])
    counter.count = 0
    XCTAssertEqual(changes([]).map(\.description), ["→ 1"])
  }

  // MARK: Kept changes

  func test_keptChange_retainsOnlyItsValues() {
    var kept: [ObservedChange<Int>] = []
    let handlers = LifetimeCounter()
    weak var observer: SilentObserver?
    weak var object: Counter?
    weak var controller: ObservationController<SilentObserver>?
    assertLeavesNoObservations {
      let (newObserver, newObject) = (SilentObserver(), Counter())
      let newController = ObservationController(observer: newObserver)
      (observer, object, controller) = (newObserver, newObject, newController)
      newController.observe(newObject, \.count, options: [.initial, .old, .prior]) {
        [ticket = handlers.makeTicket()] _, _, change in
        _ = ticket
        kept.append(change)
      }
      newObject.count = 1
    }
    XCTAssertEqual(kept.map(\.newValue), [0, 0, 1])
    XCTAssertEqual(kept.map(\.keyPath), Array(repeating: \Counter.count, count: 3))
    XCTAssertNil(observer)
    XCTAssertNil(object)
    XCTAssertNil(controller)
    XCTAssertEqual(handlers.count, 0)
  }

  func test_keptChange_keepsItsValuesAndReleasesThem() {
    let person = Person()
    let observer = SilentObserver()
    let controller = ObservationController(observer: observer)
    var kept: [ObservedChange<Company?>] = []
    controller.observe(person, \.employer) { kept.append($2) }
    weak var company: Company?
    scoped {
      let new = Company()
      company = new
      person.employer = new
      person.employer = nil
    }
    XCTAssertNotNil(company)
    XCTAssertEqual(kept.count, 2)
    kept = []
    XCTAssertNil(company)
  }

  func test_delivery_keepsNoValueAliveAfterwards() {
    let person = Person()
    let observer = SilentObserver()
    let controller = ObservationController(observer: observer)
    controller.observe(person, \.employer, options: [.initial, .old, .prior, .distinct]) {
      _, _, _ in
    }
    controller.observe(person, \.employer?.name, options: [.initial, .old, .prior, .distinct]) {
      _, _, _ in
    }
    assertReleased {
      let company = Company()
      person.employer = company
      company.name = "B"
      person.employer = nil
      return company
    }
  }
}

extension Counter {
  fileprivate var doubled: Int { 2 * count }
}
