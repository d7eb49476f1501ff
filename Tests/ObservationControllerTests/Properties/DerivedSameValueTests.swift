import ObservationController
import TestSupport
import XCTest

/// Which values are no change: those that cannot be told apart.
final class DerivedSameValueTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  /// Values that readers look into.
  private final class Read<Value> {
    @Observed var value: Value
    let read: (Value) -> String
    @Derived({ (model: Read) in model.read(model.value) }) var text: String
    @Derived({ (model: Read) in model.value }) var copy: Value
    @Derived({ (model: Read) in model.read(model.copy) }) var textOfCopy: String

    init(_ value: Value, _ read: @escaping (Value) -> String) {
      (self.value, self.read) = (value, read)
    }
  }

  /// Counts the runs of its getters.
  private final class Counted<Value> {
    @Observed var value: Value
    var runs = 0
    @Derived({ (model: Counted) in
      model.runs += 1
      return model.value
    }) var copy: Value
    @Derived({ (model: Counted) -> Int in
      model.runs += 1
      _ = model.copy
      return 0
    }) var last: Int

    init(_ value: Value) { self.value = value }
  }

  private final class Tag {}

  // MARK: Values that are equal and differ

  /// Two values that `==` takes for one.
  private func checkThatReadersSee<Value>(
    _ first: Value, _ second: Value, as read: @escaping (Value) -> String, observersToo: Bool,
    line: UInt = #line
  ) {
    let model = Read(first, read)
    observations.observe(model, \.text) { recorder, _, _ in recorder.write("text") }
    observations.observe(model, \.copy) { recorder, _, _ in recorder.write("copy") }
    observations.observe(model, \.textOfCopy) { recorder, _, _ in recorder.write("text of copy") }
    for value in [second, first, second] {
      model.value = value
      XCTAssertEqual(model.text, read(value), line: line)
      XCTAssertEqual(read(model.copy), read(value), line: line)
      XCTAssertEqual(model.textOfCopy, read(value), line: line)
      XCTAssertEqual(
        recorder.takeEvents(),
        observersToo ? ["text", "copy", "text of copy"] : ["text", "text of copy"], line: line)
    }
  }

  func test_C27_equalNumbersAndTexts_thatDiffer_reachReadersAndObservers() {
    func sign(_ value: some FloatingPoint) -> String { "\(value.sign)" }
    checkThatReadersSee(0.0, -0.0, as: { sign($0) }, observersToo: true)
    checkThatReadersSee(0.0 as Float, -0.0, as: { sign($0) }, observersToo: true)
    checkThatReadersSee(0.0 as Double?, -0.0, as: { $0.map(sign) ?? "" }, observersToo: true)
    checkThatReadersSee([0.0], [-0.0], as: { sign($0[0]) }, observersToo: true)
    checkThatReadersSee(["a": 0.0], ["a": -0.0], as: { sign($0["a"]!) }, observersToo: true)
    func spelling(_ value: some StringProtocol) -> String { "\(Array(value.unicodeScalars))" }
    let (short, long) = ("\u{E9}", "e\u{301}")
    checkThatReadersSee(short, long, as: { spelling($0) }, observersToo: true)
    checkThatReadersSee(short as String?, long, as: { spelling($0!) }, observersToo: true)
    checkThatReadersSee([short], [long], as: { spelling($0[0]) }, observersToo: true)
    checkThatReadersSee([short: 1], [long: 1], as: { spelling($0.first!.key) }, observersToo: true)
    checkThatReadersSee(Set([short]), [long], as: { spelling($0.first!) }, observersToo: true)
    checkThatReadersSee(
      Character(short), Character(long), as: { spelling(String($0)) }, observersToo: true)
    checkThatReadersSee(short[...], long[...], as: { spelling($0) }, observersToo: true)
  }

  func test_C27_equalValuesOfAUsersType_reachReaders_andObserversIfTheyDiffer() {
    struct User: Hashable {
      let id: Int
      let name: String
      static func == (left: User, right: User) -> Bool { left.id == right.id }
      func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }
    let (first, second) = (User(id: 1, name: "a"), User(id: 1, name: "b"))
    checkThatReadersSee(first, second, as: \.name, observersToo: false)
    checkThatReadersSee(first as User?, second, as: { $0!.name }, observersToo: false)
    checkThatReadersSee([first], [second], as: { $0[0].name }, observersToo: false)
    checkThatReadersSee([first][...], [second], as: { $0[0].name }, observersToo: false)
    checkThatReadersSee([1: first], [1: second], as: { $0[1]!.name }, observersToo: false)
    checkThatReadersSee(Set([first]), [second], as: { $0.first!.name }, observersToo: false)
    checkThatReadersSee(
      first as any Equatable, second, as: { ($0 as! User).name }, observersToo: false)
  }

  // MARK: Values that cannot be told apart

  /// Values that are made anew, and are the same.
  private func checkThatNothingIsComputed<Value>(
    line: UInt = #line, _ make: () -> Value
  ) {
    let model = Counted(make())
    observations.observe(model, \.last) { recorder, _, _ in recorder.write("last") }
    observations.observe(model, \.copy) { recorder, _, _ in recorder.write("copy") }
    model.runs = 0
    for _ in 0..<3 { model.value = make() }
    XCTAssertEqual(model.runs, 0, line: line)
    XCTAssertEqual(recorder.takeEvents(), [], line: line)
  }

  func test_C26_valueThatCannotBeToldApart_isNoChange() {
    enum Plain { case first, second }
    struct Opaque { let number: Int }
    let tag = Tag()
    let text = String(repeating: "long ", count: 20)
    func made(_ text: String) -> String { String(text.reversed().reversed()) }
    checkThatNothingIsComputed { 1 }
    checkThatNothingIsComputed { UInt8(1) }
    checkThatNothingIsComputed { true }
    checkThatNothingIsComputed { Plain.second }
    checkThatNothingIsComputed { Plain.second as Plain? }
    checkThatNothingIsComputed { Double.nan }
    checkThatNothingIsComputed { -Float.nan }
    checkThatNothingIsComputed { Double.nan as Double? }
    checkThatNothingIsComputed { [Double.nan] }
    checkThatNothingIsComputed { ["a": Double.nan] }
    checkThatNothingIsComputed { made(text) }
    checkThatNothingIsComputed { [made(text)] }
    checkThatNothingIsComputed { made(text) as String?? }
    checkThatNothingIsComputed { [made(text): [made(text)]] }
    checkThatNothingIsComputed { Set((0..<20).map { made("\(text)\($0)") }) }
    checkThatNothingIsComputed { Array(0..<20)[3...] }
    checkThatNothingIsComputed { ContiguousArray(0..<20) }
    checkThatNothingIsComputed { tag }
    checkThatNothingIsComputed { [tag] as [Tag]? }
    checkThatNothingIsComputed { ["a": [tag, nil] as [Tag?]] }
    checkThatNothingIsComputed { nil as Opaque? }
    checkThatNothingIsComputed { Opaque(number: 1) }
    checkThatNothingIsComputed { (tag, 1) }
    checkThatNothingIsComputed { made(text) as Any }
    checkThatNothingIsComputed { tag as AnyObject }
  }

  func test_C28_equalValuesInBetween_leaveTheChainWhole() {
    struct User: Equatable {
      var id: Int
      var name: String
      static func == (left: User, right: User) -> Bool { left.id == right.id }
    }
    final class Model {
      @Observed var user = User(id: 1, name: "a")
      @Derived({ (model: Model) in model.user }) var copy: User
    }
    let model = Model()
    observations.observe(model, \.copy) { recorder, _, change in
      recorder.write("\(change.oldValue?.name ?? "-") → \(change.newValue.name)")
    }
    model.user.name = "b"
    model.user.id = 2
    withObservationTransaction {
      model.user.id = 3
      model.user = User(id: 2, name: "c")
    }
    model.user.id = 4
    XCTAssertEqual(recorder.events, ["b → b", "c → c"])
  }
}
