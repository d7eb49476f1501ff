import Dispatch
import Foundation
import ObservationController
import TestSupport
import XCTest

/// The causes of deliveries.
final class TraceCauseTests: TestCase {
  private let counter = Counter()
  private let view = TracedView()

  func test_trace_handlerThatSets_isTheCauseOfItsChanges() {
    view.observations.observe(counter, \.count) { view, _, change in view.height = change.newValue }
    view.observations.observe(view, \.height) { _, _, _ in }
    let trace = ObservationTrace.record { counter.count = 1 }
    XCTAssertEqual(
      trace.outline,
      [
        "set Counter.count", "  delivery Counter.count ← 0", "    set TracedView.height ← 1",
        "      delivery TracedView.height ← 2",
      ])
  }

  func test_trace_explain_namesTheWholeChain() {
    let line: UInt = #line + 1
    view.observations.observe(counter, \.count) { view, _, change in view.height = change.newValue }
    let token = view.observations.observe(view, \.height) { _, _, _ in }
    let trace = ObservationTrace()
    trace.start()
    trace.mark("sample 2")
    counter.count = 1
    trace.stop()
    let (viewName, counterName) = (name(view), name(counter))
    XCTAssertEqual(
      trace.explain(token),
      """
      the handler of \(viewName) registered at \(#fileID):\(line + 1) was called for \
      \\TracedView.height of \(viewName)
        because \\TracedView.height of \(viewName) was set
        by the handler of \(viewName) registered at \(#fileID):\(line), called for \
      \\Counter.count of \(counterName)
        because \\Counter.count of \(counterName) was set
        from outside of any delivery, after the mark "sample 2"
      """)
  }

  func test_trace_explainOfAHandlerNotCalled_givesTheReason() {
    let token = view.observations.observe(counter, \.count, options: .distinct) { _, _, _ in }
    let trace = ObservationTrace.record {}
    XCTAssertEqual(trace.explain(token), "no call of the handler is recorded")
    let skipping = ObservationTrace.record { counter.count = 0 }
    let lines = skipping.explain(token).split(separator: "\n")
    XCTAssertEqual(lines.count, 4)
    XCTAssertTrue(lines[1].hasSuffix("was skipped: the values of \\Counter.count were equal"))
    XCTAssertEqual(lines[3], "  from outside of any delivery")
  }

  func test_trace_valueDerivedFromAnArray_isCausedByTheEdit() {
    final class Box {
      @Observed var items: ObservableArray<Int> = []
      @Derived({ (box: Box) in box.items.count }) var count: Int
    }
    for isArrayObserved in [false, true] {
      let box = Box()
      view.observations.observe(box, \.count) { _, _, _ in }
      if isArrayObserved { view.observations.observeArray(box.items) { _, _, _ in } }
      let trace = ObservationTrace.record {
        box.items.append(1)
        withObservationTransaction { box.items.append(2) }
        box.items.performBatchUpdates { box.items.append(3) }
      }
      let events = trace.events
      let causes = events.filter { $0.property == "\\Box.count" }.map { delivery in
        events.first { $0.id == delivery.cause }.map { "\($0.kind) \($0.object ?? "")" }
      }
      XCTAssertEqual(causes, Array(repeating: "set \(name(box.items))", count: 3), "\(trace)")
      XCTAssertEqual(events.count { $0.kind == .set }, 3, "\(trace)")
    }
  }

  func test_trace_propertyThatItsHandlerSets_isDeliveredBecauseOfThat() {
    view.observations.observe(counter, \.count) { _, counter, change in
      if change.newValue < 3 { counter.count += 1 }
    }
    let trace = ObservationTrace.record { counter.count = 1 }
    XCTAssertEqual(
      trace.outline,
      [
        "set Counter.count", "  delivery Counter.count ← 0", "    set Counter.count ← 1",
        "  delivery Counter.count ← 2", "    set Counter.count ← 3", "  delivery Counter.count ← 4",
      ])
  }

  func test_trace_transaction_namesTheLastSet() {
    let person = Person()
    view.observations.observe(person, \.name) { _, _, _ in }
    view.observations.observe(person, \.summary) { _, _, _ in }
    view.observations.observe(counter, \.count) { _, _, _ in }
    let trace = ObservationTrace.record {
      withObservationTransaction {
        person.name = "Bob"
        counter.count = 1
        person.age = 4
        person.name = "Cy"
      }
    }
    XCTAssertEqual(
      trace.outline.map { $0.replacing("‹String›", with: "summary") },
      [
        "transaction", "  set Person.name ← 0", "  set Counter.count ← 0", "  set Person.age ← 0",
        "  set Person.name ← 0", "  delivery Person.name ← 4", "  delivery Person.summary ← 4",
        "  delivery Counter.count ← 2",
      ])
  }

  func test_trace_transactionInAHandler_ofItsProperty_isTheCauseLater() {
    var isFirst = true
    view.observations.observe(counter, \.count) { _, counter, _ in
      guard isFirst else { return }
      isFirst = false
      withObservationTransaction { counter.count = 2 }
    }
    let trace = ObservationTrace.record { counter.count = 1 }
    XCTAssertEqual(
      trace.outline,
      [
        "set Counter.count", "  delivery Counter.count ← 0", "    transaction ← 1",
        "      set Counter.count ← 2", "  delivery Counter.count ← 3",
      ])
  }

