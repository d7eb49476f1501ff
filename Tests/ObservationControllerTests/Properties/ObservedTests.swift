import ObservationController
import TestSupport
import XCTest

/// `@Observed` as a property: its declarations, and its behaviour observed and unobserved.
final class ObservedTests: TestCase {
  // MARK: Reading and writing

  func test_property_unobserved_behavesAsAStoredProperty() {
    let person = Person()
    person.name = "Grace"
    person.name += " Hopper"
    person.age += 1
    person.tags.append("navy")
    person.tags[0].append("!")
    XCTAssertEqual(person.name, "Grace Hopper")
    XCTAssertEqual(person.age, 37)
    XCTAssertEqual(person.tags, ["navy!"])
  }

  func test_property_observed_readsTheNewValueDuringDelivery() {
    let counter = Counter()
    let recorder = Recorder<Int>()
    let controller = ObservationController(observer: recorder)
    controller.observe(counter, \.count, options: .prior) { recorder, counter, _ in
      recorder.append(counter.count)
    }
    counter.count = 1
    counter.count += 1
    XCTAssertEqual(recorder.events, [0, 1, 1, 2])
  }

  func test_property_setThroughKeyPath_delivers() {
    let counter = Counter()
    let (recorder, controller) = makeRecorder(of: Int.self)
    controller.observe(counter, \.count, action: ChangeRecorder<Int>.record)
    counter[keyPath: \.count] = 1
    counter[keyPath: \.count] += 1
    XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(1, 2)])
  }

  func test_property_ofOneObject_doesNotConcernAnother() {
    let (counter, other) = (Counter(), Counter())
    let (recorder, controller) = makeRecorder(of: Int.self)
    controller.observe(counter, \.count, action: ChangeRecorder<Int>.record)
    other.count = 5
    counter.count = 1
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
  }

  // MARK: Access and initialisation

  func test_property_withPrivateSetter_deliversItsChanges() {
    let door = Door(width: 80)
    let (recorder, controller) = makeRecorder(of: Int.self)
    controller.observe(
      door, \.visits, options: [.initial, .old], action: ChangeRecorder<Int>.record)
    door.enter()
    door.enter()
    XCTAssertEqual(recorder.events, [.initial(0), .changed(0, 1), .changed(1, 2)])
  }

  func test_property_setInInit_needsNoDefaultValue() {
    let door = Door(width: 80)
    XCTAssertEqual(door.width, 80)
    let (recorder, controller) = makeRecorder(of: Int.self)
    controller.observe(door, \.width, options: .initial, action: ChangeRecorder<Int>.record)
    XCTAssertEqual(recorder.events, [.initial(80)])
  }

  // MARK: Storage

  func test_storage_copiedFromAnotherObject_bringsTheValueAndNoObservation() {
    let original = Door(width: 80)
    let (recorder, controller) = makeRecorder(of: Int.self)
    controller.observe(original, \.width, action: ChangeRecorder<Int>.record)
    let copy = Door(copying: original)
    copy.width = 90
    XCTAssertEqual(recorder.events, [])
    controller.observe(copy, \.width, action: ChangeRecorder<Int>.record)
    copy.width = 100
    XCTAssertEqual(recorder.takeEvents(), [.changed(90, 100)])
    original.width = 70
    XCTAssertEqual(recorder.events, [.changed(80, 70)])
  }

  func test_storage_copied_originalDeallocated_leavesEveryTable() {
    let (recorder, controller) = makeRecorder(of: Int.self, retainsObserved: false)
    var copy: Door?
    assertLeavesNoObservations {
      assertReleased {
        let original = Door(width: 80)
        controller.observe(original, \.width, action: ChangeRecorder<Int>.record)
        copy = Door(copying: original)
        return original
      }
    }
    copy?.width = 90
    XCTAssertEqual(recorder.events, [])
  }

  func test_storage_copied_newObjectAtTheOriginalsAddress_inheritsNothing() {
    let (recorder, controller) = makeRecorder(of: Int.self, retainsObserved: false)
    for _ in 1...3 {
      let copy = scoped {
        let original = Door(width: 80)
        controller.observe(original, \.width, action: ChangeRecorder<Int>.record)
        return Door(copying: original)
      }
      // Most often at the address that `original` had.
      let copyOfCopy = Door(copying: copy)
      copyOfCopy.width = 90
    }
    XCTAssertEqual(recorder.events, [])
  }

  // MARK: Values

  func test_property_ofAnyKindOfValue_delivers() {
    let kinds = Kinds()
    let recorder = LineRecorder()
    let controller = ObservationController(observer: recorder)
    controller.observe(kinds, \.optional) { $0.write($2) }
    controller.observe(kinds, \.tuple) { $0.write($2) }
    controller.observe(kinds, \.existential) { $0.write($2) }
    controller.observe(kinds, \.closure) { $0.write($2.newValue(2)) }
    controller.observe(kinds, \.nothing) { $0.write($2) }
    kinds.optional = 1
    kinds.optional = nil
    kinds.tuple.1 = "b"
    kinds.existential = "text"
    kinds.closure = { $0 * 10 }
    kinds.nothing = ()
    XCTAssertEqual(
      recorder.events,
      [
        "nil → Optional(1)", "Optional(1) → nil", "(1, \"a\") → (1, \"b\")", "0 → text", "20",
        "() → ()",
      ])
  }

  func test_property_holdingAnObject_releasesTheOldOne() {
    let (_, controller) = makeRecorder(of: Company?.self)
    let person = Person()
    controller.observe(person, \.employer) { _, _, _ in }
    assertReleased {
      let company = Company()
      person.employer = company
      person.employer = nil
      return company
    }
  }
}

/// A recorder and a controller of which it is the observer.
private func makeRecorder<Value>(
  of type: Value.Type, retainsObserved: Bool = true
) -> (ChangeRecorder<Value>, ObservationController<ChangeRecorder<Value>>) {
  let recorder = ChangeRecorder<Value>()
  return (
    recorder, ObservationController(observer: recorder, retainsObserved: retainsObserved)
  )
}

/// Sets a property in `init`, and has one with a private setter.
private final class Door {
  @Observed var width: Int
  @Observed private(set) var visits = 0

  init(width: Int) {
    self.width = width
  }

  /// Copies the storage, as a copying initialiser may.
  init(copying other: Door) {
    _width = other._width
    visits = other.visits
  }

  func enter() { visits += 1 }
}

private final class Kinds {
  @Observed var optional: Int?
  @Observed var tuple = (1, "a")
  @Observed var existential: any CustomStringConvertible = 0
  @Observed var closure: (Int) -> Int = { $0 }
  @Observed var nothing: Void = ()
}
