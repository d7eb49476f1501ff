import Foundation
import ObservationController
import TestSupport
import XCTest

/// What handlers, getters, reporters and deinits do to a change that waits for its turn.
final class WaitingChangeTests: TestCase {
  private let lines = LineRecorder()
  private lazy var observations = ObservationController(observer: lines)

  /// Without `.initial`; the one that waited kept later ones from being added to the queue.
  func test_queue_changeThatTheReporterMakes_isDelivered() {
    for coalescing: ObservationCoalescing in [.none, .latest] {
      let model = UncheckedReference(Tagged())
      let queue = DispatchQueue(label: "reporter")
      let values = Recorder<Int>()
      let reporter = ObservationIssue.reporter
      ObservationIssue.reporter = { _ in model.object.tag = Tag(number: 1) }
      observations.observe(
        model.object, \.tag, options: .distinct, on: queue, coalescing: coalescing
      ) { _, _, change in values.append(change.newValue.number) }
      ObservationIssue.reporter = reporter
      queue.drain()
      model.object.tag = Tag(number: 2)
      queue.drain()
      XCTAssertEqual(values.events, [1, 2], "\(coalescing)")
    }
  }

  func test_C7_handlerThatSetsAWaitingAtomic_pathsAreDeliveredInTheirTurn() {
    let (meter, gauge) = (Meter(), Gauge())
    observations.observe(gauge, \.count.wrappedValue) {
      $0.write("first \($2)")
      meter.count = 20
    }
    observations.observe(meter, \.count) { $0.write("count \($2)") }
    observations.observe(meter, \.sum) { $0.write("sum \($2)") }
    withObservationTransaction {
      gauge.count.wrappedValue = 1
      meter.count = 10
    }
    XCTAssertEqual(
      lines.events, ["first 0 → 1", "count 0 → 10", "sum 0 → 10", "count 10 → 20", "sum 10 → 20"])
  }

  /// The thread with the turn finds nothing to deliver to the path; the one that evaluates it does.
  func test_C21_pathThatIsEvaluatedAfterItsChangeWasDelivered_isNotified() {
    let balance = Balance()
    let (delivering, evaluating, delivered) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    observations.observe(balance, \.count) {
      $0.write("count \($2)")
      guard $2.newValue == 1 else { return }
      delivering.signal()
      evaluating.wait()
    }
    observations.observe(balance, \.sum) { $0.write("sum \($2)") }
    Thread.detachNewThread {
      balance.count = 1
      delivered.signal()
    }
    delivering.wait()
    balance.onRead.set {
      evaluating.signal()
      delivered.wait()
    }
    balance.count = 2
    XCTAssertEqual(lines.events, ["count 0 → 1", "sum 0 → 1", "count 1 → 2", "sum 1 → 2"])
  }

  func test_C15_atomicDeallocatedAtATransactionsEnd_itsValueIsFreed() {
    let holder = UncheckedReference(Holder<Keeper?>(Keeper()))
    let counter = UncheckedReference(Counter())
    observations.observe(counter.object, \.count) { _, _, _ in holder.object.value = nil }
    observations.observe(holder.object, \.value?.sum) { $0.write($2.newValue ?? -1) }
    let (joined, ended, done) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let (onDeinit, tickets) = (holder.object.value!.onDeinit, LifetimeCounter())
    withObservationTransaction {
      holder.object.value?.ticket = tickets.makeTicket()
      _ = holder.object.value?.last
      // The change of the other thread joins this transaction, which ends before it is noted there.
      onDeinit.set {
        joined.signal()
        ended.wait()
      }
      Thread.detachNewThread {
        withObservationTransaction {
          counter.object.count = 1
          holder.object.value?.ticket = tickets.makeTicket()
        }
        done.signal()
      }
      joined.wait()
    }
    ended.signal()
    done.wait()
    XCTAssertEqual(lines.events, ["1", "-1"])
    XCTAssertEqual(tickets.count, 0)
  }

  func test_C9_observationThatAGetterAdds_missesTheChange_thatWaits() {
    let model = UncheckedReference(Reading())
    let own = UncheckedReference(observations)
    observations.observe(model.object, \.value, context: "setter") { _, model, change in
      guard change.newValue == 1 else { return }
      model.onRead.set {
        own.object.observe(model, \.value, options: [.initial, .old], context: "new") {
          $0.write("new \($2)")
        }
      }
      model.value = 2
    }
    observations.observe(model.object, \.computed) { $0.write("path \($2)") }
    model.object.value = 1
    XCTAssertEqual(lines.events, ["new initially 2", "path 0 → 1", "path 1 → 2"])
  }

  func test_C15_oldValueOfAnAtomic_isFreedBeforeTheNextPropertysHandlers() {
    let (meter, counter, values) = (Meter(), Counter(), LifetimeCounter())
    meter.ticket = values.makeTicket()
    observations.observe(meter, \.ticket) { _, _, _ in }
    observations.observe(counter, \.count) { lines, _, _ in lines.write("\(values.count) left") }
    withObservationTransaction {
      meter.ticket = nil
      counter.count = 1
    }
    XCTAssertEqual(lines.events, ["0 left"])
  }
}

private final class Tagged {
  @Observed var tag = Tag()
}

/// Can't be compared.
private struct Tag {
  var number = 0
}

private final class Balance: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable, which is never replaced.
  @AtomicObserved var count = 0
  @AtomicObserved var other = 0
  let onRead = Hook()

  var sum: Int {
    let sum = count + other
    onRead.run()
    return sum
  }
}

private final class Keeper: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable, which is never replaced.
  @AtomicObserved var ticket: LifetimeCounter.Ticket?
  @AtomicObserved var other = 0
  let onDeinit = Hook()

  /// A value that is freed when `ticket` changes.
  @Derived({ (keeper: Keeper) -> Sentinel in
    _ = keeper.ticket
    return Sentinel { [hook = keeper.onDeinit] in hook.run() }
  }) var last: Sentinel

  var sum: Int { (ticket == nil ? 0 : 1) + other }
}

private final class Reading: @unchecked Sendable {
  // Unchecked: used on one thread alone.
  @Observed var value = 0
  let onRead = Hook()

  var computed: Int {
    let value = value
    onRead.run()
    return value
  }
}
