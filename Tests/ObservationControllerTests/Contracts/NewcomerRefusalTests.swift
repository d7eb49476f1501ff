#if os(Linux) || os(macOS)
  import TestSupport
  import XCTest

  /// C25: common mistakes, with the compiler's messages that the article "When the compiler
  /// refuses" answers. The control is the code that the article recommends.
  final class NewcomerRefusalTests: TestCase {
    private static let parameters = "A handler receives observer, object and change"

    /// Sources by name, each with a part of the only error that it causes.
    private static let refusals: [String: (source: String, error: String)] = [
      "handlerOfTwoParameters": (
        models + "c.observe(model, \\.name) { view, change in view.title = change.newValue } }",
        parameters
      ),
      "handlerOfOneParameter": (
        models + "c.observe(model, \\.name) { change in print(change.newValue) } }", parameters
      ),
      "handlerThatCapturesSelf": (
        """
        private final class Model { @Observed var name = "" }
        private final class View {
          var title = ""
          func f(_ c: ObservationController<View>, _ model: Model) {
            c.observe(model, \\.name) { _, _, change in title = change.newValue }
          }
        }
        """,
        "reference to property 'title' in closure requires explicit use of 'self' to make capture"
      ),
      "delegateOnTheMainActor": (
        "@MainActor private final class View: ObservationDelegate {\(delegateMethod)}",
        "crosses into main actor-isolated code and can cause data races"
      ),
      "observedWeak": (
        "private final class Node { @Observed weak var parent: Node? }",
        "property 'parent' with a wrapper cannot also be weak"
      ),
      "bindTwoWayWithoutLabel": (
        models + "c.bindTwoWay(model, \\.name, model, \\.name) }",
        "has been renamed to 'bindTwoWay(_:_:with:_:)'"
      ),
      "filteredWithoutOn": (
        models + "_ = model.numbers.filtered { $0 > 0 } }", "missing argument for parameter 'on'"
      ),
      "sortedIsAnArray": (
        models + "let _: ObservableArray<Int> = model.numbers.sorted { $0 < $1 } }",
        "cannot convert value of type '[Int]'"
      ),
      "replacingNumberOfAString": (
        "private let text = \"1\".replacingNumber(with: \"2\")",
        "'replacingNumber' is inaccessible due to 'internal' protection level"
      ),
    ]

    private static let delegateMethod = """
      func observeValue(
        at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
        context: ObservationContext?
      ) {}
      """

    private static let models = """
      private final class Model {
        @Observed var name = ""
        @Observed var numbers: ObservableArray<Int> = []
      }
      private final class View { var title = "" }
      private func f(_ c: ObservationController<View>, _ model: Model) {

      """

    private static let control =
      "import Observation\n" + models + """
        c.observe(model, \\.name) { view, _, change in view.title = change.newValue }
        c.bindTwoWay(model, \\.name, with: model, \\.name)
        _ = model.numbers.filtered(on: []) { $0 > 0 }
        let _: [Int] = model.numbers.sorted { $0 < $1 }
        let _: ObservableArray<Int> = model.numbers.sorted(on: []) { $0 < $1 }
        }
        @MainActor private final class Delegate: @preconcurrency ObservationDelegate {
          private lazy var observations = ObservationController(observer: self)
          func watch(_ model: Model) { observations.observe(model, \\.name) }
          \(delegateMethod)
        }
        private final class Node {
          private final class Weak { weak var node: Node?; init(_ node: Node?) { self.node = node } }
          @Observed private var weakParent = Weak(nil)
          var parent: Node? { get { weakParent.node } set { weakParent = Weak(newValue) } }
        }
        @Observable private final class Both { @ObservationIgnored @Observed var name = "" }
        @Observable private final class Tracked { @ObservationIgnored @TrackedObserved var name = "" }
        """

    func test_C25_commonMistakes_areRefused_inTheWordsOfTheDocumentation() throws {
      try Compiler().assertRefuses(Self.refusals, control: Self.control)
    }

    /// `TrackedRefusalTests` has these cases for `@TrackedObserved`.
    func test_C25_observedInAnObservableClass_isRefused() throws {
      let errors = try Compiler().errors(in: [
        "source": "import Observation\nimport ObservationController\n"
          + "@Observable private final class C { @Observed var x = 0 }"
      ])
      let sentence = "property wrapper cannot be applied to a computed property"
      XCTAssertEqual(errors["source"]?.contains { $0.contains(sentence) }, true, "\(errors)")
    }

    func test_C25_observeOfAnObservableArray_isDeprecated_namingObserveArray() throws {
      let errors = try Compiler().errors(inEachOf: [
        """
        import ObservationController
        final class School { @Observed var names: ObservableArray<String> = [] }
        final class View { var school: School? }
        func f(_ c: ObservationController<View>, _ school: School, _ view: View) {
          c.observe(school, \\.names) { _, _, _ in }
          c.observe(view, \\.school?.names) { _, _, _ in }
          c.observe(school, \\.names, handler: { _, _, _ in })
          c.observe(school, \\.names.count) { _, _, _ in }
          c.observeArray(school, \\.names) { _, _, _ in }
        }
        """
      ])
      let advice = errors.filter { $0.contains("use observeArray, which reports both") }
      XCTAssertEqual(advice.count, 2, "\(errors)")
      XCTAssertEqual(errors.count, 2, "\(errors)")
    }
  }
#endif
