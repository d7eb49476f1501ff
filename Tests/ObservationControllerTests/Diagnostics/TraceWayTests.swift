import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Every kind of set is recorded once, and is the cause of every kind of delivery.
final class TraceWayTests: TestCase {
  private let observer = SilentObserver()

  /// Kinds of deliveries.
  private enum Observed: String, CaseIterable {
    case alone, byTen, distinct, prior, initial, computed, chain, queue, binding, unretained

    func observe(_ model: TracedModel, _ controller: ObservationController<SilentObserver>) {
      switch self {
      case .alone: controller.observe(model.leaf, \.value) { _, _, _ in }
      case .byTen:
        for index in 0..<10 {
          controller.observe(model.leaf, \.value, context: .init("\(index)")) { _, _, _ in }
        }
      case .distinct: controller.observe(model.leaf, \.value, options: .distinct) { _, _, _ in }
      case .prior: controller.observe(model.leaf, \.value, options: [.prior, .old]) { _, _, _ in }
      case .initial: controller.observe(model.leaf, \.value, options: .initial) { _, _, _ in }
      case .computed: controller.observe(model, \.text) { _, _, _ in }
      case .chain: controller.observe(model, \.leaf.value, options: .distinct) { _, _, _ in }
      case .queue:
        controller.observe(model.leaf, \.value, on: DispatchQueue(label: "ways")) { _, _, _ in }
      case .binding: controller.bind(model.leaf, \.value, to: model, \.copy)
      case .unretained: controller.observe(model.leaf, \.value, options: []) { _, _, _ in }
      }
    }
  }

  /// Kinds of sets, with the number of sets of each.
  private enum Way: String, CaseIterable {
    case assign, mutate, handlerOfAnother, itsOwnHandler, transaction, transactionTwice, onAThread

    var count: Int { self == .itsOwnHandler || self == .transactionTwice ? 2 : 1 }

    func prepare(_ model: TracedModel, _ controller: ObservationController<SilentObserver>) {
      switch self {
      case .handlerOfAnother:
        controller.observe(model, \.trigger) { _, model, _ in model.leaf.value = 1 }
      case .itsOwnHandler:
        controller.observe(model.leaf, \.value, context: "setter") { _, leaf, _ in
          if leaf.value < 2 { leaf.value += 1 }
        }
      default: break
      }
    }

    func set(_ model: TracedModel) {
      switch self {
      case .assign, .itsOwnHandler: model.leaf.value = 1
      case .mutate: model.leaf.value += 1
      case .handlerOfAnother: model.trigger += 1
      case .transaction: withObservationTransaction { model.leaf.value = 1 }
      case .transactionTwice:
        withObservationTransaction {
          model.leaf.value = 1
          model.leaf.value = 2
        }
      case .onAThread:
        let shared = UncheckedReference(model)
        onThread(stackSize: 1 << 20) { shared.object.leaf.value = 1 }
      }
    }
  }

  func test_trace_ofEachKindOfSetAndDelivery_hasEachOnce() {
    var cases = Cases(quickOneOutOf: 3)
    for way in Way.allCases {
      for observed in Observed.allCases where cases.takesNext() {
        let model = TracedModel()
        let controller = ObservationController(
          observer: observer, retainsObserved: observed != .unretained)
        observed.observe(model, controller)
        way.prepare(model, controller)
        let trace = ObservationTrace.record { way.set(model) }
        let name = "\(way), delivered \(observed)\n\(trace)"
        let events = trace.events
        let sets = events.filter { $0.kind == .set && $0.property == "\\TracedLeaf.value" }
        XCTAssertEqual(sets.count, way.count, name)
        let delivered = events.filter {
          ($0.kind == .delivery || $0.kind == .handOver) && $0.detail != "prior"
            && $0.property != "\\TracedModel.trigger" && $0.thread == sets.first?.thread
        }
        let isOnce = way == .transactionTwice
        XCTAssertEqual(
          delivered.filter { $0.cause == sets.last?.id }.isEmpty, false,
          "the last is delivered: \(name)")
        for event in delivered {
          XCTAssertTrue(
            (isOnce ? sets.suffix(1) : sets[...]).contains { $0.id == event.cause }, name)
        }
        XCTAssertEqual(events.map(\.id), events.map(\.id).sorted(), name)
        XCTAssertEqual(Set(events.map(\.time)).count, events.count, name)
      }
    }
  }

