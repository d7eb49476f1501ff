import ObservationController
import TestSupport
import XCTest

/// Forms of observing the property of an array that the compiler advises against: they deliver
/// settings, and never an edit.
final class ArrayAdviceTests: TestCase {
  private final class Model {
    @Observed var names: ObservableArray<String> = ["a"]
    @Observed var others: ObservableArray<String>? = ["a"]
  }

  /// Receives by each form, and writes its name.
  private final class View: ObservationDelegate {
    var events: [String] = []

    func didChange() { events.append("action") }
    func didChange(_ change: ObservedChange<ObservableArray<String>>) { write("change", change) }
    func didChange(_ change: ObservedChange<ObservableArray<String>>, of: Model) {
      write("object", change)
    }
    func mayChange(_ change: ObservedChange<ObservableArray<String>?>) { write("change?", change) }
    func mayChange(_ change: ObservedChange<ObservableArray<String>?>, of: Model) {
      write("object?", change)
    }
    func anyDidChange(_ change: ObservedChange<Any>) { write("any", change) }
    func anyDidChange(_ change: ObservedChange<Any>, of: Model) { write("any of", change) }

    func observeValue(
      at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
      context: ObservationContext?
    ) {
      write("delegate", change)
    }

    func write<Value>(_ form: String, _ change: ObservedChange<Value>) {
      events.append(change.oldValue == nil ? "\(form) without old" : form)
    }
  }

  private let model = Model()
  private let view = View()
  private lazy var observations = ObservationController(observer: view)

  private func eventsOfEditsAndSettings() -> [[String]] {
    model.names.append("b")
    model.others?.removeAll()
    let ofEdits = view.events
    view.events = []
    model.names = []
    model.others = nil
    return [ofEdits, view.events]
  }

  @available(*, deprecated, message: "observes the property alone")
  func test_formsThatGetAdvice_observeTheProperty() {
    observations.observe(model, \.names) { view, _, change in view.write("block", change) }
    observations.observe(model, \.others) { view, _, change in view.write("block?", change) }
    observations.observe(
      model, \.names, context: "1", action: View.didChange as (View) -> () -> Void)
    observations.observe(
      model, \.names, context: "2",
      action: View.didChange(_:) as (View) -> (ObservedChange<ObservableArray<String>>) -> Void)
    observations.observe(model, \.names, context: "3", action: View.didChange(_:of:))
    observations.observe(
      model, \.others, context: "1", action: View.didChange as (View) -> () -> Void)
    observations.observe(model, \.others, context: "2", action: View.mayChange(_:))
    observations.observe(model, \.others, context: "3", action: View.mayChange(_:of:))
    observations.observe(model, \.names, context: "4")
    observations.observe(model, \.others, context: "4")
    XCTAssertEqual(
      eventsOfEditsAndSettings(),
      [
        [],
        [
          "block", "action", "change", "object", "delegate", "block?", "action", "change?",
          "object?", "delegate",
        ],
      ])
  }

  @available(*, deprecated, message: "observes the property alone")
  func test_observeEach_formsThatGetAdvice_observeTheProperties() {
    observations.observeEach(model, \.names) { view, _, change in view.write("block", change) }
    observations.observeEach(
      model, \.names, context: "1", action: View.didChange as (View) -> () -> Void)
    observations.observeEach(model, \.names, context: "2", action: View.anyDidChange(_:))
    observations.observeEach(model, \.names, context: "3", action: View.anyDidChange(_:of:))
    observations.observeEach(model, \.names, context: "4")
    XCTAssertEqual(
      eventsOfEditsAndSettings(), [[], ["block", "action", "any", "any of", "delegate"]])
  }
}