  func test_trace_pathWithLink_isRehooked_andDeliveredBecauseOfTheProperty() {
    let person = Person(employer: Company())
    view.observations.observe(person, \.employer?.city) { _, _, _ in }
    let next = Company()
    let trace = ObservationTrace.record {
      person.employer = next
      next.city = "Paris"
    }
    XCTAssertEqual(
      trace.outline.map { $0.replacing("Person.employer?.city", with: "path") },
      [
        "set Person.employer", "  rehook path ← 0", "  delivery path ← 0", "set Company.city",
        "  delivery path ← 3",
      ])
  }

  func test_trace_pathBeingDelivered_isCausedByItsOwnChange() {
    let person = Person()
    view.observations.observe(person, \.summary) { _, person, change in
      if person.age < 38 { person.age += 1 }
    }
    let trace = ObservationTrace.record { person.name = "Bob" }
    XCTAssertEqual(
      trace.outline.map { $0.replacing("‹String›", with: "summary") },
      [
        "set Person.name", "  delivery Person.summary ← 0", "    set Person.age ← 1",
        "  delivery Person.summary ← 2", "    set Person.age ← 3",
        "  delivery Person.summary ← 4",
      ])
  }

  func test_trace_queue_hasTheCauseOnTheOtherThread() {
    let queue = DispatchQueue(label: "traced")
    let token = view.observations.observe(counter, \.count, on: queue) { _, _, _ in }
    let trace = ObservationTrace()
    trace.start()
    counter.count = 1
    queue.sync {}
    trace.stop()
    XCTAssertEqual(
      trace.outline,
      ["set Counter.count", "  handOver Counter.count ← 0", "delivery Counter.count ← 1"])
    XCTAssertEqual(Set(trace.events.map(\.thread)).count, 2)
    XCTAssertEqual(trace.explain(token).split(separator: "\n").count, 4)
    XCTAssertFalse(trace.explain(token).contains("not in the trace"))
  }

  #if Foundation
    func test_trace_arraysBindingsEventsHooksNotifications_areDeliveries() {
      let list: ObservableArray<Int> = [1]
      let event = ObservableEvent<Int>()
      let hook = ObservableHook<Int, Int>(default: { $0 })
      let (center, note) = (NotificationCenter(), Notification.Name("TraceCauseTests"))
      view.observations.observeArray(list) { _, _, _ in }
      view.observations.bind(counter, \.count, to: view, \.height)
      view.observations.observe(event) { _, _ in }
      view.observations.handle(hook) { _, input in input }
      view.observations.observe(note, in: center) { _, _ in }
      let trace = ObservationTrace.record {
        list.append(2)
        counter.count = 1
        event.send(1)
        _ = hook(1)
        center.post(name: note, object: nil)
      }
      XCTAssertEqual(
        trace.outline.map { $0.replacing(/Observable.*?(?= ←|$)/, with: "it") },
        [
          "set it", "  delivery it ← 0", "set Counter.count",
          "  delivery Counter.count binding ← 2",
          "send it", "  delivery it ← 4", "question it", "  delivery it ← 6",
          "post TraceCauseTests", "  delivery \"TraceCauseTests\" ← 8",
        ])
    }
  #endif

  func test_trace_element_isCausedByItsProperty() {
    let person = Person()
    let list: ObservableArray<Person> = [person]
    view.observations.observeArray(list, elements: [\.name]) { _, _, _ in }
    let trace = ObservationTrace.record { person.name = "Bob" }
    XCTAssertEqual(trace.events.map(\.kind), [.set, .delivery])
    XCTAssertEqual(trace.events.first?.property, "\\Person.name")
    XCTAssertEqual(trace.events.last?.cause, trace.events.first?.id)
  }

  func test_trace_transactionOfArrayAndElements_hasOneCause() {
    let (first, second) = (Person(), Person())
    let list: ObservableArray<Person> = [first, second]
    view.observations.observeArray(list, elements: [\.name]) { _, _, _ in }
    let trace = ObservationTrace.record {
      withObservationTransaction {
        first.name = "Bob"
        second.name = "Cy"
        list.append(Person())
      }
    }
    let events = trace.events
    XCTAssertEqual(events.map(\.kind), [.transaction, .set, .set, .set, .delivery])
    XCTAssertEqual(events.last?.cause, events[3].id, "that of the edit")
    let ofElements = ObservationTrace.record {
      withObservationTransaction {
        first.name = "Dee"
        second.name = "Eve"
      }
    }.events
    XCTAssertEqual(ofElements.map(\.kind), [.transaction, .set, .set, .delivery])
    XCTAssertEqual(ofElements.last?.cause, ofElements[1].id, "that of the first one")
  }

  func test_trace_atomic_isNamed_andDeliveredInTurn() {
    let meter = Meter()
    view.observations.observe(meter, \.count) { _, meter, change in
      if change.newValue == 1 { meter.count = 2 }
    }
    let trace = ObservationTrace.record { meter.count = 1 }
    XCTAssertEqual(
      trace.outline,
      [
        "set Meter.count", "  delivery Meter.count ← 0",
        "    set Meter.count ← 1", "  delivery Meter.count ← 2",
      ])
    let objects = trace.events.compactMap { $0.object?.prefix { $0 != "@" } }
    XCTAssertEqual(objects, ["AtomicObserved<Int>", "Meter", "AtomicObserved<Int>", "Meter"])
  }

  private func name(_ object: AnyObject) -> String {
    "\(type(of: object))@\(String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16))"
  }
}