  func test_trace_elementSetByTheHandlerOfItsArray_isCausedByThatSet() {
    let (first, second) = (TracedLeaf(), TracedLeaf())
    let list: ObservableArray<TracedLeaf> = [first, second]
    let controller = ObservationController(observer: observer)
    controller.observeArray(list, elements: [\.value]) { _, _, change in
      if change.kind == .insertion { first.value = 1 }
      if second.value == 0 { second.value = 2 }
    }
    let trace = ObservationTrace.record { list.append(TracedLeaf()) }
    XCTAssertEqual(
      trace.outline,
      [
        "set ObservableArray<TracedLeaf>.elements",
        "  delivery ObservableArray<TracedLeaf>.elements ← 0",
        "    set TracedLeaf.value ← 1", "    set TracedLeaf.value ← 1",
        "  delivery ObservableArray<TracedLeaf>.elements ← 2",
        "  delivery ObservableArray<TracedLeaf>.elements ← 3",
      ])
  }

  func test_trace_batch_isOneSet_andElementsSetInItHaveTheirOwnCause() {
    let leaf = TracedLeaf()
    let list: ObservableArray<TracedLeaf> = [leaf]
    let controller = ObservationController(observer: observer)
    controller.observeArray(list, elements: [\.value]) { _, _, _ in }
    let trace = ObservationTrace.record {
      list.performBatchUpdates {
        list.append(TracedLeaf())
        leaf.value = 1
        list.append(TracedLeaf())
      }
    }
    let events = trace.events
    let sets = events.filter { $0.kind == .set }
    XCTAssertEqual(
      sets.map(\.property), ["\\TracedLeaf.value", "\\ObservableArray<TracedLeaf>.elements"])
    let delivered = events.filter { $0.kind == .delivery }
    XCTAssertEqual(delivered.map(\.cause), [sets[1].id, sets[0].id], "\(trace)")
  }

  func test_trace_plainArray_isCausedByItsProperty() {
    let model = TracedModel()
    let controller = ObservationController(observer: observer)
    controller.observeArray(model, \.plain, elements: [\.value]) { _, _, _ in }
    let trace = ObservationTrace.record { model.plain.append(TracedLeaf()) }
    XCTAssertEqual(
      trace.outline.filter { !$0.contains("rehook") },
      ["set TracedModel.plain", "  delivery TracedModel.plain ← 0"])
  }

  func test_trace_handlerThatDropsItsObserver_doesNotRetainIt() {
    let counter = Counter()
    var dropped: SilentObserver? = SilentObserver()
    weak let reference = dropped
    var wasReleased: Bool?
    let controller = ObservationController(observer: dropped!)
    controller.observe(counter, \.count) { _, _, _ in dropped = nil }
    controller.observe(counter, \.count, context: "after") { _, _, _ in XCTFail("deallocated") }
    let other = ObservationController(observer: observer)
    other.observe(counter, \.count) { _, _, _ in wasReleased = reference == nil }
    let trace = ObservationTrace.record { counter.count = 1 }
    XCTAssertEqual(wasReleased, true)
    XCTAssertEqual(
      trace.events.map(\.kind), [.set, .delivery, .skip(.observerGone), .delivery])
    XCTAssertEqual(trace.events[2].observer, nil)
  }
}

/// A value that can be set in many ways.
private final class TracedModel {
  @Observed var leaf = TracedLeaf()
  @Observed var trigger = 0
  @Observed var copy = 0
  @Observed var plain: [TracedLeaf] = []

  var text: String { "\(leaf.value)" }
}

private final class TracedLeaf {
  @Observed var value = 0
}
