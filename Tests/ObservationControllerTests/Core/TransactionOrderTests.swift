import ObservationController
import TestSupport
import XCTest

/// C11: the order of a transaction's deliveries, and their recipients.
final class TransactionOrderTests: TransactionTestCase {
  // MARK: Order

  func test_C11_properties_areDeliveredInTheOrderOfTheirFirstChange() {
    observe(parcel, \.width, as: "width")
    observe(parcel, \.height, as: "height")
    observe(parcel, \.label, as: "label")
    withObservationTransaction {
      parcel.label = "a"
      parcel.width = 10
      parcel.height = 20
      parcel.label = "b"
    }
    XCTAssertEqual(recorder.events, ["label: box → b", "width: 1 → 10", "height: 2 → 20"])
  }

  func test_C11_pathThatBeginsInATransaction_isNotifiedInRegistrationOrder() {
    observe(parcel, \.width, as: "first")
    withObservationTransaction {
      parcel.width = 10
      observe(parcel, \.width, as: "second")
      observations.observe(parcel, \.area) { recorder, _, _ in recorder.write("third") }
      parcel.width = 20
    }
    XCTAssertEqual(recorder.events, ["first: 1 → 20", "second: 10 → 20", "third"])
  }

  func test_C11_observationsOfOneProperty_areNotifiedInRegistrationOrder() {
    let names = ["1", "2", "3", "4"]
    let others = names.map { _ in ObservationController(observer: recorder) }
    for (name, other) in zip(names, others) {
      other.observe(parcel, \.width) { recorder, _, _ in recorder.write(name) }
    }
    withObservationTransaction {
      parcel.width = 10
      others[0].unobserveAll()
      others[0].observe(parcel, \.width) { recorder, _, _ in recorder.write("1 again") }
      parcel.width = 11
    }
    XCTAssertEqual(recorder.events, ["2", "3", "4", "1 again"])
  }

  func test_C11_paths_areNotifiedAtTheirFirstChangedDependency() {
    observe(parcel, \.width, as: "width 1")
    observe(parcel, \.area, as: "area")
    observe(parcel, \.width, as: "width 2")
    observe(parcel, \.height, as: "height")
    withObservationTransaction {
      parcel.height = 20
      parcel.width = 10
    }
    XCTAssertEqual(
      recorder.events,
      ["area: 2 → 200", "height: 2 → 20", "width 1: 1 → 10", "width 2: 1 → 10"])
  }

  func test_C11_severalObjects_areDeliveredInTheOrderOfTheirFirstChange() {
    let parcels = (0..<5).map { Parcel(width: $0) }
    for (index, parcel) in parcels.enumerated() { observe(parcel, \.width, as: "\(index)") }
    withObservationTransaction {
      for index in [3, 1, 4, 0, 2, 3, 1] { parcels[index].width += 10 }
    }
    XCTAssertEqual(
      recorder.events, ["3: 3 → 23", "1: 1 → 21", "4: 4 → 14", "0: 0 → 10", "2: 2 → 12"])
  }

  func test_C11_propertyChangedBeforeItIsObserved_isDeliveredAfterOthers() {
    // Whether it has been observed before makes no difference.
    for wasObserved in [false, true] {
      let parcel = Parcel()
      if wasObserved {
        observe(parcel, \.width, as: "").invalidate()
        XCTAssertEqual(parcel.area, 2)
      }
      observe(parcel, \.height, as: "height")
      withObservationTransaction {
        parcel.width = 10
        parcel.height = 20
        observe(parcel, \.width, as: "width")
        parcel.width = 11
      }
      XCTAssertEqual(recorder.events, ["height: 2 → 20", "width: 10 → 11"], "\(wasObserved)")
      recorder.clear()
    }
  }

  // MARK: Observations that begin or end inside

  func test_C11_observationBegunInside_isNotifiedOfLaterChanges() {
    observe(parcel, \.width, as: "early")
    withObservationTransaction {
      parcel.width = 10
      observe(parcel, \.width, as: "late")
      parcel.width = 11
      observe(parcel, \.width, as: "latest")
      parcel.width = 12
      observe(parcel, \.width, as: "too late")
    }
    XCTAssertEqual(recorder.takeEvents(), ["early: 1 → 12", "late: 10 → 12", "latest: 11 → 12"])
    parcel.width = 13
    XCTAssertEqual(
      recorder.events, ["early: 12 → 13", "late: 12 → 13", "latest: 12 → 13", "too late: 12 → 13"])
  }

