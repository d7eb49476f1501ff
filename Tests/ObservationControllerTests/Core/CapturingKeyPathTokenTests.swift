import ObservationController
import TestSupport
import XCTest

/// Tokens that a program keeps, of key paths that capture objects.
final class CapturingKeyPathTokenTests: TestCase {
  private final class Cell: Hashable {
    static func == (one: Cell, other: Cell) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private final class Sheet {
    @Observed var value = 0
    @Observed var other = 0
    @Observed var list: ObservableArray<Int> = [1]
    @Observed var values = [1]
    subscript(cell: Cell) -> Int { value }
    subscript(listOf cell: Cell) -> ObservableArray<Int> { list }
    @Observed var amounts: ObservableDictionary<String, Int> = ["a": 1]
    @Observed var tags: ObservableSet<Int> = [1]
    subscript(valuesOf cell: Cell) -> [Int] { values }
    subscript(amountsOf cell: Cell) -> ObservableDictionary<String, Int> { amounts }
    subscript(tagsOf cell: Cell) -> ObservableSet<Int> { tags }
  }

  private let recorder = ChangeRecorder<Int>()
  private lazy var controller = ObservationController(observer: recorder)
  private let sheet = Sheet()

  /// C15: what the key path captures goes with the observation, though the token is kept.
  func test_C15_tokenKept_whatItsKeyPathCapturesIsReleased() {
    typealias Record = ChangeRecorder<Int>
    let forms: [(Cell) -> ObservationToken] = [
      { [self] in controller.observe(sheet, \.[$0]) { _, _, _ in } },
      { [self] in controller.observe(sheet, \.[$0], context: "1", action: Record.record) },
      { [self] in controller.observe(sheet, \.[$0].description, on: .main) { _, _, _ in } },
      { [self] in controller.observeEach(sheet, \.[$0]) { _, _, _ in }[0] },
      { [self] in controller.observeArray(sheet, \.[listOf: $0]) { _, _, _ in } },
      { [self] in controller.observeArray(sheet, \.[valuesOf: $0]) { _, _, _ in } },
      { [self] in controller.observeArray(sheet, \.[listOf: $0], on: .main) { _, _, _ in } },
      { [self] in controller.observeDictionary(sheet, \.[amountsOf: $0]) { _, _, _ in } },
      { [self] in controller.observeSet(sheet, \.[tagsOf: $0]) { _, _, _ in } },
      { [self] in controller.bind(sheet, \.[$0], to: sheet, \.other) },
    ]
    let ends: [(ObservationToken) -> Void] = [
      { $0.invalidate() },
      { [self] _ in controller.unobserve(sheet) },
      { [self] _ in controller.unobserveAll() },
    ]
    for (form, observe) in forms.enumerated() {
      for end in ends {
        var token: ObservationToken?
        assertReleased {
          let cell = Cell()
          token = observe(cell)
          XCTAssertEqual(token?.isActive, true, "form \(form)")
          end(token!)
          return cell
        }
        XCTAssertEqual(token?.isActive, false, "form \(form)")
        token?.invalidate()
      }
    }
    XCTAssertEqual(controller.observations.count, 0)
  }

  func test_C17_observedAgain_returnsTheFirstTokenUntilItEnds() {
    let cell = Cell()
    func observe() -> ObservationToken { controller.observe(sheet, \.[cell]) { _, _, _ in } }
    let first = observe()
    XCTAssertIdentical(first, observe())
    first.invalidate()
    let second = observe()
    XCTAssertEqual([first.isActive, second.isActive], [false, true])
    first.invalidate()
    XCTAssertTrue(second.isActive)
  }

  func test_tokenKept_isExplainedByTraces() {
    let cell = Cell()
    let token = controller.observe(sheet, \.[cell]) { _, _, _ in }
    let trace = ObservationTrace.record { sheet.value = 1 }
    XCTAssertTrue(trace.explain(token).contains("was called"), trace.explain(token))
  }

  func test_tokenDropped_observationContinues() {
    let cell = Cell()
    weak var token: ObservationToken?
    scoped { token = controller.observe(sheet, \.[cell], action: ChangeRecorder<Int>.record) }
    sheet.value = 1
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
    controller.unobserveAll()
    XCTAssertNil(token)
  }
}
