import ObservationController
import TestSupport
import XCTest

/// C11: each observation is notified once, at the outermost end, with the value before.
final class TransactionTests: TransactionTestCase {
  func test_C11_severalChanges_areDeliveredOnceAtTheEnd() {
    observe(parcel, \.width, as: "width")
    withObservationTransaction {
      parcel.width = 10
      parcel.width = 20
      parcel.width += 1
      XCTAssertEqual(parcel.width, 21, "stored at once")
      XCTAssertEqual(recorder.takeEvents(), [])
    }
    XCTAssertEqual(recorder.takeEvents(), ["width: 1 → 21"])
    parcel.width = 3
    XCTAssertEqual(recorder.events, ["width: 21 → 3"])
  }

  func test_C11_withoutChanges_deliversNothing() {
    observe(parcel, \.width, as: "width")
    withObservationTransaction {}
    XCTAssertEqual(withObservationTransaction { parcel.width }, 1)
    XCTAssertEqual(recorder.events, [])
  }

  func test_C11_result_isThatOfTheBody() {
    observe(parcel, \.width, as: "width")
    let result = withObservationTransaction { () -> String in
      parcel.width = 2
      return "done"
    }
    XCTAssertEqual(result, "done")
    XCTAssertEqual(recorder.events, ["width: 1 → 2"])
  }