  func test_C11_firstObservationBegunInside_isNotifiedOfLaterChanges() {
    withObservationTransaction {
      parcel.width = 10
      observe(parcel, \.width, as: "late")
      parcel.width = 11
    }
    XCTAssertEqual(recorder.events, ["late: 10 → 11"])
  }

  func test_C11_distinctObservationBegunInside_comparesWithItsFirstValue() {
    observe(parcel, \.width, as: "early", options: [.old, .distinct])
    withObservationTransaction {
      parcel.width = 10
      observe(parcel, \.width, as: "late", options: [.old, .distinct])
      parcel.width = 1
    }
    XCTAssertEqual(recorder.takeEvents(), ["late: 10 → 1"])
    withObservationTransaction {
      parcel.width = 20
      observe(parcel, \.width, as: "latest", options: [.old, .distinct])
      parcel.width = 30
      parcel.width = 20
    }
    XCTAssertEqual(recorder.events, ["early: 1 → 20", "late: 1 → 20"])
  }

  func test_C11_pathObservedInside_isNotifiedOfLaterChanges() {
    withObservationTransaction {
      parcel.width = 10
      observe(parcel, \.area, as: "area", options: [.initial, .old])
      parcel.height = 3
      parcel.width = 20
    }
    XCTAssertEqual(recorder.events, ["area: initially 20", "area: 20 → 60"])
  }

  func test_C11_observationEndedInside_isNotNotified() {
    let token = observe(parcel, \.width, as: "width")
    let area = observe(parcel, \.area, as: "area")
    observe(parcel, \.width, as: "other")
    withObservationTransaction {
      parcel.width = 10
      token.invalidate()
      area.invalidate()
      parcel.width = 11
    }
    XCTAssertEqual(recorder.events, ["other: 1 → 11"])
  }

  func test_C11_allObservationsEndedInside_areNotNotified_andLeaveNothing() {
    assertLeavesNoObservations {
      let parcel = Parcel()
      observe(parcel, \.width, as: "width")
      observe(parcel, \.area, as: "area")
      observeStamps(of: parcel, as: "stamps", elements: [\.price])
      withObservationTransaction {
        parcel.width = 10
        parcel.stamps.append(Stamp("a"))
        observations.unobserveAll()
      }
      parcel.width = 11
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_C11_observationBegunAndEndedInside_isNotNotified() {
    withObservationTransaction {
      let token = observe(parcel, \.width, as: "width")
      parcel.width = 10
      token.invalidate()
    }
    XCTAssertEqual(recorder.events, [])
  }

  func test_C11_observationEndedByAnotherHandler_isNotNotified() {
    var token: ObservationToken?
    observe(parcel, \.width, as: "width") { _ in token?.invalidate() }
    token = observe(parcel, \.height, as: "height")
    withObservationTransaction {
      parcel.width = 10
      parcel.height = 20
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 10"])
  }

  func test_C11_observationBegunAfterDerivedValuesChanged_isNotified() {
    let figure = Figure()
    observe(figure, \.double, as: "double")
    withObservationTransaction {
      figure.a = 5
      observe(figure, \.a, as: "late")
      figure.a = 6
    }
    XCTAssertEqual(recorder.events, ["double: 2 → 12", "late: 5 → 6"])
  }

  func test_C11_observationBegunInAHandler_missesWaitingChanges() {
    observe(parcel, \.width, as: "width") { [unowned self] change in
      guard change.newValue == 10 else { return }
      observe(parcel, \.height, as: "late")
      observe(parcel, \.area, as: "late area")
    }
    observe(parcel, \.height, as: "height")
    withObservationTransaction {
      parcel.width = 10
      parcel.height = 20
    }
    XCTAssertEqual(recorder.takeEvents(), ["width: 1 → 10", "height: 2 → 20"])
    parcel.height = 21
    XCTAssertEqual(
      recorder.events, ["height: 20 → 21", "late: 20 → 21", "late area: 200 → 210"])
  }
}
