import ObservationController
import TestSupport
import XCTest

/// C7, C10 and C19 for chains of properties: handlers that change the path being delivered.
final class PlainChainReentrancyTests: TestCase {
  private typealias Event = RecordedEvent<String>

  private let pet = ChainedPet("a")
  private lazy var person = ChainedPerson(pet)
  private let recorder = ChangeRecorder<String>()
  private lazy var observations = ObservationController(observer: recorder)

  private func record() {
    observations.observe(person, \.pet.name, action: ChangeRecorder<String>.record)
  }

  func test_C7_handlerOfALeafChange_replacesTheLink() {
    let other = ChainedPet("c")
    observations.observe(person, \.pet.name) { recorder, person, change in
      recorder.record(change)
      if change.newValue == "b" { person.pet = other }
    }
    record()
    let second = ChangeRecorder<String>()
    let later = ObservationController(observer: second)
    later.observe(person, \.pet.name, action: ChangeRecorder<String>.record)
    pet.name = "b"
    XCTAssertEqual(recorder.events, [.changed("a", "b"), .changed("b", "c")])
    XCTAssertEqual(second.events, [.changed("a", "b"), .changed("b", "c")])
    other.name = "d"
    XCTAssertEqual(second.events.last, .changed("c", "d"))
  }

  func test_C7_handlerOfALinkChange_setsTheLeaf() {
    let other = ChainedPet("b")
    observations.observe(person, \.pet.name) { recorder, person, change in
      recorder.record(change)
      if change.newValue == "b" {
        person.pet.name = "c"
        person.pet.name = "d"
      }
    }
    let second = ChangeRecorder<String>()
    let later = ObservationController(observer: second)
    later.observe(person, \.pet.name, action: ChangeRecorder<String>.record)
    person.pet = other
    let expected: [Event] = [.changed("a", "b"), .changed("b", "c"), .changed("c", "d")]
    XCTAssertEqual(recorder.events, expected)
    XCTAssertEqual(second.events, expected)
  }

  func test_C7_priorHandlerOfTheLeaf_thatSetsItFirst_givesOneContiguousChain() {
    var isFirst = true
    observations.observe(pet, \.name, options: [.old, .prior]) { _, pet, _ in
      guard isFirst else { return }
      isFirst = false
      pet.name = "between"
    }
    record()
    pet.name = "b"
    XCTAssertEqual(recorder.events, [.changed("a", "between"), .changed("between", "b")])
  }

  func test_C19_chainEndedByAnEarlierHandler_isNotNotified() {
    var token: ObservationToken?
    observations.observe(pet, \.name) { _, _, _ in token?.invalidate() }
    token = observations.observe(person, \.pet.name, action: ChangeRecorder<String>.record)
    pet.name = "b"
    pet.name = "c"
    XCTAssertEqual(recorder.events, [])
  }

  func test_C10_lastPropertySetByAPriorHandler_isDeliveredBeforeTheLink() {
    record()
    observations.observe(person, \.pet.tags, options: .prior) { [pet] _, _, change in
      if change.isPrior { pet.name = "b" }
    }
    person.pet = ChainedPet("c")
    XCTAssertEqual(recorder.events, [.changed("a", "b"), .changed("b", "c")])
    person.pet.name = "d"
    XCTAssertEqual(recorder.events.dropFirst(2), [.changed("c", "d")])
  }
}
