import ObservationController
import TestSupport
import XCTest

/// The values of paths, which are boxed until they are delivered.
final class PathValueTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func history<Value>(_ first: Value, _ others: Value...) -> [String] {
    let root = Holder(Holder(first))
    recorder.clear()
    observations.observe(root, \.value.value) { recorder, _, change in
      recorder.write("\(change.oldValue!) → \(change.newValue)")
    }
    for other in others { root.value.value = other }
    root.value = Holder(first)
    observations.unobserve(root)
    return recorder.events
  }

  func test_values_ofAnySizeAndAlignment_areDelivered() {
    struct Empty {}
    XCTAssertEqual(
      history(Empty(), Empty()), ["Empty() → Empty()", "Empty() → Empty()"])
    XCTAssertEqual(history(true, false), ["true → false", "false → true"])
    XCTAssertEqual(history("a", "b"), ["a → b", "b → a"])
    XCTAssertEqual(
      history(SIMD2<Double>(1, 2), SIMD2(3, 4)).first,
      "SIMD2<Double>(1.0, 2.0) → SIMD2<Double>(3.0, 4.0)")
    let (zero, one) = (SIMD16<Int64>(repeating: 0), SIMD16<Int64>(repeating: 1))
    XCTAssertEqual(history(zero, one), ["\(zero) → \(one)", "\(one) → \(zero)"])
    XCTAssertEqual(
      history((0..<9, "long", zero), (1..<9, "longer", one)).count, 2)
  }

  private final class Made {
    let number: Int
    private let recorder: LineRecorder

    init(_ number: Int, _ recorder: LineRecorder) {
      self.number = number
      self.recorder = recorder
    }

    deinit { recorder.write("freed") }
  }

  private final class Maker {
    @Observed var number = 0
    private let recorder: LineRecorder

    init(_ recorder: LineRecorder) { self.recorder = recorder }

    var made: Made { Made(number, recorder) }
  }

  func test_C15_values_areFreedBeforeTheNextDelivery() {
    let maker = Maker(recorder)
    observations.observe(maker, \.made) { recorder, maker, change in
      recorder.write("delivered \(change.oldValue!.number) → \(change.newValue.number)")
      if maker.number < 3 { maker.number += 1 }
    }
    recorder.clear()
    maker.number = 1
    XCTAssertEqual(
      recorder.events,
      [
        // The value read last is kept.
        "delivered 0 → 1", "freed", "delivered 1 → 2", "freed", "delivered 2 → 3", "freed",
      ])
  }

  func test_C7_onlyPath_thatSetsItsProperty_isNotifiedInOrder() {
    let root = Holder(Holder(0))
    observations.observe(root, \.value.value) { recorder, root, change in
      recorder.write("\(change.oldValue!) → \(change.newValue)")
      if change.newValue < 3 { root.value.value += 1 }
    }
    root.value.value = 1
    XCTAssertEqual(recorder.events, ["0 → 1", "1 → 2", "2 → 3"])
  }

  func test_C18_pathThatIsTheOnlyObserver_endsInItsOwnDelivery() {
    let root = Holder(Holder(0))
    var token: ObservationToken?
    token = observations.observe(root, \.value.value) { recorder, root, change in
      recorder.write("\(change.oldValue!) → \(change.newValue)")
      root.value.value += 1
      token?.invalidate()
    }
    root.value.value = 1
    root.value.value = 5
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }

  func test_C9_onlyPath_anotherOneAddedMeanwhile_missesTheChange() {
    let root = Holder(Holder(0))
    observations.observe(root, \.value.value) { [observations] recorder, root, change in
      recorder.write("\(change.newValue)")
      observations.observe(root.value, \.value) { recorder, _, change in
        recorder.write("other \(change.newValue)")
      }
    }
    root.value.value = 1
    root.value.value = 2
    XCTAssertEqual(recorder.events, ["1", "2", "other 2"])
  }
}
