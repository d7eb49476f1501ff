import Foundation
import ObservationController
import TestSupport
import XCTest

/// C13 to C19 with atomic properties, on one thread and while others write.
final class AtomicLifetimeTests: TestCase {
  private let keyPaths: [any KeyPath<Meter, Int> & Sendable] = [
    \.count, \.doubled, \.tripled, \.sum,
  ]

  func test_C14_unretainedObject_endsItsObservations() {
    assertLeavesNoObservations {
      let recorder = ChangeRecorder<Int>()
      let observations = ObservationController(observer: recorder, retainsObserved: false)
      assertLeavesNoObservations {
        let (meter, gauge) = (Meter(), Gauge())
        for keyPath in keyPaths { observations.observe(meter, keyPath) { $0.record($2) } }
        observations.observe(gauge, \.count.wrappedValue, options: [.initial]) { $0.record($2) }
        observations.observe(gauge.count, \.wrappedValue) { $0.record($2) }
        meter.count = 1
        gauge.count.wrappedValue = 1
      }
      XCTAssertEqual(recorder.events.count, 7)
    }
  }

  func test_C13_retainingController_keepsTheObject_untilItIsUnobserved() {
    let observations = ObservationController(observer: self)
    weak var weakGauge: Gauge?
    scoped {
      let gauge = Gauge()
      weakGauge = gauge
      observations.observe(gauge, \.count.wrappedValue) { _, _, _ in }
    }
    XCTAssertNotNil(weakGauge)
    observations.unobserveAll()
    XCTAssertNil(weakGauge)
  }

  func test_C15_C16_values_andClosures_areReleased() {
    final class Holder: @unchecked Sendable {
      @AtomicObserved var item: LifetimeCounter.Ticket?
      var copy: LifetimeCounter.Ticket? { item }
    }
    let (values, handlers) = (LifetimeCounter(), LifetimeCounter())
    let holder = Holder()
    let observations = ObservationController(observer: self)
    for options: ObservationOptions in [.old, [.initial, .old, .prior]] {
      for keyPath in [\Holder.item, \.copy] {
        holder.item = nil
        let token = observations.observe(holder, keyPath, options: options) {
          [ticket = handlers.makeTicket()] _, _, _ in _ = ticket
        }
        holder.item = values.makeTicket()
        XCTAssertEqual(values.count, 1)
        holder.item = values.makeTicket()
        XCTAssertEqual(values.count, 1)
        holder.$item.withLock { $0 = nil }
        XCTAssertEqual(values.count, 0)
        XCTAssertEqual(handlers.count, 1)
        token.invalidate()
        XCTAssertEqual(handlers.count, 0)
      }
    }
  }

  func test_C16_closure_thatEndsInItsInitialDelivery_isReleased() {
    let handlers = LifetimeCounter()
    let meter = Meter()
    let observations = ObservationController(observer: self)
    for keyPath in keyPaths {
      observations.observe(meter, keyPath, options: [.initial]) {
        [ticket = handlers.makeTicket()] _, meter, _ in
        _ = ticket
        observations.unobserveAll()
        meter.count += 1
      }
      XCTAssertEqual(handlers.count, 0)
    }
  }

