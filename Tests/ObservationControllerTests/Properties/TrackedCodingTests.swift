import Foundation
import Observation
import ObservationController
import TestSupport
import XCTest

/// Classes with `@TrackedObserved` properties are coded, compared and printed as if they had plain
/// ones.
final class TrackedCodingTests: TestCase {
  func test_coding_roundTrip_isThatOfTheValues() throws {
    for text in [#"{"marks":[1,2],"title":"a"}"#, #"{"marks":[],"subtitle":"b","title":""}"#] {
      XCTAssertEqual(try json(decode(Note.self, text)), text)
    }
  }

  func test_decode_missingOptionalKey_isNil_andAnyOtherThrows() throws {
    XCTAssertNil(try decode(Note.self, #"{"title":"a","marks":[],"subtitle":null}"#).subtitle)
    XCTAssertThrowsError(try decode(Note.self, #"{"marks":[]}"#)) { error in
      guard case DecodingError.keyNotFound(let key, _) = error else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(key.stringValue, "title")
    }
  }

  func test_decoded_isTrackedAndObserved() throws {
    let note = try decode(Note.self, #"{"title":"a","marks":[]}"#)
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    observations.observe(note, \.title) { recorder, _, change in recorder.write(change.newValue) }
    recorder.track("tracked") { note.title }
    note.title = "b"
    XCTAssertEqual(recorder.events, ["tracked", "b"])
  }

  func test_coding_followsTheCodersStrategies() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let data = try encoder.encode(Dated())
    XCTAssertEqual(String(decoding: data, as: UTF8.self), #"{"date":"1970-01-01T00:00:00Z"}"#)
    XCTAssertEqual(try decoder.decode(Dated.self, from: data).date, Dated().date)
  }

  func test_equalityAndHash_areThoseOfTheValue() {
    let (one, same, other) = (
      TrackedObserved(wrappedValue: 1), TrackedObserved(wrappedValue: 1),
      TrackedObserved(wrappedValue: 2)
    )
    XCTAssertEqual(one, same)
    XCTAssertNotEqual(one, other)
    XCTAssertEqual(Set([one, same, other]).count, 2)
  }

  func test_printing_isThatOfTheValue_andShowsNoInternals() {
    XCTAssertEqual("\(TrackedObserved(wrappedValue: 1))", "1")
    XCTAssertEqual(String(reflecting: TrackedObserved(wrappedValue: "a")), "\"a\"")
    XCTAssertEqual(Mirror(reflecting: TrackedObserved(wrappedValue: [1, 2])).children.count, 2)
    var text = ""
    dump(Dated(), to: &text)
    XCTAssertFalse(text.lowercased().contains("registrar"), text)
  }
}

private final class Note: Codable, Observable {
  @TrackedObserved var title: String
  @TrackedObserved var subtitle: String?
  @TrackedObserved var marks = [1, 2]
}

private final class Dated: Codable, Observable {
  @TrackedObserved var date = Date(timeIntervalSince1970: 0)
}
