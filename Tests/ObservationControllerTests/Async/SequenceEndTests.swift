import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Ends of sequences and of their observations.
final class SequenceEndTests: CountingTestCase {
  private let counter = Counter()

  private func assertNoneIsActive(line: UInt = #line) {
    XCTAssertEqual(newObservations, 0, line: line)
  }

  // MARK: The observation ends

  func test_sequence_endedInEachWay_endsAfterItsBuffer() async {
    for way in WayToEnd<SilentObserver, Counter, Int>.all {
      let observer = SilentObserver()
      let counter = Counter()
      var observations: ObservationController? = ObservationController(observer: observer)
      let changes = observations!.changes(of: counter, \.count)
      let values = observations!.values(of: counter, \.count)
      counter.count = 1
      way.end(&observations, counter, \.count)
      counter.count = 2
      assertNoneIsActive()
      let (first, second) = (await changes.collect().map(\.newValue), await values.collect())
      XCTAssertEqual(first, [1], way.name)
      XCTAssertEqual(second, [0, 1], way.name)
    }
  }

  func test_sequence_endedWhileTheLoopWaits_endsTheLoop() async {
    for way in WayToEnd<SilentObserver, Counter, Int>.all {
      let observer = SilentObserver()
      let counter = Counter()
      var observations: ObservationController? = ObservationController(observer: observer)
      let values = observations!.values(of: counter, \.count)
      let began = expectation(description: "began")
      let task = Task {
        var all: [Int] = []
        for await value in values {
          all.append(value)
          began.fulfill()
        }
        return all
      }
      await fulfillment(of: [began], timeout: 60)
      way.end(&observations, counter, \.count)
      let all = await task.value
      XCTAssertEqual(all, [0], way.name)
    }
  }

  func test_sequence_unretainedObjectDeallocated_ends() async {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer, retainsObserved: false)
    var values: [ObservationValues<Int>] = []
    var names: [ObservationValues<String?>] = []
    assertReleased {
      let person = Person(employer: Company(name: "Navy"))
      values.append(observations.values(of: person, \.age))
      names.append(observations.values(of: person, \.employer?.name))
      person.age = 37
      return person
    }
    assertNoneIsActive()
    let (ages, all) = (await values[0].collect(), await names[0].collect())
    XCTAssertEqual(ages, [36, 37])
    XCTAssertEqual(all, ["Navy"])
  }

  // MARK: The observer is deallocated, the controller stays

  private func observationsOfADeallocatedObserver(
    _ body: (ObservationController<SilentObserver>) -> Void
  ) -> ObservationController<SilentObserver> {
    scoped {
      let observer = SilentObserver()
      let observations = ObservationController(observer: observer)
      body(observations)
      return observations
    }
  }

  func test_C12_sequence_observerDeallocated_endsWithTheNextChange() async {
    for others in 0...2 {
      let person = Person(employer: Company())
      var changes: [ObservationChanges<Int>] = []
      var names: [ObservationChanges<String?>] = []
      let observer = SilentObserver()
      let living = ObservationController(observer: observer)
      let observations = observationsOfADeallocatedObserver { observations in
        for index in 0..<others {
          living.observe(person, \.age, context: ObservationContext("\(index)")) { _, _, _ in }
        }
        changes.append(observations.changes(of: person, \.age))
        names.append(observations.changes(of: person, \.employer?.name))
        person.age = 1
      }
      person.age = 2
      person.employer = nil
      let (ages, all) = (await changes[0].collect(), await names[0].collect())
      XCTAssertEqual(ages.map(\.newValue), [1])
      XCTAssertEqual(all.count, 0)
      XCTAssertEqual(observations.observations.count, 0)
    }
  }

  func test_C12_sequence_observerDeallocated_endsAtTheTablesNextUse() async {
    let uses: [(ObservationController<SilentObserver>) -> Void] = [
      { _ in _ = ObservationDispatcher.shared.activeObservationCount },
      { _ = $0.observations },
    ]
    for use in uses {
      var values: [ObservationValues<Int>] = []
      let observations = observationsOfADeallocatedObserver { observations in
        values.append(observations.values(of: counter, \.count))
      }
      XCTAssertFalse(observations.isObserving(counter, \.count))
      use(observations)
      let all = await values[0].collect()
      XCTAssertEqual(all, [0])
    }
  }

  func test_C12_sequence_ofADeallocatedObserver_endsAtOnce() async {
    let observations = observationsOfADeallocatedObserver { _ in }
    let changes = observations.changes(of: counter, \.count)
    let values = observations.values(of: counter, \.count)
    let (first, second) = (await changes.collect().count, await values.collect())
    XCTAssertEqual(first, 0)
    XCTAssertEqual(second, [])
    withExtendedLifetime(observations) {}
  }

  func test_C12_observation_ofADeallocatedObserver_endsWithTheController() {
    let observations = observationsOfADeallocatedObserver { observations in
      observations.observe(counter, \.count) { _, _, _ in XCTFail("delivered") }
    }
    counter.count = 1
    XCTAssertEqual(observations.observations.count, 1)
  }

  // MARK: The loop ends

  func test_sequence_taskCancelled_endsLoopAndObservation() async {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    let values = observations.values(of: counter, \.count)
    let began = expectation(description: "began")
    let task = Task {
      for await _ in values { began.fulfill() }
    }
    await fulfillment(of: [began], timeout: 60)
    task.cancel()
    await task.value
    assertNoneIsActive()
    counter.count = 1
    let rest = await values.collect()
    XCTAssertEqual(rest, [])
    withExtendedLifetime(observations) {}
  }

  func test_sequence_dropped_endsTheObservation() {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    scoped {
      let changes = observations.changes(of: counter, \.count)
      counter.count = 1
      XCTAssertTrue(observations.isObserving(counter, \.count))
      withExtendedLifetime(changes) {}
    }
    XCTAssertFalse(observations.isObserving(counter, \.count))
    assertNoneIsActive()
  }

  func test_sequence_leftByBreak_endsTheObservation_ifNotRetained() async {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    for await _ in observations.values(of: counter, \.count) { break }
    assertNoneIsActive()
    let held = observations.values(of: counter, \.count)
    for await _ in held { break }
    XCTAssertTrue(observations.isObserving(counter, \.count))
    counter.count = 1
    for await value in held {
      XCTAssertEqual(value, 1)
      break
    }
    observations.unobserveAll()
    withExtendedLifetime(held) {}
  }

  func test_sequence_iteratorAlone_keepsTheObservation() async {
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    var iterator: ObservationValues<Int>.Iterator? =
      observations.values(of: counter, \.count).makeAsyncIterator()
    counter.count = 1
    let first = await iterator?.next()
    let second = await iterator?.next()
    XCTAssertEqual([first, second], [0, 1])
    iterator = nil
    assertNoneIsActive()
    withExtendedLifetime(observations) {}
  }
}