  func test_C14_replacedStorage_endsTheObservationsOfTheProperty() {
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder)
    let meter = Meter()
    let tokens = keyPaths.map { observations.observe(meter, $0) { $0.record($2) } }
    meter.replaceCount(by: 5)
    XCTAssertEqual(tokens.map(\.isActive), [false, false, false, false])
    XCTAssertEqual(meter.tripled, 15)
    meter.count = 6
    XCTAssertEqual(recorder.events, [])
    observations.observe(meter, \.tripled) { $0.record($2) }
    meter.count = 7
    XCTAssertEqual(recorder.events, [.changed(18, 21)])
  }

  func test_sharedAtomic_notifiesObserversOfBothObjects() {
    let (first, second) = (Meter(), Meter())
    second.shareCount(of: first)
    let recorder = ChangeRecorder<Int>()
    let objects = Recorder<ObjectIdentifier>()
    let observations = ObservationController(observer: recorder)
    for meter in [first, second] {
      for keyPath in [\Meter.count, \.doubled] {
        observations.observe(meter, keyPath) {
          $0.record($2)
          objects.append(ObjectIdentifier($1))
        }
      }
    }
    second.count = 1
    XCTAssertEqual(
      recorder.events, [.changed(0, 1), .changed(0, 2), .changed(0, 1), .changed(0, 2)])
    let (one, two) = (ObjectIdentifier(first), ObjectIdentifier(second))
    XCTAssertEqual(objects.events, [one, one, two, two])
    XCTAssertEqual(ObservationDispatcher.shared.observations(of: first).count, 2)
    ObservationDispatcher.shared.removeObservations(of: first)
    first.count = 2
    XCTAssertEqual(recorder.events.count, 6)
  }

  func test_C14_sharedAtomic_ofADeallocatedObject_notifiesTheOther() {
    let gauge = AtomicObserved(wrappedValue: 0)
    final class Share: Sendable {
      let count: AtomicObserved<Int>
      init(_ count: AtomicObserved<Int>) { self.count = count }
    }
    let recorder = ChangeRecorder<Int>()
    let observations = ObservationController(observer: recorder, retainsObserved: false)
    let before = ObservationDispatcher.shared.activeObservationCount
    let second = Share(gauge)
    scoped {
      let first = Share(gauge)
      observations.observe(first, \.count.wrappedValue) { $0.record($2) }
      observations.observe(second, \.count.wrappedValue) { $0.record($2) }
    }
    gauge.wrappedValue = 1
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
    XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before + 1)
  }

  // MARK: While others write

  func test_C19_nothingFollowsInvalidation_onThisThread_whileOthersWrite() {
    for keyPath in keyPaths {
      let meter = Meter()
      // Each visitor records its deliveries on its own thread.
      onThreads(4) { thread in
        if thread < 2 {
          for _ in 0..<200 { meter.count += 1 }
        } else {
          for _ in 0..<100 {
            let visitor = UncheckedReference(SilentObserver())
            let observations = ObservationController(observer: visitor.object)
            let isEnded = Guarded(false)
            let own = Thread.current
            let token = observations.observe(meter, keyPath) { _, _, _ in
              if Thread.current === own { XCTAssertFalse(isEnded.withLock { $0 }) }
            }
            meter.count += 1
            token.invalidate()
            isEnded.withLock { $0 = true }
            meter.count += 1
          }
        }
      }
      XCTAssertEqual(ObservationDispatcher.shared.observations(of: meter).count, 0)
    }
  }

  func test_C14_unretainedObjectsDeallocated_whileOthersWrite() {
    final class Share: Sendable {
      let count: AtomicObserved<Int>
      let own = AtomicObserved(wrappedValue: 0)
      init(_ count: AtomicObserved<Int>) { self.count = count }
    }
    let shared = AtomicObserved(wrappedValue: 0)
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer, retainsObserved: false)
    onThreads(3) { thread in
      if thread < 2 {
        for _ in 0..<500 { shared.withLock { $0 += 1 } }
      } else {
        for round in 0..<Effort.count(quick: 30, full: 300) {
          let share = Share(shared)
          let options: ObservationOptions = round.isMultiple(of: 2) ? [.initial, .old] : .old
          observations.observe(share, \.count.wrappedValue, options: options) { _, share, _ in
            share.own.withLock { $0 += 1 }
          }
          observations.observe(share, \.own.wrappedValue, options: options) { _, _, _ in }
        }
      }
    }
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_C14_controllersAndObserversDeallocated_whileOthersWrite() {
    let handlers = LifetimeCounter()
    assertLeavesNoObservations {
      let meter = Meter()
      let keyPaths = keyPaths
      onThreads(4) { thread in
        for round in 0..<Effort.count(quick: 40, full: 400) {
          if thread < 2 {
            meter.count += 1
          } else {
            let visitor = ChainObserver()
            for keyPath in keyPaths {
              visitor.observations.observe(
                meter, keyPath, options: round.isMultiple(of: 2) ? [] : [.initial]
              ) { [ticket = handlers.makeTicket()] _, _, _ in _ = ticket }
            }
          }
        }
      }
    }
    XCTAssertEqual(handlers.count, 0)
  }

  func test_C18_observingAndEnding_fromADeinit_whileOthersWrite() {
    let meter = Meter()
    let observer = ChainObserver()
    observer.observations.observe(meter, \.count) { $0.follow($2) }
    onThreads(4) { thread in
      if thread < 2 {
        for _ in 0..<200 { meter.count += 1 }
      } else {
        for _ in 0..<100 {
          let visitor = UncheckedReference(SilentObserver())
          let observations = ObservationController(observer: visitor.object)
          let uses = Sentinel {
            observations.observe(meter, \.tripled, options: [.initial]) { _, _, _ in }
            meter.count += 1
            observations.unobserveAll()
          }
          let token = observations.observe(meter, \.doubled) { [uses] _, _, _ in _ = uses }
          _ = consume uses
          token.invalidate()
        }
      }
    }
    XCTAssertEqual(observer.breaks, [])
    XCTAssertEqual(observer.last, 600)
  }
}
