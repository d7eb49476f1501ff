import ObservationController
import TestSupport
import XCTest

/// The texts that bindings of text set.
final class TextBindingTests: TestCase {
  private let (person, label, dial) = (Person(), Label(), Dial(12))
  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  func test_bindText_example_replacesTheNumber() {
    label.text = "Items: 12"
    observations.bindText(dial, \.value, to: label, \.text, replacing: .number)
    dial.value = 13
    XCTAssertEqual(label.text, "Items: 13")
  }

  func test_bindText_whole_setsTheDescription() {
    label.text = "Items: 1"
    observations.bindText(dial, \.value, to: label, \.text, replacing: .whole)
    dial.value = -5
    XCTAssertEqual(label.texts.events, ["Items: 1", "12", "-5"])
  }

  func test_bindText_whole_string_isSetAsItIs() {
    observations.bindText(person, \.name, to: label, \.text, replacing: .whole)
    XCTAssertEqual(label.text, "Ada")
  }

  func test_bindText_whole_nil_isEmpty() {
    observations.bindText(person, \.employer?.name, to: label, \.text, replacing: .whole)
    person.employer = Company(name: "A")
    person.employer = nil
    XCTAssertEqual(label.texts.events, ["", "A", ""])
  }

  func test_bindText_nestedOptional_isDescribedByItsWrappedValue() {
    let source = Holder<Int??>(.some(nil))
    observations.bindText(source, \.value, to: label, \.text, replacing: .whole)
    source.value = 5
    source.value = nil
    XCTAssertEqual(label.texts.events, ["", "5", ""])
  }

  func test_bindText_number_keepsTheTextAround() {
    label.text = "Items: 0 of 20"
    observations.bindText(dial, \.value, to: label, \.text, replacing: .number)
    dial.value = 1_000
    dial.value = -1
    XCTAssertEqual(
      label.texts.events,
      ["Items: 0 of 20", "Items: 12 of 20", "Items: 1000 of 20", "Items: -1 of 20"])
  }

  func test_bindText_number_keepsTextSetMeanwhile() {
    label.text = "Items: 0"
    observations.bindText(dial, \.value, to: label, \.text, replacing: .number)
    label.text = "Files: 0"
    dial.value = 3
    XCTAssertEqual(label.text, "Files: 3")
  }

  func test_bindText_number_textWithoutANumber_isReplacedWhole() {
    label.text = "none"
    observations.bindText(dial, \.value, to: label, \.text, replacing: .number)
    XCTAssertEqual(label.texts.events, ["none", "12"])
  }

  func test_bindText_number_valueThatIsNone_replacesTheWholeText() {
    let instrument = Instrument()
    label.text = "Level: 1.5"
    observations.bindText(instrument, \.level, to: label, \.text, replacing: .number)
    instrument.level = 1e20
    instrument.level = .nan
    instrument.level = 2
    XCTAssertEqual(label.texts.events, ["Level: 1.5", "Level: 0.0", "Level: 1e+20", "nan", "2.0"])
  }

  func test_bindText_optionalText_countsNilAsEmpty() {
    observations.bindText(dial, \.value, to: label, \.title, replacing: .number)
    label.title = "Items: 0"
    dial.value = 13
    XCTAssertEqual(label.titles.events, ["12", "Items: 0", "Items: 13"])
    label.title = nil
    dial.value = 14
    XCTAssertEqual(label.title, "14")
  }

  func test_bindText_optionalText_whole_isSet() {
    observations.bindText(person, \.age, to: label, \.title, replacing: .whole)
    XCTAssertEqual(label.titles.events, ["36"])
  }

  func test_bindText_again_changesNothing() {
    let first = observations.bindText(dial, \.value, to: label, \.text, replacing: .whole)
    let second = observations.bindText(dial, \.value, to: label, \.text, replacing: .number)
    XCTAssertTrue(first === second)
    XCTAssertEqual(label.texts.events, ["12"])
  }

  func test_bindText_nothingObservable_isReported() {
    let issues = collectingIssues {
      let token = observations.bindText(person, \.note, to: label, \.text, replacing: .whole)
      XCTAssertFalse(token.isActive)
    }
    XCTAssertEqual(issues.map(\.keyPath), [\Person.note])
    XCTAssertEqual(label.texts.events, [])
  }

  func test_bindText_target_isNotKeptAlive() {
    assertLeavesNoObservations {
      assertReleased {
        let label = Label()
        observations.bindText(dial, \.value, to: label, \.text, replacing: .number)
        dial.value += 1
        return label
      }
    }
  }
}
