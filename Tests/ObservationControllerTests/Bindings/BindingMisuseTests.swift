import Foundation
import ObservationController
import TestSupport
import XCTest

/// Sources and targets that can't be bound.
final class BindingMisuseTests: TestCase {
  private let (person, label, dial) = (Person(), Label(), Dial())
  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  func test_bind_sourceThatReadsNothingObservable_isReported_andNothingIsSet() {
    let line: UInt = #line + 2
    let issues = collectingIssues {
      let token = observations.bind(person, \.note, to: label, \.text)
      XCTAssertFalse(token.isActive)
    }
    XCTAssertEqual(issues.map(\.keyPath), [\Person.note])
    XCTAssertEqual(issues.map(\.file), [#fileID])
    XCTAssertEqual(issues.map(\.line), [line])
    XCTAssertEqual(label.texts.events, [])
    XCTAssertEqual(observations.observations.count, 0)
  }

  func test_bindTwoWay_eitherEndNotObservable_isReported_andSetsNothing() {
    dial.value = 5
    for isFirst in [true, false] {
      let issues = collectingIssues {
        let token =
          isFirst
          ? observations.bindTwoWay(label, \.number, with: dial, \.value)
          : observations.bindTwoWay(dial, \.value, with: label, \.number)
        XCTAssertFalse(token.isActive)
      }
      XCTAssertEqual(issues.map(\.keyPath), [\Label.number])
      XCTAssertEqual([dial.value, label.number], [5, 0])
      XCTAssertEqual(observations.observations.count, 0)
      dial.value = 5
      XCTAssertEqual(label.number, 0)
    }
  }

  #if os(Linux) || os(macOS)
    func test_bind_misuse_isRefusedByTheCompiler() throws {
      let models = """
        import ObservationController
        private final class Model { @Observed var name = ""; @Observed private(set) var age = 0 }
        private final class Label { var text: String?; var number = 0; let fixed = "" }
        private struct Value { var x = 0 }
        private final class Listener {}
        private func f(_ c: ObservationController<Listener>, _ model: Model, _ label: Label) {

        """
      let sentence =
        "Bind to a property that can be set and has the type of the source, or pass a transform"
      let textSentence = "Bind to a property that can be set and is a String or String?"
      let refused: [String: (source: String, error: String)] = [
        "readOnly": ("c.bind(model, \\.name, to: label, \\.fixed)", sentence),
        "otherType": ("c.bind(model, \\.name, to: label, \\.number)", sentence),
        "structTarget": (
          "c.bind(model, \\.name, to: Value(), \\.x)", "requires that 'Value' be a class type"
        ),
        "mistyped": (
          "c.bind(model, \\.nmae, to: label, \\.text)", "value of type 'Model' has no member 'nmae'"
        ),
        "textOfNumber": (
          "c.bindText(model, \\.name, to: label, \\.number, replacing: .whole)", textSentence
        ),
        "readOnlyTwoWay": (
          "c.bindTwoWay(label, \\.fixed, with: model, \\.name)",
          "'ReferenceWritableKeyPath<Label, String>'"
        ),
        "otherTypeTwoWay": (
          "c.bindTwoWay(model, \\.name, with: label, \\.number)",
          "'ReferenceWritableKeyPath<Label, String>'"
        ),
        "halfConverted": (
          "c.bindTwoWay(model, \\.name, with: label, \\.text, forward: { $0 })", "'backward'"
        ),
      ]
      var sources = refused.mapValues { models + $0.source + "\n}\n" }
      sources["control"] =
        models + """
          c.bind(model, \\.name, to: label, \\.text)
          c.bind(model, \\.age, to: label, \\.number) { $0 + 1 }
          c.bindText(model, \\.age, to: label, \\.text, replacing: .number)
          c.bindTwoWay(model, \\.name, with: label, \\.text, forward: { $0 }, backward: { $0 ?? "" })
          }
          """
      let errors = try Compiler().errors(in: sources)
      XCTAssertEqual(errors["control"], [])
      for (name, refusal) in refused {
        let found = errors[name] ?? []
        XCTAssertTrue(found.contains { $0.contains(refusal.error) }, "\(name): \(found)")
      }
    }
  #endif
}
