import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Coalescing: at most one change waits, into which several are merged.
final class QueueCoalescingTests: TestCase {
  private let queue = DispatchQueue(label: "coalescing")
  private let counter = Counter()
  private let recorder = ChangeRecorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)

  private func observe(_ options: ObservationOptions) {
    observations.observe(counter, \.count, options: options, on: queue, coalescing: true) {
      recorder, _, change in recorder.record(change)
    }
  }

  private func count(to values: Int...) {
    queue.whileSuspended { for value in values { counter.count = value } }
  }

  func test_coalescing_changesThatWait_becomeOne_withFirstOldAndLastNewValue() {
    observe(.old)
    count(to: 1, 2, 3)
    XCTAssertEqual(recorder.events, [.changed(0, 3)])
    count(to: 4)
    count(to: 5, 6)
    XCTAssertEqual(recorder.events, [.changed(0, 3), .changed(3, 4), .changed(4, 6)])
  }

  func test_coalescing_withoutOld_hasTheLastNewValue() {
    observe([])
    count(to: 1, 2, 3)
    XCTAssertEqual(recorder.events, [.changed(nil, 3)])
  }

  func test_coalescing_changes_haveOneJob_whereTheFirstStood() {
    let lines = LineRecorder()
    observations.observe(counter, \.count, on: queue, coalescing: true) { _, _, change in
      lines.write(change)
    }
    queue.whileSuspended {
      counter.count = 1
      queue.async { lines.write("block") }
      counter.count = 2
      counter.count = 3
    }
    XCTAssertEqual(lines.events, ["0 → 3", "block"])
  }

  func test_coalescing_initial_staysOne_withTheLastValue() {
    queue.whileSuspended {
      observe([.initial, .old])
      counter.count = 1
      counter.count = 2
    }
    XCTAssertEqual(recorder.events, [.initial(2)])
    count(to: 3)
    XCTAssertEqual(recorder.events, [.initial(2), .changed(2, 3)])
  }

  func test_coalescing_initialAlone_isDelivered() {
    queue.whileSuspended { observe([.initial, .distinct]) }
    XCTAssertEqual(recorder.events, [.initial(0)])
  }

  func test_coalescing_initialWithDistinct_isDelivered_evenIfBackWhereItBegan() {
    queue.whileSuspended {
      observe([.initial, .old, .distinct])
      counter.count = 1
      counter.count = 0
    }
    XCTAssertEqual(recorder.events, [.initial(0)])
  }

  func test_coalescing_backWhereItBegan_isDelivered() {
    observe(.old)
    count(to: 1, 0)
    XCTAssertEqual(recorder.events, [.changed(0, 0)])
  }

  func test_coalescing_distinct_backWhereItBegan_isNotDelivered() {
    observe([.old, .distinct])
    count(to: 1, 0)
    XCTAssertEqual(recorder.events, [])
    count(to: 1, 0, 5)
    count(to: 5, 6, 5)
    XCTAssertEqual(recorder.events, [.changed(0, 5)])
  }

  func test_coalescing_distinctWithoutOld_backWhereItBegan_isNotDelivered() {
    observe(.distinct)
    count(to: 1, 0)
    count(to: 1, 2)
    count(to: 3)
    XCTAssertEqual(recorder.events, [.changed(nil, 2), .changed(nil, 3)])
    XCTAssertEqual(observations.observations.map(\.options), [.distinct])
  }

  func test_coalescing_distinct_changesWhileItBegins_areCompared() {
    let gauge = HookedGauge()
    gauge.beforeRead(2) {
      onAnotherThread {
        gauge.count.wrappedValue = 1
        gauge.count.wrappedValue = 0
      }
    }
    queue.whileSuspended {
      observations.observe(
        gauge, \.hooked, options: .distinct, on: queue, coalescing: .latest
      ) { recorder, _, change in recorder.record(change) }
    }
    XCTAssertEqual(recorder.events, [])
    queue.whileSuspended { gauge.count.wrappedValue = 2 }
    XCTAssertEqual(recorder.events, [.changed(nil, 2)])
  }

  func test_coalescing_initialAndDistinct_changesWhileItBegins_areCompared() {
    for _ in 0..<Effort.count(quick: 10, full: 100) {
      let gauge = HookedGauge()
      gauge.beforeRead(2) {
        onAnotherThread {
          for value in 1...1_000 { gauge.count.wrappedValue = value % 2 }
        }
      }
      let token = observations.observe(
        gauge, \.hooked, options: [.initial, .distinct], on: queue, coalescing: .latest
      ) { recorder, _, change in recorder.record(change) }
      queue.drain()
      token.invalidate()
      let values = recorder.takeEvents().map {
        switch $0 {
        case .initial(let value), .prior(let value), .changed(_, let value): value
        }
      }
      XCTAssertEqual(values.last, 0)
      XCTAssertEqual(zip(values, values.dropFirst()).count(where: ==), 0)
    }
  }

  func test_coalescing_distinct_mutatedInPlace_comparesWholeValues() {
    let person = Person()
    let recorder = ChangeRecorder<[String]>()
    let observations = ObservationController(observer: recorder)
    observations.observe(person, \.tags, options: .distinct, on: queue, coalescing: true) {
      recorder, _, change in recorder.record(change)
    }
    queue.whileSuspended {
      person.tags.append("x")
      person.tags.removeLast()
    }
    queue.whileSuspended { person.tags.append("y") }
    XCTAssertEqual(recorder.events, [.changed(nil, ["y"])])
  }

  func test_coalescing_distinctObjects_areComparedByIdentity() {
    let (ada, grace) = (Badge("Ada"), Badge("Grace"))
    let holder = Holder(ada)
    let lines = LineRecorder()
    observations.observe(holder, \.value, options: .distinct, on: queue, coalescing: true) {
      _, _, change in lines.write(change.newValue.name)
    }
    queue.whileSuspended {
      holder.value = grace
      holder.value = ada
    }
    queue.whileSuspended {
      holder.value = ada
      holder.value = grace
    }
    XCTAssertEqual(lines.events, ["Grace"])
  }

  func test_coalescing_distinctWithoutEquality_isReported_andDelivers() {
    let clock = Clock()
    let lines = LineRecorder()
    let issues = collectingIssues {
      observations.observe(clock, \.time, options: .distinct, on: queue, coalescing: true) {
        _, _, change in lines.write(change.newValue.hours)
      }
      queue.whileSuspended {
        clock.time.hours = 1
        clock.time.hours = 0
      }
    }
    XCTAssertEqual(lines.events, ["0"])
    guard case .distinctNeedsEquatable? = issues.first, issues.count == 1 else {
      return XCTFail("not reported: \(issues)")
    }
  }

  func test_coalescing_prior_isLeftOut() {
    observe([.old, .prior])
    count(to: 1, 2)
    XCTAssertEqual(recorder.events, [.changed(0, 2)])
    XCTAssertEqual(observations.observations.map(\.options), [.old])
  }

  func test_coalescing_paths_haveTheirOwnFirstAndLastValue() {
    let person = Person(employer: Company(name: "Navy"))
    let lines = LineRecorder()
    observations.observe(
      person, \.employer?.name, options: [.old, .distinct], on: queue, coalescing: true
    ) { _, _, change in
      lines.write("\((change.oldValue ?? nil) ?? "nil") → \(change.newValue ?? "nil")")
    }
    queue.whileSuspended {
      person.employer?.name = "Remington"
      person.employer = nil
    }
    queue.whileSuspended {
      person.employer = Company(name: "Eckert")
      person.employer = nil
    }
    XCTAssertEqual(lines.events, ["Navy → nil"])
  }

  func test_coalescing_sameLineWithAndWithout_areTwoSites() {
    var contexts: [ObservationContext] = ["0", "1"]
    for coalescing: ObservationCoalescing in [.latest, .none] {
      observations.observe(
        counter, \.count, options: .distinct, context: contexts.removeFirst(), on: queue,
        coalescing: coalescing
      ) { recorder, _, change in recorder.record(change) }
    }
    count(to: 1, 0)
    XCTAssertEqual(recorder.events, [.changed(nil, 1), .changed(nil, 0)])
  }

  func test_coalescing_handlerThatSetsTheProperty_isNotifiedOnce() {
    let counter = UncheckedReference(counter)
    observations.observe(counter.object, \.count, on: queue, coalescing: true) {
      recorder, _, change in
      recorder.record(change)
      guard change.newValue < 10 else { return }
      counter.object.count = 10
      counter.object.count = 11
    }
    queue.whileSuspended { counter.object.count = 1 }
    queue.drain()
    XCTAssertEqual(recorder.events, [.changed(0, 1), .changed(1, 11)])
  }

  func test_coalescing_equalityThatEndsTheObservation_isHonoured() {
    let box = Holder(Fickle())
    let lines = LineRecorder()
    let isWaiting = Guarded(false)
    let token = observations.observe(
      box, \.value, options: .distinct, on: queue, coalescing: true
    ) { _, _, _ in lines.write("delivered") }
    queue.whileSuspended {
      box.value = Fickle {}
      box.value = Fickle {
        if isWaiting.withLock({ $0 }) { token.invalidate() }
      }
      isWaiting.withLock { $0 = true }
    }
    XCTAssertFalse(token.isActive)
    XCTAssertEqual(lines.events, [])
  }
}

/// Performs an action before one of the reads of its value.
private final class HookedGauge: Sendable {
  let count = AtomicObserved(wrappedValue: 0)
  private let action = Guarded<(reads: Int, body: @Sendable () -> Void)?>(nil)

  /// - Parameter number: From 1.
  func beforeRead(_ number: Int, _ body: @escaping @Sendable () -> Void) {
    action.withLock { $0 = (number, body) }
  }

  var hooked: Int {
    let body = action.withLock { action -> (@Sendable () -> Void)? in
      action?.reads -= 1
      guard let due = action, due.reads == 0 else { return nil }
      action = nil
      return due.body
    }
    body?()
    return count.wrappedValue
  }
}

/// A value that is compared by identity.
private final class Badge: Sendable {
  let name: String
  init(_ name: String) { self.name = name }
}

/// A value that performs an action when it is compared with an earlier one, and is never equal.
private struct Fickle: Equatable, Sendable {
  var onEquality: (@Sendable () -> Void)?

  static func == (left: Self, right: Self) -> Bool {
    right.onEquality?()
    return false
  }
}
