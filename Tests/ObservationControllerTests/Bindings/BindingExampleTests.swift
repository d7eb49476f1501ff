import ObservationController
import TestSupport
import XCTest

/// The examples of the documentation, verbatim, and a view model on the main actor.
final class BindingExampleTests: TestCase {
  private final class Settings { @Observed var volume = 5 }
  private final class Slider { @Observed var value = 0 }
  private final class Thermometer { @Observed var celsius = 20 }
  private final class Display { @Observed var fahrenheit = 0 }
  private final class Basket { @Observed var count = 12 }

  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  func test_examples_ofBind() {
    let (person, label) = (Person(), Label())

    let token = observations.bind(person, \.name, to: label, \.text)

    XCTAssertEqual(label.text, "Ada")
    token.invalidate()

    observations.bind(person, \.age, to: label, \.text) { "\($0) years" }

    XCTAssertEqual(label.text, "36 years")
  }

  func test_examples_ofBindTwoWay() {
    let (settings, slider) = (Settings(), Slider())

    observations.bindTwoWay(settings, \.volume, with: slider, \.value)

    slider.value = 7
    XCTAssertEqual(settings.volume, 7)
    let (thermometer, display) = (Thermometer(), Display())

    observations.bindTwoWay(
      thermometer, \.celsius, with: display, \.fahrenheit,
      forward: { $0 * 9 / 5 + 32 }, backward: { ($0 - 32) * 5 / 9 })

    XCTAssertEqual(display.fahrenheit, 68)
    display.fahrenheit = 71
    XCTAssertEqual([thermometer.celsius, display.fahrenheit], [21, 71])
  }

  func test_example_ofBindText() {
    let (basket, label) = (Basket(), Label())

    label.text = "Items: 12"
    observations.bindText(basket, \.count, to: label, \.text, replacing: .number)
    basket.count = 13

    XCTAssertEqual(label.text, "Items: 13")
  }
}

/// Bindings of main-actor objects.
@MainActor
final class MainActorBindingTests: TestCase {
  @MainActor
  private final class Model { @Observed var count = 1 }

  @MainActor
  private final class View {
    var text = ""
    @Observed var value = 0
    private(set) lazy var observations = ObservationController(observer: self)
    private let unit = "pcs"

    func show(_ model: Model) {
      observations.bind(model, \.count, to: self, \.text) { [unit] in "\($0) \(unit)" }
      observations.bindTwoWay(
        model, \.count, with: self, \.value, forward: { $0 },
        backward: { [weak self] in self?.limit($0) ?? 0 })
    }

    private func limit(_ value: Int) -> Int { min(value, 10) }
  }

  func test_bind_onTheMainActor_needsNothing() async {
    let model = Model()
    let view = View()
    view.show(model)
    view.value = 20
    XCTAssertEqual(model.count, 10)
    XCTAssertEqual(view.text, "10 pcs")
  }
}
