import ObservationController
import TestSupport
import XCTest

/// Dependencies set to equal values: equal instances of classes are still different objects.
final class DerivedEqualityTests: TestCase {
  private final class Tag: Equatable {
    @Observed var text: String

    init(_ text: String) { self.text = text }

    static func == (left: Tag, right: Tag) -> Bool { left.text == right.text }
  }

  private final class Shelf {
    @Observed var list: ObservableArray<Int> = []
    @Observed var tag = Tag("a")
    @Observed var spare: Tag?
    @Observed var tags = [Tag("a")]
    @Derived({ (shelf: Shelf) in shelf.list.count }) var count: Int
    @Derived({ (shelf: Shelf) in shelf.tag.text }) var text: String
    @Derived({ (shelf: Shelf) in shelf.spare?.text }) var spareText: String?
    @Derived({ (shelf: Shelf) in shelf.tags.map(\.text).joined() }) var joined: String
    @Derived({ (shelf: Shelf) in shelf.tag }) var chosen: Tag
    @Derived({ (shelf: Shelf) in shelf.chosen.text }) var chosenText: String
  }

  private let shelf = Shelf()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_C27_equalArray_ofAnotherInstance_isFollowed() {
    observations.observe(shelf, \.count) { $0.write("\($2)") }
    shelf.list = []
    shelf.list.append(1)
    XCTAssertEqual(shelf.count, 1)
    XCTAssertEqual(recorder.events, ["0 → 1"])
  }

  func test_C27_equalInstance_isFollowed() {
    observations.observe(shelf, \.text) { $0.write("text: \($2)") }
    observations.observe(shelf, \.chosenText) { $0.write("chosen: \($2)") }
    shelf.tag = Tag("a")
    shelf.tag.text = "b"
    XCTAssertEqual([shelf.text, shelf.chosenText], ["b", "b"])
    XCTAssertEqual(recorder.events, ["text: a → b", "chosen: a → b"])
  }

  func test_C27_equalInstance_inAnOptionalOrAnArray_isFollowed() {
    shelf.spare = Tag("a")
    XCTAssertEqual([shelf.spareText, shelf.joined], ["a", "a"])
    shelf.spare = Tag("a")
    shelf.tags = [Tag("a")]
    shelf.spare?.text = "b"
    shelf.tags[0].text = "c"
    XCTAssertEqual([shelf.spareText, shelf.joined], ["b", "c"])
  }
}
