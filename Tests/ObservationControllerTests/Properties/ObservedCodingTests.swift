import Foundation
import ObservationController
import TestSupport
import XCTest

/// Classes with `@Observed` properties are coded, compared and printed as if they had plain ones.
final class ObservedCodingTests: TestCase {
  private static let optionalValues: [(subtitle: String?, place: Place?)] = [
    (nil, nil), ("b", nil), (nil, Place(city: "Ulm", zip: 89073)), ("", Place(city: "", zip: nil)),
  ]

  // MARK: Codable

  func test_encode_writesTheValuesAlone() throws {
    let note = Note(title: "a", subtitle: "b", place: Place(city: "Ulm", zip: nil))
    XCTAssertEqual(
      try json(note),
      #"{"marks":[1,2],"place":{"city":"Ulm"},"subtitle":"b","title":"a"}"#)
  }

  func test_encode_nil_leavesTheKeyOut() throws {
    let note = Note(title: "a", subtitle: nil, place: nil)
    XCTAssertEqual(try json(note), #"{"marks":[1,2],"title":"a"}"#)
  }

  func test_encode_matchesAClassWithoutTheWrapper() throws {
    for (subtitle, place) in Self.optionalValues {
      let note = Note(title: "a", subtitle: subtitle, place: place)
      let plain = PlainNote(title: "a", subtitle: subtitle, place: place)
      XCTAssertEqual(try json(note), try json(plain))
    }
  }

  func test_decode_roundTrip_restoresEveryValue() throws {
    for (subtitle, place) in Self.optionalValues {
      let note = Note(title: "ä \"quoted\"", subtitle: subtitle, place: place)
      let decoded = try decode(Note.self, try json(note))
      XCTAssertEqual(decoded.title, note.title)
      XCTAssertEqual(decoded.subtitle, subtitle)
      XCTAssertEqual(decoded.place, place)
      XCTAssertEqual(decoded.marks, [1, 2])
    }
  }

  func test_decode_missingOptionalKey_isNil() throws {
    let note = try decode(Note.self, #"{"title":"a","marks":[]}"#)
    XCTAssertNil(note.subtitle)
    XCTAssertNil(note.place)
  }

  func test_decode_null_isNil() throws {
    let note = try decode(
      Note.self, #"{"title":"a","marks":[],"subtitle":null,"place":null}"#)
    XCTAssertNil(note.subtitle)
    XCTAssertNil(note.place)
  }

  func test_decode_missingRequiredKey_throwsKeyNotFound() {
    XCTAssertThrowsError(try decode(Note.self, #"{"marks":[]}"#)) { error in
      guard case DecodingError.keyNotFound(let key, _) = error else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(key.stringValue, "title")
    }
  }

  func test_decode_wrongType_throwsWithTheCodingPath() {
    XCTAssertThrowsError(
      try decode(Note.self, #"{"title":"a","marks":[],"place":{"city":1}}"#)
    ) { error in
      guard case DecodingError.typeMismatch(_, let context) = error else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(context.codingPath.map(\.stringValue), ["place", "city"])
    }
  }

  func test_decode_nestedObjects_areObservable() throws {
    let tree = try decode(Tree.self, #"{"name":"root","child":{"name":"leaf"}}"#)
    XCTAssertEqual(try json(tree), #"{"child":{"name":"leaf"},"name":"root"}"#)
    let recorder = ChangeRecorder<String?>()
    let controller = ObservationController(observer: recorder)
    controller.observe(
      tree, \.child?.name, options: [.initial, .old], action: ChangeRecorder<String?>.record)
    tree.child?.name = "twig"
    tree.child = nil
    XCTAssertEqual(
      recorder.events, [.initial("leaf"), .changed("leaf", "twig"), .changed("twig", nil)])
  }

  // MARK: Equality and hashing

  func test_equality_comparesValuesWhetherObservedOrNot() {
    let counter = HashableCounter(1)
    let observer = SilentObserver()
    let controller = ObservationController(observer: observer)
    controller.observe(counter, \.count) { _, _, _ in }
    XCTAssertEqual(counter, HashableCounter(1))
    XCTAssertNotEqual(counter, HashableCounter(2))
    XCTAssertEqual(counter.hashValue, HashableCounter(1).hashValue)
    XCTAssertEqual(Set([counter, HashableCounter(1), HashableCounter(2)]).count, 2)
    XCTAssertEqual(Observed(wrappedValue: "a"), Observed(wrappedValue: "a"))
    XCTAssertNotEqual(Observed(wrappedValue: "a"), Observed(wrappedValue: "b"))
  }

  // MARK: Printing

  func test_printing_isThatOfTheValue() {
    XCTAssertEqual("\(Observed(wrappedValue: 1))", "1")
    XCTAssertEqual("\(Observed(wrappedValue: "a"))", "a")
    XCTAssertEqual(String(reflecting: Observed(wrappedValue: "a")), "\"a\"")
    XCTAssertEqual("\(Observed<Int?>(wrappedValue: nil))", "nil")
    XCTAssertEqual(
      String(reflecting: Observed(wrappedValue: ["a"])), String(reflecting: ["a"]))
  }

  func test_dump_ofAnObservedObject_showsItsValuesAndNoInternals() {
    let counter = HashableCounter(7)
    let observer = SilentObserver()
    let controller = ObservationController(observer: observer)
    controller.observe(counter, \.count) { _, _, _ in }
    var text = ""
    dump(counter, to: &text)
    XCTAssertTrue(text.contains("7"), text)
    XCTAssertFalse(text.lowercased().contains("subject"), text)
    XCTAssertEqual(Mirror(reflecting: Observed(wrappedValue: [1, 2])).children.count, 2)
  }
}

private struct Place: Codable, Equatable {
  var city: String
  var zip: Int?
}

private final class Note: Codable {
  @Observed var title: String
  @Observed var subtitle: String?
  @Observed var place: Place?
  @Observed var marks = [1, 2]

  init(title: String, subtitle: String?, place: Place?) {
    self.title = title
    self.subtitle = subtitle
    self.place = place
  }
}

/// `Note` without the wrapper.
private final class PlainNote: Codable {
  var title: String
  var subtitle: String?
  var place: Place?
  var marks = [1, 2]

  init(title: String, subtitle: String?, place: Place?) {
    self.title = title
    self.subtitle = subtitle
    self.place = place
  }
}

private final class Tree: Codable {
  @Observed var name: String
  @Observed var child: Tree?
}

private final class HashableCounter: Hashable {
  @Observed var count: Int

  init(_ count: Int) {
    self.count = count
  }

  static func == (left: HashableCounter, right: HashableCounter) -> Bool {
    left._count == right._count
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(_count)
  }

  func test_coding_followsTheCodersStrategies_asWithoutTheWrapper() throws {
    final class Wrapped: Codable {
      @Observed var date = Date(timeIntervalSince1970: 0)
      @Observed var url = URL(string: "https://a.b")!
      @Observed var data = Data([1, 2])
      @Observed var amount = Decimal(1.5)
    }
    struct Plain: Codable, Equatable {
      var date = Date(timeIntervalSince1970: 0)
      var url = URL(string: "https://a.b")!
      var data = Data([1, 2])
      var amount = Decimal(1.5)
    }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = .sortedKeys
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601

    let json = try encoder.encode(Wrapped())
    XCTAssertEqual(
      String(decoding: json, as: UTF8.self),
      String(decoding: try encoder.encode(Plain()), as: UTF8.self))
    let decoded = try decoder.decode(Wrapped.self, from: json)
    XCTAssertEqual(decoded.date, Plain().date)
    XCTAssertEqual(decoded.url, Plain().url)
    XCTAssertEqual(decoded.data, Plain().data)
    XCTAssertEqual(decoded.amount, Plain().amount)
  }
}
