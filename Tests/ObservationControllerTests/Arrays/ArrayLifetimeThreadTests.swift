import Foundation
import ObservationController
import TestSupport
import XCTest

/// C20 and C14: several threads observe and unobserve one array and its elements at once, while it
/// is not edited. Run with ThreadSanitizer too.
final class ArrayLifetimeThreadTests: CountingTestCase {
  /// Ten threads add and remove observations of one array, by all paths that lead to it; then each
  /// remaining observation delivers an edit once, and each change of an element once.
  func test_C20_tenThreadsAddingAndRemoving_loseNothingAndDoubleNothing() {
    let school = UncheckedReference(School(students("abcabc")))
    let town = UncheckedReference(Town(school.object))
    let tallies = (0..<10).map { _ in CallCounter() }
    let controllers = tallies.map { ObservationController(observer: $0) }
    let kept = Recorder<ObservationToken>()
    let rounds = Effort.count(quick: 9, full: 30)
    onThreads(10) { thread in
      let observations = controllers[thread]
      for round in 0..<rounds {
        let keyPaths: [PartialKeyPath<Student>] = [\.age, \.label, \.address?.city]
        let context = ObservationContext("\(round)")
        let tokens = [
          observations.observeArray(
            school.object, \.students, elements: keyPaths, context: context
          ) { tally, _, _ in tally.increment() },
          observations.observeArray(
            town.object, \.school?.students, elements: keyPaths, context: context
          ) { tally, _, _ in tally.increment() },
          observations.observeArray(
            school.object.students, elements: [\.age], context: context
          ) { tally, _, _ in tally.increment() },
          observations.observeArray(
            school.object, \.students.elements, elements: [\.label], context: context
          ) { tally, _, _ in tally.increment() },
        ]
        if round.isMultiple(of: 3) {
          for token in tokens { kept.append(token) }
        } else {
          for token in tokens.shuffled() { token.invalidate() }
        }
      }
    }
    XCTAssertEqual(kept.events.count, 10 * rounds / 3 * 4)
    XCTAssertTrue(kept.events.allSatisfy(\.isActive))
    // Observations of a property: by the paths to the array, on its own, and by the computed
    // `label`.
    school.object.students[0].age = 1
    XCTAssertEqual(tallies.map(\.count), Array(repeating: rounds / 3 * 6, count: 10))
    school.object.students[1].address?.city = "Rome"
    XCTAssertEqual(tallies.map(\.count), Array(repeating: rounds / 3 * 8, count: 10))
    school.object.students.removeLast()
    XCTAssertEqual(tallies.map(\.count), Array(repeating: rounds / 3 * 12, count: 10))
    withExtendedLifetime(controllers) {}
  }

  func test_C20_controllersDeallocated_whileOthersObserveTheirArray() {
    let school = UncheckedReference(School(students("abc")))
    let tally = CallCounter()
    let rounds = Effort.count(quick: 30, full: 150)
    onThreads(4) { _ in
      for _ in 0..<rounds {
        let observations = ObservationController(observer: tally, retainsObserved: false)
        observations.observeArray(
          school.object, \.students, elements: [\.age, \.label], options: .initial
        ) { tally, _, _ in tally.increment() }
        _ = observations.isObserving(school.object, \.students)
        _ = ObservationDispatcher.shared.observations(of: school.object).count
      }
    }
    XCTAssertEqual(tally.count, 4 * rounds)
    school.object.students[0].age = 1
    XCTAssertEqual(tally.count, 4 * rounds)
  }

  func test_C20_viewsMadeAndDropped_onSeveralThreads() {
    let source = UncheckedReference(ObservableArray(students("abcdef")))
    onThreads(4) { _ in
      for _ in 0..<Effort.count(quick: 20, full: 100) {
        let view = source.object.filtered(on: [\.age]) { $0.age >= 18 }
          .sorted(on: [\.label]) { $0.label > $1.label }
        XCTAssertEqual(view.map(\.name), ["f", "e", "d", "c", "b", "a"])
      }
    }
  }

  func test_C17_onSeveralThreadsAtOnce_registersOnce() {
    let school = UncheckedReference(School(students("ab")))
    let tally = CallCounter()
    let observations = ObservationController(observer: tally)
    for _ in 0..<Effort.count(quick: 20, full: 100) {
      let tokens = Recorder<ObservationToken>()
      onThreads(4) { _ in
        tokens.append(
          observations.observeArray(school.object, \.students, elements: [\.age, \.label]) {
            tally, _, _ in tally.increment()
          })
      }
      XCTAssertEqual(Set(tokens.events.map(ObjectIdentifier.init)).count, 1)
      let before = tally.count
      school.object.students[1].age += 1
      XCTAssertEqual(tally.count, before + 2)
      observations.unobserveAll()
    }
  }

  func test_C20_tokensInvalidated_whileElementsAreSetOnAnotherThread() {
    let tally = CallCounter()
    let observations = ObservationController(observer: tally)
    for _ in 0..<Effort.count(quick: 30, full: 150) {
      let array = UncheckedReference(ObservableArray(students("abc")))
      let tokens = (0..<4).map { index in
        observations.observeArray(
          array.object, elements: [\.age, \.label], context: ObservationContext("\(index)")
        ) { tally, _, _ in tally.increment() }
      }
      onThreads(2) { thread in
        if thread == 0 {
          for age in 0..<20 { array.object[age % 3].age = age }
        } else {
          for token in tokens { token.invalidate() }
        }
      }
      let after = tally.count
      array.object[0].age = 99
      array.object.removeAll()
      XCTAssertEqual(tally.count, after)
    }
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_C14_ownersAndArraysDeallocated_whileTheyAreUnobserved() {
    let tally = CallCounter()
    let observations = ObservationController(observer: tally, retainsObserved: false)
    for _ in 0..<Effort.count(quick: 25, full: 500) {
      let box = Guarded<UncheckedReference<School>?>(nil)
      let tokens = Recorder<ObservationToken>()
      scoped {
        let school = School(students("ab"))
        tokens.append(
          observations.observeArray(school, \.students, elements: [\.age, \.label]) { _, _, _ in })
        tokens.append(observations.observeArray(school.students, elements: [\.age]) { _, _, _ in })
        tokens.append(observations.observeArray(school, \.teachers) { _, _, _ in })
        let reference = UncheckedReference(school)
        box.withLock { $0 = reference }
      }
      onThreads(2) { thread in
        if thread == 0 {
          box.withLock { $0 = nil }
        } else {
          for token in tokens.events { token.invalidate() }
        }
      }
    }
    XCTAssertEqual(observations.observations.count, 0)
  }
}
