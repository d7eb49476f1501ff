import ObservationController
import TestSupport
import XCTest

/// Transforms, setters and handlers that act on the binding that calls them.
final class BindingReentrancyTests: TestCase {
  private let (source, target) = (Dial(1), Dial())
  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  func test_bind_sourceSetByAHandlerOfTheTarget_setsTheTargetInOrder() {
    observations.observe(target, \.value) { [source] _, _, change in
      if change.newValue == 5 { source.value = 6 }
    }
    panel.watch(target, as: "target")
    observations.bind(source, \.value, to: target, \.value)
    source.value = 5
    XCTAssertEqual([source.value, target.value], [6, 6])
    XCTAssertEqual(panel.recorder.events, ["target 0 → 1", "target 1 → 5", "target 5 → 6"])
  }

  func test_bind_sourceSetByAnEarlierHandler_setsTheTargetInOrder() {
    observations.observe(source, \.value) { _, source, change in
      if change.newValue == 5 { source.value = 6 }
    }
    observations.bind(source, \.value, to: target, \.value)
    panel.watch(target, as: "target")
    source.value = 5
    XCTAssertEqual(panel.recorder.events, ["target 1 → 5", "target 5 → 6"])
  }

  func test_bind_targetSetByOthers_keepsThatUntilTheNextChange() {
    observations.bind(source, \.value, to: target, \.value)
    target.value = 9
    XCTAssertEqual([source.value, target.value], [1, 9])
    source.value = 2
    XCTAssertEqual(target.value, 2)
  }

  func test_bind_eachToTheOther_isReportedAsACycle() {
    let issues = collectingIssues {
      observations.bind(source, \.value, to: target, \.value)
      observations.bind(target, \.value, to: source, \.value)
    }
    XCTAssertEqual(issues.count, 1)
    guard case .cycle = issues.first else { return XCTFail("\(issues)") }
    XCTAssertEqual([source.value, target.value], [1, 1])
  }

  func test_bind_sourceSetByTheTransform_whileItIsInitial_keepsTheLaterValue() {
    observations.bind(source, \.value, to: target, \.value) { [source] value in
      if value == 1 { source.value = 2 }
      return value * 10
    }
    XCTAssertEqual([source.value, target.value], [2, 20])
  }

  func test_bind_sourceSetByTheTransform_inAChange_keepsTheLaterValue() {
    observations.bind(source, \.value, to: target, \.value) { [source] value in
      if value == 5 { source.value = 6 }
      return value * 10
    }
    source.value = 5
    XCTAssertEqual([source.value, target.value], [6, 60])
  }

  // MARK: Ending inside

  func test_bind_endedByItsTransform_setsNothingAnyMore() {
    for isInitial in [true, false] {
      target.value = 0
      source.value = isInitial ? 5 : 1
      observations.bind(source, \.value, to: target, \.value) { [unowned panel, source] value in
        if value == 5 { panel.observations.unobserve(source) }
        return value
      }
      source.value = 5
      source.value = 6
      XCTAssertEqual(target.value, isInitial ? 0 : 1)
      XCTAssertEqual(observations.observations.count, 0)
    }
  }

  func test_bind_endedByAHandlerOfTheTarget_setsNothingAnyMore() {
    let token = observations.bind(source, \.value, to: target, \.value)
    observations.observe(target, \.value) { _, _, _ in token.invalidate() }
    source.value = 2
    source.value = 3
    XCTAssertEqual(target.value, 2)
  }

  func test_bind_controllerDroppedByTheTransform_setsNothingAnyMore() {
    let observer = SilentObserver()
    var controller: ObservationController? = ObservationController(observer: observer)
    let token = controller?.bind(source, \.value, to: target, \.value) { value in
      if value == 5 { controller = nil }
      return value
    }
    source.value = 5
    XCTAssertNil(controller)
    XCTAssertEqual(token?.isActive, false)
    XCTAssertEqual(target.value, 1)
  }

  func test_bind_again_insideItsTransform_isANoOp() {
    var tokens: [ObservationToken] = []
    func bind() -> ObservationToken {
      observations.bind(source, \.value, to: target, \.value) { value in
        if tokens.isEmpty, value == 2 { tokens.append(bind()) }
        return value
      }
    }
    let first = bind()
    source.value = 2
    XCTAssertEqual(tokens.map { $0 === first }, [true])
    XCTAssertEqual(target.value, 2)
  }

  func test_bind_insideAHandlerOfTheSource_takesTheValueThatIsThere() {
    observations.observe(source, \.value) { [target] panel, source, change in
      if change.newValue == 2 {
        source.value = 3
        panel.observations.bind(source, \.value, to: target, \.value)
        panel.watch(target, as: "target")
      }
    }
    source.value = 2
    source.value = 4
    XCTAssertEqual(panel.recorder.events, ["target 3 → 4"])
  }
}
