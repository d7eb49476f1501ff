import ObservationController
import TestSupport
import XCTest

final class AtomicCodingTests: TestCase {
  private final class Settings: Codable {
    @AtomicObserved var volume = 5
    @AtomicObserved var nickname: String?
  }

  func test_coding_roundTrip_isThatOfTheValues() throws {
    let settings = Settings()
    settings.volume = 7
    settings.nickname = "Ada"
    let text = try json(settings)
    XCTAssertEqual(text, #"{"nickname":"Ada","volume":7}"#)
    let decoded = try decode(Settings.self, text)
    XCTAssertEqual(decoded.volume, 7)
    XCTAssertEqual(decoded.nickname, "Ada")
  }

  func test_coding_missingOptional_isNil_inBothDirections() throws {
    let decoded = try decode(Settings.self, #"{"volume":1}"#)
    XCTAssertNil(decoded.nickname)
    XCTAssertEqual(try json(decoded), #"{"volume":1}"#)
  }

  func test_description_isThatOfTheValue() {
    let (number, text) = (AtomicObserved(wrappedValue: 3), AtomicObserved(wrappedValue: "three"))
    XCTAssertEqual("\(number) \(text)", "3 three")
    XCTAssertEqual(String(reflecting: text), "\"three\"")
  }

  func test_dump_showsTheValue_andNoInternals() {
    let settings = Settings()
    settings.nickname = "Ada"
    var text = ""
    dump(settings, to: &text)
    XCTAssertTrue(text.contains("5") && text.contains("Ada"), text)
    XCTAssertFalse(text.lowercased().contains("lock"), text)
  }
}