  func test_C11_nestedTransactions_deliverAtTheOutermostEnd() {
    observe(parcel, \.width, as: "width")
    observe(parcel, \.height, as: "height")
    withObservationTransaction {
      parcel.width = 10
      withObservationTransaction {
        parcel.height = 20
        withObservationTransaction { parcel.width = 11 }
        XCTAssertEqual(recorder.events, [])
      }
      XCTAssertEqual(recorder.events, [])
      parcel.width = 12
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 12", "height: 2 → 20"])
  }

  func test_C11_twoTransactionsInARow_deliverOneAfterTheOther() {
    observe(parcel, \.width, as: "width")
    for value in [10, 20] {
      withObservationTransaction {
        parcel.width = 0
        parcel.width = value
      }
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 10", "width: 10 → 20"])
  }

  // MARK: Throwing

  func test_C11_thatThrows_deliversTheStoredValues() {
    observe(parcel, \.width, as: "width")
    observe(parcel, \.height, as: "height")
    XCTAssertThrowsError(
      try withObservationTransaction {
        parcel.width = 10
        throw Failure()
      }
    ) { XCTAssert($0 is Failure) }
    XCTAssertEqual(recorder.takeEvents(), ["width: 1 → 10"])
    parcel.width = 11
    XCTAssertEqual(recorder.events, ["width: 10 → 11"], "the next change is delivered at once")
  }

  func test_C11_nestedOneThatThrows_isPartOfTheOuterOne() {
    observe(parcel, \.width, as: "width")
    withObservationTransaction {
      try? withObservationTransaction {
        parcel.width = 10
        throw Failure()
      }
      XCTAssertEqual(recorder.events, [])
      parcel.width = 11
    }
    XCTAssertEqual(recorder.events, ["width: 1 → 11"])
  }

  // MARK: Options

  func test_C11_distinct_backWhereItBegan_isNotDelivered() {
    observe(parcel, \.width, as: "distinct", options: [.old, .distinct])
    observe(parcel, \.width, as: "old")
    withObservationTransaction {
      parcel.width = 10
      parcel.width = 1
    }
    XCTAssertEqual(recorder.takeEvents(), ["old: 1 → 1"])
    withObservationTransaction {
      parcel.width = 10
      parcel.width = 2
    }
    XCTAssertEqual(recorder.events, ["distinct: 1 → 2", "old: 1 → 2"])
  }

  func test_C11_distinct_withoutOld_comparesWithTheValueBefore() {
    observe(parcel, \.width, as: "width", options: .distinct)
    withObservationTransaction {
      parcel.width = 10
      parcel.width = 1
    }
    withObservationTransaction {
      parcel.width = 1
      parcel.width = 10
    }
    XCTAssertEqual(recorder.events, ["width: → 10"])
  }

  func test_C11_eachOption_deliversAtTheEndAsOneChange() {
    for rawValue in UInt8(0)..<16 {
      let options = ObservationOptions(rawValue: rawValue)
      let changes: [(String, (Parcel) -> Void)] = [
        ("assigned", { $0.layers = [1] }), ("mutated", { $0.layers.append(1) }),
      ]
      for (name, change) in changes {
        let (usual, held) = (Parcel(), Parcel())
        let (usualRecorder, heldRecorder) = (ChangeRecorder<[Int]>(), ChangeRecorder<[Int]>())
        let controllers = [usualRecorder, heldRecorder].map { ObservationController(observer: $0) }
        controllers[0].observe(
          usual, \.layers, options: options, action: ChangeRecorder<[Int]>.record)
        controllers[1].observe(
          held, \.layers, options: options, action: ChangeRecorder<[Int]>.record)
        change(usual)
        withObservationTransaction { change(held) }
        XCTAssertEqual(heldRecorder.events, usualRecorder.events, "\(options) \(name)")
      }
    }
  }

  func test_C11_eachOption_ofAComputedPath_deliversAtTheEndAsOneChange() {
    for rawValue in UInt8(0)..<16 {
      let options = ObservationOptions(rawValue: rawValue)
      let (usual, held) = (Parcel(), Parcel())
      let (usualRecorder, heldRecorder) = (ChangeRecorder<Int>(), ChangeRecorder<Int>())
      let controllers = [usualRecorder, heldRecorder].map { ObservationController(observer: $0) }
      controllers[0].observe(usual, \.area, options: options, action: ChangeRecorder<Int>.record)
      controllers[1].observe(held, \.area, options: options, action: ChangeRecorder<Int>.record)
      usual.width = 9
      withObservationTransaction {
        held.width = 5
        held.width = 9
      }
      XCTAssertEqual(heldRecorder.events, usualRecorder.events, "\(options)")
    }
  }

  func test_C11_initial_insideOfATransaction_isDeliveredAtOnce() {
    withObservationTransaction {
      parcel.width = 10
      observe(parcel, \.width, as: "width", options: [.initial, .old])
      XCTAssertEqual(recorder.takeEvents(), ["width: initially 10"])
      parcel.width = 11
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(recorder.events, ["width: 10 → 11"])
  }

  func test_C11_prior_isDeliveredAtTheEnd_beforeTheChange() {
    observe(parcel, \.width, as: "prior", options: [.prior, .old])
    observe(parcel, \.width, as: "old")
    withObservationTransaction {
      parcel.width = 10
      parcel.width = 11
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(
      recorder.events, ["prior: about to change from 1", "prior: 1 → 11", "old: 1 → 11"])
  }

  func test_C11_priorAlone_ofAMutationInPlace_isDelivered() {
    observe(parcel, \.layers, as: "layers", options: .prior)
    withObservationTransaction {
      parcel.layers.append(1)
      parcel.layers.append(2)
    }
    XCTAssertEqual(recorder.events, ["layers: about to change from []", "layers: → [1, 2]"])
  }

  // MARK: Values

  func test_C11_optionalValues_areDeliveredWithNil() {
    observe(parcel, \.note, as: "note")
    withObservationTransaction { parcel.note = "fragile" }
    withObservationTransaction { parcel.note = nil }
    XCTAssertEqual(
      recorder.events, [#"note: nil → Optional("fragile")"#, #"note: Optional("fragile") → nil"#])
  }

  func test_C11_valuesOfEveryShape_areDelivered() {
    final class Shapes {
      @Observed var nested: Int?? = .some(nil)
      @Observed var any: Any = 1
      @Observed var anyOptional: Any?
      @Observed var existential: (any CustomStringConvertible)?
      @Observed var function: () -> Int = { 1 }
      @Observed var tuple = (1, "a")
      @Observed var nothing: Void = ()
    }
    let shapes = Shapes()
    observe(shapes, \.nested, as: "nested")
    observe(shapes, \.any, as: "any")
    observe(shapes, \.anyOptional, as: "anyOptional")
    observe(shapes, \.existential, as: "existential")
    observations.observe(shapes, \.function) { recorder, _, change in
      recorder.write("function: \(change.oldValue?() ?? 0) → \(change.newValue())")
    }
    observe(shapes, \.tuple, as: "tuple")
    observe(shapes, \.nothing, as: "nothing")
    withObservationTransaction {
      shapes.nested = .none
      shapes.any = Int?.none as Any
      shapes.anyOptional = 2
      shapes.existential = "text"
      shapes.function = { 2 }
      shapes.tuple.0 = 2
      shapes.nothing = ()
    }
    withObservationTransaction {
      shapes.nested = 3
      shapes.anyOptional = nil
      shapes.existential = nil
    }
    XCTAssertEqual(
      recorder.events,
      [
        "nested: Optional(nil) → nil", "any: 1 → nil", "anyOptional: nil → Optional(2)",
        #"existential: nil → Optional("text")"#, "function: 1 → 2",
        #"tuple: (1, "a") → (2, "a")"#, "nothing: () → ()", "nested: nil → Optional(Optional(3))",
        "anyOptional: Optional(2) → nil", #"existential: Optional("text") → nil"#,
      ])
  }
}
