import ObservationController
import TestSupport
import XCTest

/// C12 to C16: objects retained by a transaction, and objects deallocated inside of one.
final class TransactionLifetimeTests: TransactionTestCase {
  // MARK: Objects

  func test_C14_unretainedObjectDeallocatedInside_leavesNothing() {
    assertLeavesNoObservations {
      let controller = ObservationController(observer: recorder, retainsObserved: false)
      withObservationTransaction {
        var parcel: Parcel? = Parcel()
        controller.observe(parcel!, \.width) { $0.write($2) }
        controller.observe(parcel!, \.area) { $0.write($2) }
        parcel!.width = 10
        let reference = Weak(parcel)
        parcel = nil
        XCTAssertNil(reference.object, "the transaction does not keep it")
      }
      XCTAssertEqual(recorder.events, [])
      XCTAssertEqual(controller.observations.count, 0)
    }
  }

  func test_C13_retainedObjectDroppedInside_isDelivered() {
    let reference = withObservationTransaction {
      let parcel = Parcel()
      observe(parcel, \.width, as: "width")
      observe(parcel, \.area, as: "area")
      parcel.width = 10
      return Weak(parcel)
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 10", "area: 2 → 20"])
    XCTAssertNotNil(reference.object)
    observations.unobserveAll()
    XCTAssertNil(reference.object, "nor does a transaction keep it afterwards")
  }

  func test_C13_observedObjectOfPathsAlone_isNotKept() {
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    withObservationTransaction {
      var parcel: Parcel? = Parcel()
      controller.observe(parcel!, \.area) { $0.write($2) }
      parcel!.width = 10
      let reference = Weak(parcel)
      parcel = nil
      XCTAssertNil(reference.object)
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_C14_linkDeallocatedInside_isDeliveredAsThePathReadsIt() {
    parcel.content = Parcel(width: 3)
    observe(parcel, \.content?.width, as: "width")
    withObservationTransaction {
      parcel.content!.width = 4
      let reference = Weak(parcel.content)
      parcel.content = nil
      XCTAssertNil(reference.object)
    }
    XCTAssertEqual(recorder.events, ["width: Optional(3) → nil"])
  }

  func test_setInADeinit_insideATransaction_isDeliveredAtOnce() {
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    assertLeavesNoObservations {
      withObservationTransaction {
        var farewell: Farewell? = Farewell()
        controller.observe(farewell!, \.state) { recorder, _, change in recorder.write(change) }
        controller.observe(farewell!, \.text) { recorder, _, change in recorder.write(change) }
        parcel.width = 10
        farewell = nil
        XCTAssertEqual(recorder.events, ["here → deinit"])
      }
    }
    XCTAssertEqual(recorder.events, ["here → deinit"])
  }

  func test_changedObject_thatChangesAgainInItsDeinit_isNotDelivered() {
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    withObservationTransaction {
      let farewell = Farewell()
      controller.observe(farewell, \.state) { recorder, _, change in recorder.write(change) }
      farewell.state = "packing"
    }
    XCTAssertEqual(recorder.events, [])
    XCTAssertEqual(controller.observations.count, 0)
  }

  func test_objectThatSetsAnotherInItsDeinit_insideATransaction_isPartOfIt() {
    observe(parcel, \.width, as: "width")
    withObservationTransaction {
      _ = Sentinel { [parcel] in parcel.width = 10 }
      XCTAssertEqual(parcel.width, 10)
      XCTAssertEqual(recorder.events, [])
      parcel.width = 11
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 11"])
  }

  func test_handlerThatReleasesAChangedObject_stillDeliversItsChange() {
    let controller = ObservationController(observer: recorder, retainsObserved: false)
    var other: Parcel? = Parcel()
    let reference = Weak(other)
    observe(parcel, \.width, as: "width") { _ in other = nil }
    controller.observe(other!, \.width) { $0.write("other: \($2)") }
    withObservationTransaction {
      parcel.width = 10
      other!.width = 20
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 10", "other: 1 → 20"])
    XCTAssertNil(reference.object)
  }

  // MARK: Observers

  func test_C12_observerDeallocatedInside_isNotNotified() {
    assertLeavesNoObservations {
      withObservationTransaction {
        let observer = SilentObserver()
        let controller = ObservationController(observer: observer)
        controller.observe(parcel, \.width) { _, _, _ in XCTFail("delivered") }
        controller.observe(parcel, \.area) { _, _, _ in XCTFail("delivered") }
        parcel.width = 10
      }
    }
  }

  func test_C12_controllerDeallocatedInside_releasesItsHandlersAtOnce() {
    let handlers = LifetimeCounter()
    withObservationTransaction {
      var controller: ObservationController<LineRecorder>? = ObservationController(
        observer: recorder)
      controller?.observe(parcel, \.width) { [ticket = handlers.makeTicket()] recorder, _, _ in
        recorder.write("delivered \(ticket)")
      }
      controller?.observe(parcel, \.area) { [ticket = handlers.makeTicket()] recorder, _, _ in
        recorder.write("delivered \(ticket)")
      }
      parcel.width = 10
      XCTAssertEqual(handlers.count, 2)
      controller = nil
      XCTAssertEqual(handlers.count, 0)
      parcel.width = 11
    }
    XCTAssertEqual(recorder.events, [])
  }

  // MARK: Values

  func test_C15_valuesOfATransaction_areFreedAtItsEnd() {
    let things = LifetimeCounter()
    let holder = Holder<LifetimeCounter.Ticket?>(things.makeTicket())
    observations.observe(holder, \.value, options: [.old, .prior]) { _, _, _ in }
    observations.observe(holder, \.copy, options: [.old, .prior]) { _, _, _ in }
    withObservationTransaction {
      holder.value = things.makeTicket()
      XCTAssertEqual(things.count, 2, "the previous one still waits")
      holder.value = things.makeTicket()
      XCTAssertEqual(things.count, 2, "the one in between is not delivered")
    }
    XCTAssertEqual(things.count, 1)
    holder.value = nil
    XCTAssertEqual(things.count, 0)
  }

  func test_C15_valuesWithoutOld_areReleasedAtOnce() {
    let things = LifetimeCounter()
    let holder = Holder<LifetimeCounter.Ticket?>(things.makeTicket())
    observations.observe(holder, \.value, options: []) { _, _, _ in }
    withObservationTransaction {
      holder.value = nil
      XCTAssertLessThanOrEqual(things.count, 1)
    }
    XCTAssertEqual(things.count, 0)
  }

  func test_C15_arraysAndElements_areFreedAtTheEnd() {
    observeStamps(of: parcel, as: "stamps", elements: [\.price], options: .old)
    assertReleased { () -> Stamp in
      let stamp = Stamp("a")
      withObservationTransaction {
        parcel.stamps.append(stamp)
        stamp.price = 5
        parcel.stamps.removeLast()
      }
      recorder.clear()
      return stamp
    }
    assertReleased { () -> ObservableArray<Stamp> in
      let array = parcel.stamps
      withObservationTransaction {
        array.append(Stamp("b"))
        parcel.stamps = []
      }
      return array
    }
  }

  func test_C15_deinitOfAnOldValue_thatSetsTheProperty_isDeliveredAfterwards() {
    let holder = Holder<Sentinel?>(Sentinel { [parcel] in parcel.width += 1 })
    observe(parcel, \.width, as: "width")
    observations.observe(holder, \.value) { recorder, _, _ in recorder.write("thing") }
    withObservationTransaction {
      holder.value = nil
      parcel.width = 10
    }
    XCTAssertEqual(recorder.events, ["thing", "width: 1 → 10", "width: 10 → 11"])
  }
}
