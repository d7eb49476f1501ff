import ObservationController
import TestSupport
import XCTest

/// Mutations in place: one change, after the mutation has ended, also when it throws.
final class InPlaceMutationTests: TestCase {
  private let canvas = Canvas()

  private func record<Value>(
    _ keyPath: KeyPath<Canvas, Value>, options: ObservationOptions = .old
  ) -> (ChangeRecorder<Value>, ObservationController<ChangeRecorder<Value>>) {
    let recorder = ChangeRecorder<Value>()
    let controller = ObservationController(observer: recorder)
    controller.observe(canvas, keyPath, options: options, action: ChangeRecorder<Value>.record)
    return (recorder, controller)
  }

  func test_append_isOneChange() {
    let (recorder, controller) = record(\.points)
    canvas.points.append(1)
    canvas.points += [2, 3]
    canvas.points[0] = 9
    XCTAssertEqual(
      recorder.events,
      [.changed([], [1]), .changed([1], [1, 2, 3]), .changed([1, 2, 3], [9, 2, 3])])
    withExtendedLifetime(controller) {}
  }

  func test_append_withoutOld_deliversTheNewValueAlone() {
    let (recorder, controller) = record(\.points, options: [])
    canvas.points.append(1)
    XCTAssertEqual(recorder.events, [.changed(nil, [1])])
    withExtendedLifetime(controller) {}
  }

  func test_mutatingMethod_ofSeveralSteps_isOneChange() {
    let (recorder, controller) = record(\.frame)
    canvas.frame.moveAndGrow()
    XCTAssertEqual(
      recorder.events, [.changed(Bounds(x: 0, width: 1), Bounds(x: 5, width: 2))])
    withExtendedLifetime(controller) {}
  }

  func test_field_ofANestedStruct_isOneChange() {
    let (recorder, controller) = record(\.frame)
    canvas.frame.origin.x = 3
    canvas.frame.origin.x += 1
    XCTAssertEqual(
      recorder.events,
      [
        .changed(Bounds(x: 0, width: 1), Bounds(x: 3, width: 1)),
        .changed(Bounds(x: 3, width: 1), Bounds(x: 4, width: 1)),
      ])
    withExtendedLifetime(controller) {}
  }

  func test_field_observedByItsOwnPath_deliversTheField() {
    let (recorder, controller) = record(\.frame.origin.x, options: [.initial, .old, .prior])
    canvas.frame.origin.x = 3
    canvas.frame = Bounds(x: 7, width: 1)
    XCTAssertEqual(
      recorder.events,
      [.initial(0), .prior(0), .changed(0, 3), .prior(3), .changed(3, 7)])
    withExtendedLifetime(controller) {}
  }

  func test_field_observedDistinct_isSilentWhenAnotherFieldChanges() {
    let (recorder, controller) = record(\.frame.origin.x, options: [.old, .distinct])
    canvas.frame.width = 9
    canvas.frame.origin.x = 0
    canvas.frame.origin.x = 1
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
    withExtendedLifetime(controller) {}
  }

  func test_mutation_thatThrows_deliversTheStoredValue() {
    let (recorder, controller) = record(\.points)
    XCTAssertThrowsError(try canvas.points.appendThenThrow(1))
    XCTAssertEqual(canvas.points, [1])
    XCTAssertEqual(recorder.events, [.changed([], [1])])
    canvas.points.append(2)
    XCTAssertEqual(recorder.events, [.changed([], [1]), .changed([1], [1, 2])])
    withExtendedLifetime(controller) {}
  }

  func test_mutation_thatThrows_unobserved_keepsTheStoredValue() {
    XCTAssertThrowsError(try canvas.points.appendThenThrow(1))
    XCTAssertEqual(canvas.points, [1])
  }

  func test_inoutArgument_isOneChangeWhenTheCallEnds() {
    let (recorder, controller) = record(\.points)
    func fill(_ points: inout [Int]) {
      points.append(1)
      XCTAssertEqual(recorder.events, [])
      points.append(2)
    }
    fill(&canvas.points)
    XCTAssertEqual(recorder.events, [.changed([], [1, 2])])
    withExtendedLifetime(controller) {}
  }

  func test_inoutArgument_leftAsItWas_deliversUnlessDistinct() {
    func look(_ points: inout [Int]) {}
    let (recorder, controller) = record(\.points)
    let (distinct, distinctController) = record(\.points, options: [.old, .distinct])
    look(&canvas.points)
    XCTAssertEqual(recorder.events, [.changed([], [])])
    XCTAssertEqual(distinct.events, [])
    withExtendedLifetime((controller, distinctController)) {}
  }

  func test_optionalChain_onNil_isNoMutation() {
    let (recorder, controller) = record(\.title)
    canvas.title = "a"
    canvas.title?.append("b")
    XCTAssertEqual(recorder.events, [.changed(.some(nil), "a"), .changed("a", "ab")])
    withExtendedLifetime(controller) {}
  }

  func test_swap_ofTwoProperties_deliversBoth() {
    let (first, firstController) = record(\.left)
    let (second, secondController) = record(\.right)
    swap(&canvas.left, &canvas.right)
    XCTAssertEqual(first.events, [.changed(1, 2)])
    XCTAssertEqual(second.events, [.changed(2, 1)])
    withExtendedLifetime((firstController, secondController)) {}
  }

  func test_prior_comesBeforeTheMutation() {
    let (recorder, controller) = record(\.points, options: [.prior, .old])
    canvas.points.append(1)
    XCTAssertEqual(recorder.events, [.prior([]), .changed([], [1])])
    withExtendedLifetime(controller) {}
  }

  func test_mutationInsideADelivery_withEveryOption_isDeliveredInItsTurn() {
    for rawValue in UInt8(0)..<16 {
      let options = ObservationOptions(rawValue: rawValue)
      let canvas = Canvas()
      let recorder = ChangeRecorder<[Int]>()
      let controller = ObservationController(observer: recorder)
      controller.observe(canvas, \.points, options: options) { recorder, canvas, change in
        recorder.record(change)
        if canvas.points == [1] { canvas.points.append(2) }
      }
      canvas.points.append(1)
      var expected: [RecordedEvent<[Int]>] = options.contains(.initial) ? [.initial([])] : []
      for (old, new) in [([], [1]), ([1], [1, 2])] as [([Int], [Int])] {
        if options.contains(.prior) { expected.append(.prior(old)) }
        expected.append(.changed(options.contains(.old) ? old : nil, new))
      }
      XCTAssertEqual(recorder.events, expected, "\(options)")
    }
  }
}

private struct Bounds: Equatable {
  struct Origin: Equatable {
    var x: Int
  }

  var origin: Origin
  var width: Int

  init(x: Int, width: Int) {
    origin = Origin(x: x)
    self.width = width
  }

  mutating func moveAndGrow() {
    origin.x += 5
    width *= 2
  }
}

private final class Canvas {
  @Observed var points: [Int] = []
  @Observed var frame = Bounds(x: 0, width: 1)
  @Observed var title: String?
  @Observed var left = 1
  @Observed var right = 2
}

extension [Int] {
  fileprivate mutating func appendThenThrow(_ element: Int) throws {
    append(element)
    throw Failure()
  }
}
