import Foundation
import ObservationController
import TestSupport
import XCTest

/// Derived values, bindings and events, in the words of the README.
final class ReadmeDataFlowTests: TestCase {
  private final class Order {
    @Observed var price = 10
    @Observed var count = 1
    @Observed var isGift = false

    @Derived({ (order: Order) in order.isGift ? 0 : order.price * order.count }) var total: Int
  }

  private final class Cart {
    private(set) var lines: [String] = []

    func log(_ change: ObservedChange<Int>) {
      lines.append("\(change)")
    }
  }

  func test_readme_derivedInATransaction_isDeliveredOnce() {
    let (order, cart) = (Order(), Cart())
    let observations = ObservationController(observer: cart)

    observations.observe(order, \.total) { cart, _, change in cart.log(change) }

    withObservationTransaction {
      order.count = 2
      order.price = 12
    }

    XCTAssertEqual(cart.lines, ["10 → 24"])
    order.isGift = true
    XCTAssertEqual(cart.lines, ["10 → 24", "24 → 0"])
  }

  private final class Stepper {
    var value = 0
  }

  private final class Label {
    var text: String?

    init(_ text: String? = nil) {
      self.text = text
    }
  }

  private final class Oven {
    @Observed var celsius = 20
  }

  private final class Dial {
    @Observed var fahrenheit = 0
  }

  func test_readme_bindings_setTheirTargets() {
    let (order, stepper, label, badge) = (Order(), Stepper(), Label(), Label("Items: 0"))
    let (oven, dial, cart) = (Oven(), Dial(), Cart())
    let observations = ObservationController(observer: cart)

    observations.bind(order, \.count, to: stepper, \.value)
    observations.bind(order, \.total, to: label, \.text) { "\($0) €" }
    observations.bindText(order, \.count, to: badge, \.text, replacing: .number)
    observations.bindTwoWay(
      oven, \.celsius, with: dial, \.fahrenheit,
      forward: { $0 * 9 / 5 + 32 }, backward: { ($0 - 32) * 5 / 9 })

    order.count = 2
    XCTAssertEqual(stepper.value, 2)
    XCTAssertEqual(label.text, "20 €")
    XCTAssertEqual(badge.text, "Items: 2")
    XCTAssertEqual(dial.fahrenheit, 68)
    dial.fahrenheit = 69
    XCTAssertEqual(oven.celsius, 20)
    XCTAssertEqual(dial.fahrenheit, 69)
  }

  private final class Button {
    let tapped = ObservableEvent<Void>()
  }

  private final class Field {
    let shouldChange = ObservableHook<String, Bool> { _ in true }
  }

  #if Foundation
    private final class Editor {
      private(set) var lines: [String] = []
      private lazy var observations = ObservationController(observer: self)

      func save() {
        lines.append("save")
      }

      func log(_ name: Notification.Name) {
        lines.append(name.rawValue)
      }

      func observe(_ button: Button, _ field: Field) {
        observations.observe(button.tapped, action: Editor.save)
        observations.handle(field.shouldChange) { editor, text in text.count < 8 }
        observations.observe(.documentDidSave) { editor, notification in
          editor.log(notification.name)
        }
      }
    }

    func test_readme_eventsHooksAndNotifications_reachTheirHandlers() {
      let (button, field, editor) = (Button(), Field(), Editor())
      editor.observe(button, field)

      button.tapped.send()
      XCTAssertTrue(field.shouldChange("short"))
      XCTAssertFalse(field.shouldChange("much too long"))
      NotificationCenter.default.post(name: .documentDidSave, object: nil)

      XCTAssertEqual(editor.lines, ["save", "documentDidSave"])
    }
  #endif
}

extension Notification.Name {
  fileprivate static let documentDidSave = Notification.Name("documentDidSave")
}
