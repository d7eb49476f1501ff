import ObservationController
import TestSupport
import XCTest

/// Bindings that set by a closure, and converters that give no value.
final class BindingFormsTests: TestCase {
  private final class Screen {
    var reads = 0
    var shown: [String] = []
    var text: String {
      get {
        reads += 1
        return shown.last ?? ""
      }
      set { shown.append(newValue) }
    }
  }

  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  // MARK: Setting by a closure

  func test_bindByClosure_setsAtOnce_andAfterEachChange_withoutReading() {
    let (person, screen) = (Person("Ada"), Screen())
    let token = observations.bind(person, \.name, to: screen) { $0.text = $1 }
    person.name = "Grace"
    person.name = "Grace"
    token.invalidate()
    person.name = "Edsger"
    XCTAssertEqual(screen.shown, ["Ada", "Grace", "Grace"])
    XCTAssertEqual(screen.reads, 0)
  }

  func test_bindByClosure_again_isOneBinding_fromTheSameLineAlone() {
    let (person, screen) = (Person("Ada"), Screen())
    let tokens = (0..<2).map { _ in
      observations.bind(person, \.name, to: screen) { $0.text = $1 }
    }
    XCTAssertTrue(tokens[0] === tokens[1])
    let other = observations.bind(person, \.name, to: screen) { $0.text = $1.uppercased() }
    let byKeyPath = observations.bind(person, \.name, to: screen, \.text)
    XCTAssertFalse(other === tokens[0])
    XCTAssertFalse(byKeyPath === tokens[0])
    person.name = "Bo"
    XCTAssertEqual(screen.shown, ["Ada", "ADA", "Ada", "Bo", "BO", "Bo"])
  }

  func test_bindByClosure_keepsNeitherTargetNorClosure_whenItEnds() {
    let person = Person("Ada")
    let counter = LifetimeCounter()
    assertLeavesNoObservations {
      assertReleased {
        let screen = Screen()
        observations.bind(person, \.name, to: screen) { [ticket = counter.makeTicket()] in
          withExtendedLifetime(ticket) {}
          $0.text = $1
        }
        return screen
      }
      person.name = "Bo"
    }
    XCTAssertEqual(counter.count, 0)
  }

  // MARK: No value

  func test_bindTwoWay_backwardWithoutAValue_leavesBothAsTheyAre() {
    let (dial, person) = (Dial(5), Person("x"))
    observations.bindTwoWay(
      dial, \.value, with: person, \.name, forward: { "\($0)" }, backward: { Int($0) })
    XCTAssertEqual(person.name, "5")
    for (text, value) in [("7", 7), ("abc", 7), ("abcd", 7), ("08", 8), ("", 8)] {
      person.name = text
      XCTAssertEqual(person.name, text)
      XCTAssertEqual(dial.value, value)
    }
    dial.value = 8
    XCTAssertEqual(person.name, "8")
    person.name = "x"
    dial.value = 9
    XCTAssertEqual(person.name, "9")
  }

  func test_bindTwoWay_ofAnOptional_takesNilAsAValue() {
    let (first, person) = (Holder<Int?>(1), Person("x"))
    observations.bindTwoWay(
      first, \.value, with: person, \.name, forward: { $0.map { "\($0)" } ?? "" },
      backward: { Int($0) })
    person.name = "abc"
    XCTAssertNil(first.value)
    XCTAssertEqual(person.name, "abc")
    observations.unobserveAll()
    observations.bindTwoWay(
      first, \.value, with: person, \.name, forward: { $0.map { "\($0)" } ?? "" },
      backward: { $0.isEmpty ? nil : $0.count })
    XCTAssertEqual(person.name, "")
    person.name = "abc"
    XCTAssertEqual(first.value, 3)
  }

  func test_bindText_withoutReplacing_replacesTheWhole() {
    let (dial, person, label) = (Dial(5), Person("Items: 1"), Label())
    observations.bindText(dial, \.value, to: person, \.name)
    observations.bindText(dial, \.value, to: label, \.text)
    dial.value = 6
    XCTAssertEqual(person.name, "6")
    XCTAssertEqual(label.text, "6")
  }
}
