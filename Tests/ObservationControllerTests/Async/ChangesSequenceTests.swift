import Dispatch
import ObservationController
import TestSupport
import XCTest

/// The elements of the sequences, and the isolations that may consume them.
final class ChangesSequenceTests: TestCase {
  private let counter = Counter()
  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)

  private func count(to range: ClosedRange<Int>) {
    for value in range { counter.count = value }
  }

  // MARK: changes(of:)

  func test_changes_beginWithTheCall_notWithTheLoop() async {
    counter.count = 1
    let changes = observations.changes(of: counter, \.count)
    count(to: 2...3)
    observations.unobserveAll()
    counter.count = 4
    let events = await changes.collect().map { RecordedEvent($0) }
    XCTAssertEqual(events, [.changed(1, 2), .changed(2, 3)])
  }

  func test_changes_options_areThoseOfObserve() async {
    let everything = observations.changes(
      of: counter, \.count, options: [.initial, .old, .prior, .distinct])
    let nothing = observations.changes(of: counter, \.count, options: [])
    counter.count = 0
    counter.count = 1
    observations.unobserveAll()
    let (first, second) = (await everything.collect(), await nothing.collect())
    XCTAssertEqual(first.map { RecordedEvent($0) }, [.initial(0), .prior(0), .changed(0, 1)])
    XCTAssertEqual(second.map { RecordedEvent($0) }, [.changed(nil, 0), .changed(nil, 1)])
    XCTAssertTrue(first.allSatisfy { $0.keyPath == \Counter.count && $0.context == nil })
  }

  func test_changes_nestedAndComputedPaths_areElements() async {
    let person = Person(employer: Company(name: "Navy"))
    let names = observations.changes(of: person, \.employer?.name)
    let summaries = observations.changes(of: person, \.summary)
    person.employer?.name = "Remington"
    person.age = 37
    person.employer = nil
    observations.unobserveAll()
    let (first, second) = (await names.collect(), await summaries.collect())
    XCTAssertEqual(
      first.map { RecordedEvent($0) }, [.changed("Navy", "Remington"), .changed("Remington", nil)])
    XCTAssertEqual(second.map { RecordedEvent($0) }, [.changed("Ada, 36", "Ada, 37")])
  }

  func test_changes_thousands_arriveCompleteAndInOrder() async {
    let changes = observations.changes(of: counter, \.count)
    let consumer = Task { await changes.collect().map { RecordedEvent($0) } }
    let count = Effort.count(quick: 5_000, full: 100_000)
    let (counter, observations) = (UncheckedReference(counter), observations)
    await withCheckedContinuation { done in
      DispatchQueue.global().async {
        for value in 1...count { counter.object.count = value }
        observations.unobserveAll()
        done.resume()
      }
    }
    let events = await consumer.value
    XCTAssertEqual(events.count, count)
    XCTAssertEqual(events, (1...count).map { .changed($0 - 1, $0) })
  }

  func test_changes_bufferingNewest_theLastOneArrives() async {
    let newest = observations.changes(of: counter, \.count, bufferingPolicy: .bufferingNewest(1))
    let oldest = observations.changes(of: counter, \.count, bufferingPolicy: .bufferingOldest(2))
    count(to: 1...1_000)
    observations.unobserveAll()
    let (first, second) = (await newest.collect(), await oldest.collect())
    XCTAssertEqual(first.map { RecordedEvent($0) }, [.changed(999, 1_000)])
    XCTAssertEqual(second.map { RecordedEvent($0) }, [.changed(0, 1), .changed(1, 2)])
  }

  func test_changes_bufferingNewest_theLastOneArrives_alsoWhileItIsBeingTaken() async {
    let changes = observations.changes(of: counter, \.count, bufferingPolicy: .bufferingNewest(1))
    let consumer = Task { await changes.collect().map(\.newValue) }
    let (counter, observations) = (UncheckedReference(counter), observations)
    DispatchQueue.global().async {
      for value in 1...1_000 { counter.object.count = value }
      observations.unobserveAll()
    }
    let values = await consumer.value
    XCTAssertEqual(values.last, 1_000)
    XCTAssertEqual(values, Set(values).sorted())
  }

  // MARK: values(of:)

  func test_values_beginWithTheCurrentOne() async {
    counter.count = 7
    let values = observations.values(of: counter, \.count)
    count(to: 8...9)
    counter.count = 9
    observations.unobserveAll()
    let all = await values.collect()
    XCTAssertEqual(all, [7, 8, 9, 9])
  }

  func test_values_bufferingNewest_isTheLatestOne() async {
    let values = observations.values(of: counter, \.count, bufferingPolicy: .bufferingNewest(1))
    count(to: 1...5)
    observations.unobserveAll()
    let all = await values.collect()
    XCTAssertEqual(all, [5])
  }

  func test_values_ofAnOptionalPath_containNil() async {
    let person = Person()
    let names = observations.values(of: person, \.employer?.name)
    person.employer = Company(name: "Navy")
    person.employer = nil
    observations.unobserveAll()
    let all = await names.collect()
    XCTAssertEqual(all, [nil, "Navy", nil])
  }

  // MARK: Isolations

  func test_changes_calledTwice_areTwoSequences() async {
    observations.observe(counter, \.count) { _, _, _ in }
    let first = observations.changes(of: counter, \.count)
    let second = observations.changes(of: counter, \.count)
    let values = observations.values(of: counter, \.count)
    XCTAssertEqual(observations.observations.count, 4)
    XCTAssertEqual(observations.observations.map(\.handlerKind), [.block, .block, .block, .block])
    counter.count = 1
    observations.unobserve(counter, \.count)
    let all = (await first.collect(), await second.collect(), await values.collect())
    XCTAssertEqual(all.0.map(\.newValue), [1])
    XCTAssertEqual(all.1.map(\.newValue), [1])
    XCTAssertEqual(all.2, [0, 1])
  }

  func test_changes_twoIterators_shareTheElements() async {
    let changes = observations.changes(of: counter, \.count)
    count(to: 1...4)
    var (left, right) = (changes.makeAsyncIterator(), changes.makeAsyncIterator())
    var values: [Int?] = []
    for _ in 1...2 {
      values.append(await left.next()?.newValue)
      values.append(await right.next()?.newValue)
    }
    XCTAssertEqual(values, [1, 2, 3, 4])
    observations.unobserveAll()
    let (lastOfLeft, lastOfRight) = (await left.next(), await right.next())
    XCTAssertNil(lastOfLeft)
    XCTAssertNil(lastOfRight)
  }

  func test_changes_loopThatSetsTheProperty_getsThatToo() async {
    let changes = observations.changes(of: counter, \.count)
    counter.count = 1
    var events: [RecordedEvent<Int>] = []
    for await change in changes {
      events.append(RecordedEvent(change))
      if change.newValue == 4 { break }
      counter.count += 1
    }
    XCTAssertEqual(events, (1...4).map { .changed($0 - 1, $0) })
  }

  // MARK: Misuse

  func test_C24_sequence_ofAPathNotObservable_isReported_andEndsAtOnce() async {
    let person = Person()
    var changes: ObservationChanges<String>?
    var values: ObservationValues<String>?
    let line: UInt = #line + 2
    let issues = collectingIssues {
      changes = observations.changes(of: person, \.note, options: .initial)
      values = observations.values(of: person, \.note)
    }
    XCTAssertEqual(issues.map(\.keyPath), [\Person.note, \Person.note])
    XCTAssertEqual(issues.map(\.file), [#fileID, #fileID])
    XCTAssertEqual(issues.map(\.line), [line, line + 1])
    let (first, second) = (await changes?.collect().count, await values?.collect())
    XCTAssertEqual(first, 0)
    XCTAssertEqual(second, [])
    XCTAssertEqual(observations.observations.count, 0)
  }
}
