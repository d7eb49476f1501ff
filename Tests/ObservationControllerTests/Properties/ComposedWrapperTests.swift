import Observation
import ObservationController
import TestSupport
import XCTest

/// A property wrapper behind the library's own: the property has the values of that wrapper.
final class ComposedWrapperTests: TestCase {
  private final class Player {
    @Observed @Clamped(0...10) var volume = 5
    @AtomicObserved @Clamped(0...10) var shared = 5
    @Observed @Trimmed var title = " one "
    @Derived({ (player: Player) in player.volume * 2 }) var twice: Int
  }

  private class Holder<Value: Comparable & Sendable> {
    @Observed @Clamped var value: Value

    init(_ value: Clamped<Value>) { _value = Observed(wrappedValue: value) }
  }

  @Observable
  final class Document {
    @ObservationIgnored @TrackedObserved @Clamped(0...10) var page = 5
  }

  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: self)

  func test_wrapperBehindObserved_changes_areThoseOfThePropertysValue() {
    let player = Player()
    observations.observe(player, \.volume, options: [.initial, .old]) { $0.recorder.write($2) }
    player.volume = 7
    player.volume = 20
    player.volume -= 4
    XCTAssertEqual(player.volume, 6)
    XCTAssertEqual(recorder.events, ["initially 5", "5 → 7", "7 → 10", "10 → 6"])
  }

  func test_wrapperBehindObserved_distinct_comparesThePropertysValue() {
    let player = Player()
    observations.observe(player, \.volume, options: [.old, .distinct]) { $0.recorder.write($2) }
    player.volume = 11
    player.volume = 12
    player.volume = 3
    XCTAssertEqual(recorder.events, ["5 → 10", "10 → 3"])
  }

  func test_wrapperBehindObserved_ofAnotherType_isObservedDerivedAndBound() {
    let (player, label) = (Player(), Label())
    observations.observe(player, \.title) { $0.recorder.write($2) }
    observations.observe(player, \.twice) { $0.recorder.write($2) }
    observations.bind(player, \.title, to: label, \.text)
    XCTAssertEqual(label.text, "one")
    player.title = "two  "
    player.volume = 30
    XCTAssertEqual(label.text, "two")
    XCTAssertEqual(recorder.events, ["one → two", "10 → 20"])
  }

  func test_wrapperBehindAtomicObserved_changes_areContiguous() {
    let player = Player()
    observations.observe(player, \.shared, options: [.initial, .old]) { $0.recorder.write($2) }
    player.shared = 40
    player.shared -= 1
    XCTAssertEqual(recorder.events, ["initially 5", "5 → 10", "10 → 9"])
  }

  func test_wrapperBehindTrackedObserved_changes_areDelivered() {
    let document = Document()
    observations.observe(document, \.page) { $0.recorder.write($2) }
    document.page = -3
    XCTAssertEqual(recorder.events, ["5 → 0"])
  }

  func test_wrapperBehindObserved_inAGenericClass_isObserved() {
    let holder = Holder(Clamped(wrappedValue: 1.5, 0...2))
    observations.observe(holder, \.value) { $0.recorder.write($2) }
    holder.value = 7
    XCTAssertEqual(recorder.events, ["1.5 → 2.0"])
  }

  func test_wrapperBehindObserved_unobservedAndDeallocated_leavesNothing() {
    var player: Player? = Player()
    let weakPlayer = Weak(player)
    observations.observe(player!, \.volume) { $0.recorder.write($2) }
    XCTAssertTrue(observations.isObserving(player!, \.volume))
    observations.unobserve(player!, \.volume)
    player!.volume = 2
    player = nil
    XCTAssertNil(weakPlayer.object)
    XCTAssertEqual(recorder.events, [])
  }
}

@propertyWrapper
struct Clamped<Value: Comparable> {
  private var value: Value
  private let range: ClosedRange<Value>

  init(wrappedValue: Value, _ range: ClosedRange<Value>) {
    self.range = range
    value = min(max(wrappedValue, range.lowerBound), range.upperBound)
  }

  var wrappedValue: Value {
    get { value }
    set { value = min(max(newValue, range.lowerBound), range.upperBound) }
  }
}

extension Clamped: Sendable where Value: Sendable {}

/// Stores another type than it shows.
@propertyWrapper
private struct Trimmed {
  private var characters: [Character]

  init(wrappedValue: String) { characters = Self.trimmed(wrappedValue) }

  var wrappedValue: String {
    get { String(characters) }
    set { characters = Self.trimmed(newValue) }
  }

  private static func trimmed(_ text: String) -> [Character] {
    Array(text.split(separator: " ").joined(separator: " "))
  }
}
