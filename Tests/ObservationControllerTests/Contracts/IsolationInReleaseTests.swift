#if os(Linux) || os(macOS)
  import TestSupport
  import XCTest

  /// C23 in a release build: handlers that are isolated to an actor, and that another thread can be
  /// the cause of.
  ///
  /// A release build is a script of its own, which ends at the violation.
  final class IsolationInReleaseTests: TestCase {
    /// Violations by name, each with what the message says of it.
    private static let violations: [(name: String, said: String)] = [
      ("atomic", "but \\Model.atomic was changed on"),
      ("constant", "but \\Model.constant."),
      ("link", "was changed on"),
      ("path", "was changed on"),
      ("derived", "but \\Model.derived was changed on"),
      ("derivedLater", "but \\Model.derivedLater was changed on"),
      ("each", "but \\Model.atomic was changed on"),
      ("action", "but \\Model.atomic was changed on"),
      ("elements", "but \\Model.items was changed on"),
      ("transform", "but \\Model.atomic was changed on"),
      ("event", "was sent on"),
      ("hook", "was asked on"),
    ]

    private static let script = #"""
      import Dispatch
      import ObservationController

      final class Item { @AtomicObserved var count = 0 }
      final class Model {
        @AtomicObserved var atomic = 0
        let constant = AtomicObserved(wrappedValue: 0)
        @Observed var plain = 0
        @Observed var usesAtomic = false
        @Observed var link: Model?
        @Observed var items: ObservableArray<Item> = [Item()]
        @Derived({ (model: Model) in model.atomic + 1 }) var derived: Int
        @Derived({ (model: Model) in model.usesAtomic ? model.atomic : 0 }) var derivedLater: Int
        let event = ObservableEvent<Int>()
        let hook = ObservableHook<Int, Int> { $0 }
        var sum: Int { plain + atomic }
      }

      @MainActor
      final class View {
        var lines: [String] = []
        var number = 0
        lazy var observations = ObservationController(observer: self)

        func watch(_ model: Model, _ what: String) {
          switch what {
          case "atomic": observations.observe(model, \.atomic) { $2.note(in: $0) }
          case "constant": observations.observe(model, \.constant.wrappedValue) { $2.note(in: $0) }
          case "link":
            model.link = Model()
            observations.observe(model, \.link?.atomic) { view, _, _ in view.number += 1 }
          case "path": observations.observe(model, \.sum) { $2.note(in: $0) }
          case "derived": observations.observe(model, \.derived) { $2.note(in: $0) }
          case "derivedLater":
            observations.observe(model, \.derivedLater) { $2.note(in: $0) }
            model.usesAtomic = true
          case "each":
            observations.observeEach(model, \.plain, \.atomic) { view, _, _ in view.number += 1 }
          case "action": observations.observe(model, \.atomic, action: View.changed)
          case "elements":
            observations.observeArray(model, \.items, elements: [\.count]) { view, _, _ in
              view.number += 1
            }
          case "transform":
            observations.bind(model, \.atomic, to: self, \.number) { [unowned self] in
              $0 + lines.count
            }
          case "event": observations.observe(model.event) { view, _ in view.number += 1 }
          case "hook": observations.handle(model.hook) { view, _ in view.number }
          default: observations.observe(model, \.plain) { $2.note(in: $0) }
          }
        }

        func changed() { number += 1 }
      }

      extension ObservedChange<Int> {
        @MainActor func note(in view: View) { view.lines.append("\(newValue)") }
      }

      func change(_ model: Model, _ what: String) {
        switch what {
        case "constant": model.constant.wrappedValue += 1
        case "link": model.link?.atomic += 1
        case "elements": model.items[0].count += 1
        case "event": model.event.send(1)
        case "hook": _ = model.hook(1)
        case "plain": model.plain += 1
        default: model.atomic += 1
        }
      }

      let what = CommandLine.arguments[1]
      let model = Model()
      let view = View()
      view.watch(model, what)
      change(model, what)
      print("changed on the main actor")
      if what != "plain" {
        nonisolated(unsafe) let model = model
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "elsewhere").async {
          change(model, what)
          done.signal()
        }
        done.wait()
      }
      print("ended")
      """#

    func test_C23_release_handlerDeliveredElsewhere_traps_namingBoth() throws {
      let names = Self.violations.map(\.name) + ["plain"]
      var outputs = try Compiler().outputs(ofOptimized: Self.script, withEach: names)
      XCTAssertEqual(outputs.removeLast(), "changed on the main actor\nended\n")
      for ((name, said), output) in zip(Self.violations, outputs) {
        XCTAssertTrue(output.hasPrefix("status "), "\(name): \(output)")
        XCTAssertTrue(output.contains("belongs to MainActor, but"), "\(name): \(output)")
        XCTAssertTrue(output.contains(said), "\(name): \(output)")
        XCTAssertTrue(output.contains("thread"), "\(name): \(output)")
        XCTAssertFalse(output.contains("<computed"), "\(name): \(output)")
        XCTAssertFalse(output.contains("ended"), "\(name): \(output)")
        if said.contains("changed") {
          XCTAssertTrue(output.contains("observeOnMainActor"), "\(name): \(output)")
        }
      }
    }
  }
#endif
