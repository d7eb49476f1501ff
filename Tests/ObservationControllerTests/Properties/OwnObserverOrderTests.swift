import ObservationController
import TestSupport
import XCTest

/// `willSet` and `didSet` of an observed property, next to its handlers.
final class OwnObserverOrderTests: TestCase {
  private final class Volume {
    let lines = LineRecorder()
    @Observed var level = 1 {
      willSet { lines.write("willSet \(newValue)") }
      didSet {
        lines.write("didSet \(level)")
        if level > 10 { level = 10 }
      }
    }
  }

  func test_didSet_runsAfterTheHandlers_andWhatItCorrectsIsAChange() {
    let volume = Volume()
    let controller = ObservationController(observer: volume.lines)
    controller.observe(volume, \.level) { lines, _, change in lines.write("\(change)") }
    volume.level = 5
    volume.level = 20
    XCTAssertEqual(
      volume.lines.events,
      [
        "willSet 5", "1 → 5", "didSet 5", "willSet 20", "5 → 20", "didSet 20", "willSet 10",
        "20 → 10", "didSet 10",
      ])
  }
}
