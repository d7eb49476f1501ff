import ObservationController
import TestSupport
import XCTest

/// Dependencies set to equal values: these may differ all the same, as equal instances do.
final class DerivedEqualityTests: TestCase {
  private final class Tag: Hashable {
    @Observed var text: String

    init(_ text: String) { self.text = text }

    static func == (left: Tag, right: Tag) -> Bool { left.text == right.text }

    // Changes while it is in a set.
    func hash(into hasher: inout Hasher) {}
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

  // MARK: Values that hold instances

  /// A value that holds a tag, in any way.
  private final class Holder<Value> {
    @Observed var value: Value
    @Observed var isRead = true
    private let tag: (Value) -> Tag?
    @Derived({ (holder: Holder) in holder.isRead ? holder.value : holder.value }) var copy: Value
    @Derived({ (holder: Holder) in holder.tag(holder.value)?.text }) var text: String?
    @Derived({ (holder: Holder) in holder.tag(holder.copy)?.text }) var textOfCopy: String?

    init(_ value: Value, _ tag: @escaping (Value) -> Tag?) { (self.value, self.tag) = (value, tag) }
  }

  /// Replaces a value by one that is equal, and holds another tag, and changes that.
  private func checkThatOtherTagIsFollowed<Value>(
    line: UInt = #line, _ make: (Tag) -> Value, _ tag: @escaping (Value) -> Tag?
  ) {
    let holder = Holder(make(Tag("a")), tag)
    let texts = [\Holder<Value>.text, \.textOfCopy]
    func check(_ text: String) {
      XCTAssertEqual(texts.map { holder[keyPath: $0] }, [text, text], line: line)
    }
    check("a")
    for isObserved in [false, true] {
      if isObserved {
        observations.observe(holder, \.text) { $0.write("value \($2.newValue ?? "")") }
        observations.observe(holder, \.textOfCopy) { $0.write("copy \($2.newValue ?? "")") }
      }
      let other = Tag(holder.text ?? "")
      holder.value = make(other)
      check(other.text)
      other.text += "b"
      check(other.text)
    }
    XCTAssertEqual(recorder.takeEvents(), ["value abb", "copy abb"], line: line)
  }

  /// Compared by its number alone.
  private struct Part: Hashable {
    var number = 0
    var tag: Tag

    init(_ tag: Tag) { self.tag = tag }
    static func == (left: Part, right: Part) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  private enum Choice: Equatable {
    case none
    case one(Tag)
    indirect case more(Choice)

    var tag: Tag? {
      switch self {
      case .none: nil
      case .one(let tag): tag
      case .more(let choice): choice.tag
      }
    }
  }

  func test_C27_equalValue_thatHoldsAnotherInstance_isFollowed() {
    checkThatOtherTagIsFollowed({ $0 }, { $0 })
    checkThatOtherTagIsFollowed({ $0 as Tag? }, { $0 })
    checkThatOtherTagIsFollowed({ $0 as Tag?? }, { $0 ?? nil })
    checkThatOtherTagIsFollowed({ [$0] }, { $0[0] })
    checkThatOtherTagIsFollowed({ [nil, $0] as [Tag?] }, { $0[1] })
    checkThatOtherTagIsFollowed({ [[], [$0]] as [[Tag]] }, { $0[1][0] })
    checkThatOtherTagIsFollowed({ [$0] as [Tag]? }, { $0?[0] })
    checkThatOtherTagIsFollowed({ [[$0]] as [[Tag]?]? }, { $0?[0]?[0] })
    checkThatOtherTagIsFollowed({ [$0][...] }, { $0[0] })
    checkThatOtherTagIsFollowed({ ContiguousArray([$0]) }, { $0[0] })
    checkThatOtherTagIsFollowed({ ["key": $0] }, { $0["key"] })
    checkThatOtherTagIsFollowed({ ["key": [1: $0]] }, { $0["key"]?[1] })
    checkThatOtherTagIsFollowed({ [[$0]: 1] }, { $0.first?.key[0] })
    checkThatOtherTagIsFollowed({ Set([$0]) }, { $0.first })
    checkThatOtherTagIsFollowed({ [Set([$0])] }, { $0[0].first })
    checkThatOtherTagIsFollowed({ $0 as AnyObject }, { $0 as? Tag })
    checkThatOtherTagIsFollowed({ $0 as Any }, { $0 as? Tag })
    checkThatOtherTagIsFollowed({ [$0] as Any }, { ($0 as? [Tag])?.first })
    checkThatOtherTagIsFollowed({ AnyHashable($0) }, { $0.base as? Tag })
    checkThatOtherTagIsFollowed({ ($0, 1) }, { $0.0 })
    checkThatOtherTagIsFollowed({ Result<Tag, Never>.success($0) }, { $0.get() })
  }

  func test_C27_equalValueOfAUsersType_thatHoldsAnotherInstance_isFollowed() {
    checkThatOtherTagIsFollowed({ Part($0) }, { $0.tag })
    checkThatOtherTagIsFollowed({ Part($0) as Part? }, { $0?.tag })
    checkThatOtherTagIsFollowed({ [Part($0)] }, { $0[0].tag })
    checkThatOtherTagIsFollowed({ ["key": Part($0)] }, { $0["key"]?.tag })
    checkThatOtherTagIsFollowed({ [Part($0): 1] }, { $0.first?.key.tag })
    checkThatOtherTagIsFollowed({ Set([Part($0)]) }, { $0.first?.tag })
    checkThatOtherTagIsFollowed({ Part($0) as any Equatable }, { ($0 as? Part)?.tag })
    checkThatOtherTagIsFollowed({ Choice.one($0) }, \.tag)
    checkThatOtherTagIsFollowed({ Choice.more(.one($0)) }, \.tag)
  }
}
