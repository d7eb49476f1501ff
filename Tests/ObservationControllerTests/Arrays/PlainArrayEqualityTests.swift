import ObservationController
import TestSupport
import XCTest

/// `observeArray` on plain arrays of elements that are equal and differ.
final class PlainArrayEqualityTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private final class Holder<Element> {
    @Observed var elements: [Element]

    init(_ elements: [Element]) { self.elements = elements }
  }

  /// Equal by its id alone.
  private struct Row: Hashable, CustomStringConvertible {
    let id: Int
    let title: String

    var description: String { title }
    static func == (left: Row, right: Row) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  func test_elementThatIsEqualAndDiffers_isAReplacement_alsoWithDistinct() {
    for options: ObservationOptions in [.old, .distinct, [.old, .distinct]] {
      let holder = Holder([Row(id: 1, title: "a"), Row(id: 2, title: "b")])
      var replayed = holder.elements
      observations.observeArray(holder, \.elements, options: options) { recorder, _, change in
        recorder.write("\(change.kind): \(change.elements)")
        replayed = change.applying(to: replayed)
        let before = change.oldElements
        XCTAssertEqual(before != nil, options.contains(.old))
      }
      func set(_ rows: [Row], _ line: UInt = #line) {
        holder.elements = rows
        XCTAssertEqual(replayed.map(\.title), rows.map(\.title), line: line)
      }
      set([Row(id: 1, title: "a"), Row(id: 2, title: "c")])
      set([Row(id: 2, title: "d"), Row(id: 1, title: "a")])
      set([Row(id: 2, title: "d"), Row(id: 1, title: "a"), Row(id: 1, title: "e")])
      set([Row(id: 1, title: "e"), Row(id: 1, title: "f")])
      holder.elements[0] = Row(id: 1, title: "g")
      XCTAssertEqual(replayed.map(\.title), ["g", "f"])
      XCTAssertEqual(
        recorder.takeEvents(),
        [
          "replacement: [a, c]", "batch: [d, a]", "insertion: [d, a, e]", "batch: [e, f]",
          "replacement: [g, f]",
        ])
      let count = recorder.events.count
      set([Row(id: 1, title: "g"), Row(id: 1, title: "f")])
      XCTAssertEqual(
        recorder.takeEvents(), options.contains(.distinct) ? [] : ["batch: [g, f]"], "\(count)")
    }
  }

  func test_elementsThatCanBeToldApart_areReplaced_whateverTheirType() {
    func check<Element>(
      _ old: Element, _ new: Element, _ read: @escaping (Element) -> String, line: UInt = #line
    ) {
      let holder = Holder([old, old])
      var replayed = holder.elements
      observations.observeArray(holder, \.elements, options: [.old, .distinct]) {
        recorder, _, change in
        recorder.write("\(change.kind)")
        replayed = change.applying(to: replayed)
      }
      holder.elements[1] = new
      XCTAssertEqual(replayed.map(read), [old, new].map(read), line: line)
      holder.elements = [new, old]
      XCTAssertEqual(replayed.map(read), [new, old].map(read), line: line)
      XCTAssertEqual(recorder.takeEvents().first, "replacement", line: line)
    }
    let (row, other) = (Row(id: 1, title: "a"), Row(id: 1, title: "b"))
    check(row, other, \.title)
    check(row as Row?, other) { $0!.title }
    check([row], [other]) { $0[0].title }
    check([1: row], [1: other]) { $0[1]!.title }
    check(Set([row]), [other]) { $0.first!.title }
    check(0.0, -0.0) { "\($0.sign)" }
    check([0.0], [-0.0]) { "\($0[0].sign)" }
    check("\u{E9}", "e\u{301}") { "\(Array($0.unicodeScalars))" }
    check(AnyHashable(row), AnyHashable(other)) { ($0.base as! Row).title }
  }

  func test_elementsThatAreNotEqualToThemselves_stayWhereTheyAre() {
    let holder = Holder([Double.nan, 1])
    observations.observeArray(holder, \.elements, options: .distinct) { $0.write($2) }
    holder.elements = [.nan, 1]
    XCTAssertEqual(recorder.events, [])
  }

  /// Equal ones among `nil`: each instance is one of its own.
  func test_instancesAmongNil_areComparedByIdentity_andFollowed() {
    final class Person: Hashable, CustomStringConvertible {
      @Observed var age: Int
      let id = 1
      var description: String { "p\(age)" }
      init(_ age: Int) { self.age = age }
      static func == (left: Person, right: Person) -> Bool { left.id == right.id }
      func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }
    func check<Element>(
      _ type: Element.Type, _ make: (Person?) -> Element, _ age: PartialKeyPath<Element>,
      line: UInt = #line
    ) {
      let (first, second) = (Person(1), Person(2))
      let holder = Holder([make(first), make(nil)])
      observations.observeArray(holder, \.elements, elements: [age], options: [.old, .distinct]) {
        recorder, _, change in
        recorder.write(
          "\(change.kind) \(change.entries.map { "\($0.oldIndex ?? -1)\($0.newIndex ?? -1)" })")
      }
      holder.elements = [make(second), make(nil)]
      second.age = 3
      first.age = 4
      holder.elements = [make(nil), make(second)]
      holder.elements = [make(nil), make(second), make(nil)]
      holder.elements = [make(nil), make(second), make(nil)]
      holder.elements = [make(nil), make(first), make(nil)]
      first.age = 5
      XCTAssertEqual(
        recorder.takeEvents(),
        [
          #"replacement ["0-1", "-10"]"#, #"element ["00"]"#, #"move ["10"]"#,
          #"insertion ["-12"]"#, #"replacement ["1-1", "-11"]"#, #"element ["11"]"#,
        ], line: line)
    }
    check(Person?.self, { $0 }, \Person?.?.age)
    check(Person??.self, { $0.map { $0 } }, \Person??.??.age)
  }
}
