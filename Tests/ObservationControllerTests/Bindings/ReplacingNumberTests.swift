import ObservationController
import TestSupport
import XCTest

/// The syntax of numbers for a binding with `.number`.
final class ReplacingNumberTests: TestCase {
  /// The examples of the documentation, and others.
  func test_replacingNumber_examples() {
    XCTAssertEqual("Items: 12".replacingNumber(with: "13"), "Items: 13")
    XCTAssertEqual("-1,234.5 °C".replacingNumber(with: "1e+20"), "1e+20 °C")

    XCTAssertEqual("Items".replacingNumber(with: "13"), "13")
    XCTAssertEqual("Items: 12".replacingNumber(with: "none"), "none")
    XCTAssertEqual("Items: 12".replacingNumber(with: "nan"), "nan")

    XCTAssertEqual("Room A-12".replacingNumber(with: "13"), "Room A-13")
    XCTAssertEqual("10-12".replacingNumber(with: "9"), "9-12")

    XCTAssertEqual("1,234,567 files".replacingNumber(with: "8"), "8 files")
    XCTAssertEqual("1,2,3".replacingNumber(with: "8"), "8,2,3")

    XCTAssertEqual(".5 l".replacingNumber(with: "0.75"), "0.75 l")
    XCTAssertEqual("Total: 5.".replacingNumber(with: "6"), "Total: 6.")

    XCTAssertEqual("1e+20 m".replacingNumber(with: "2"), "2 m")
    XCTAssertEqual("5em".replacingNumber(with: "6"), "6em")

    XCTAssertEqual("H2O: 5 l".replacingNumber(with: "6"), "H2O: 6 l")
    XCTAssertEqual("v1.2, 3 days ago".replacingNumber(with: "4"), "v1.2, 4 days ago")
    XCTAssertEqual("16GB".replacingNumber(with: "32"), "32GB")
  }

  func test_replacingNumber_ofATextThatIsOne_isTheArgument() {
    let numbers = [
      "0", "007", "-5", "+5", "\u{2212}5", "1,234", "12,345,678", "1.5", "1,234.5", ".5", "-.5",
      "1e+20",
      "5e-324", "1e5", "1E5", "-1.7976931348623157e+308", "\(Int.min)", "\(UInt64.max)",
    ]
    for number in numbers {
      XCTAssertEqual(number.replacingNumber(with: "8"), "8")
      XCTAssertEqual("a 1 b".replacingNumber(with: number), "a \(number) b")
      XCTAssertEqual("(\(number))".replacingNumber(with: "8"), "(8)")
    }
  }

  func test_replacingNumber_argumentThatIsNoNumberAsAWhole_isTheResult() {
    let others = [
      "", " ", "-", ".", "5.", "5 ", " 5", "1,2345", "1,23", "5e", "5e+", "5em", "1.2.3", "--5",
      "5-",
      "inf", "-inf", "nan", "a5", "٣", "５", "½", "1_000", "0x1F", "5%",
    ]
    for other in others {
      XCTAssertEqual("a 1 b".replacingNumber(with: other), other)
    }
  }

  func test_replacingNumber_textWithoutOne_isReplacedWhole() {
    for text in [
      "", "-", "Items", "x86", "H2O", "CO2", "é2", "e\u{301}2", "٣", "５", "v1.2", "v1,234", "inf",
    ] {
      XCTAssertEqual(text.replacingNumber(with: "8"), "8", text)
    }
  }

  func test_replacingNumber_first_isReplacedAlone() {
    let cases = [
      ("1 2", "8 2"), ("1-2", "8-2"), ("12:30", "8:30"), ("1/2", "8/2"), ("1.2.3", "8.3"),
      ("3 -4", "8 -4"), ("a -4 5", "a 8 5"), ("--4", "-8"), ("(-4)", "(8)"), ("$1,234.50!", "$8!"),
      ("1234,567", "8,567"), ("1,2345", "8,2345"), ("1,234,5678", "8,5678"), ("0,12", "8,12"),
      ("1e5x", "8e5x"), ("1e55é", "8e55é"), ("1.e5", "8.e5"), ("...5", "...8"),
      ("Item.5", "Item.8"),
      ("A.5", "A.8"), ("room_5", "room_8"), ("2nd", "8nd"), ("100%", "8%"), ("5…", "8…"),
      ("👨‍👩‍👧 5 é", "👨‍👩‍👧 8 é"), ("a\n5\n6", "a\n8\n6"), ("x1 y2 3", "x1 y2 8"),
      ("A\u{2212}5", "A\u{2212}8"), ("A \u{2212}5", "A 8"), ("½-5", "½-8"), ("$1 \\1", "$8 \\1"),
    ]
    for (text, result) in cases {
      XCTAssertEqual(text.replacingNumber(with: "8"), result, text)
    }
  }

  func test_replacingNumber_behindAnEmoji_isFound() {
    let cases = [
      ("☀\u{FE0F}25°", "☀\u{FE0F}8°"), ("☀\u{FE0F}-5°", "☀\u{FE0F}8°"), ("☀25°", "☀8°"),
      ("\u{301}5", "\u{301}8"), ("e\u{301}-5", "e\u{301}-8"), ("1\u{301}.5 6", "1\u{301}.5 8"),
    ]
    for (text, result) in cases {
      XCTAssertEqual(text.replacingNumber(with: "8"), result, text)
    }
  }

  func test_replacingNumber_digitWithAnAccent_isNone() {
    let cases = [
      ("1\u{FE0F}\u{20E3} Items: 12", "1\u{FE0F}\u{20E3} Items: 8"),
      ("5\u{301} 6", "5\u{301} 8"), ("1\u{301}2 6", "1\u{301}2 8"),
      ("1e5\u{301}", "8e5\u{301}"), ("5\u{301}", "8"),
    ]
    for (text, result) in cases {
      XCTAssertEqual(text.replacingNumber(with: "8"), result, text)
    }
  }

  func test_replacingNumber_twice_isAsTheLastOne() {
    let texts = ["Items: 12", "-5 °C", "1,234.5", "a", "", "A-1", "x86: .5", "16GB"]
    let numbers = ["1", "-2", "+3", "4.5", ".5", "1,000", "1e+20", "1e-05"]
    for text in texts {
      for first in numbers {
        for second in numbers {
          XCTAssertEqual(
            text.replacingNumber(with: first).replacingNumber(with: second),
            text.replacingNumber(with: second), "\(text), \(first), \(second)")
        }
      }
    }
  }

  func test_replacingNumber_onSeveralThreads_agrees() {
    onThreads(4) { thread in
      for number in 0..<200 {
        XCTAssertEqual("Items: 12".replacingNumber(with: "\(number)"), "Items: \(number)")
      }
    }
  }
}

extension String {
  /// The text after a binding has replaced its number.
  fileprivate func replacingNumber(with number: String) -> String {
    let (source, target) = (Label(), Label())
    (source.caption, target.text) = (number, self)
    let observations = ObservationController(observer: target)
    observations.bindText(source, \.caption, to: target, \.text, replacing: .number)
    return target.text
  }
}
