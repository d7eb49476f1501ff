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
      "observedLazy": (
        "private final class C { @Observed lazy var x = 0 }",
        "property 'x' with a wrapper cannot also be lazy"
      ),
      "observedStatic": (
        "private final class C { @Observed @MainActor static var x = 0 }",
        "a static property belongs to no object"
      ),
      "derivedStatic": (
        "private final class C { @Derived({ (c: C) in 1 }) @MainActor static var x: Int }",
        "a static property belongs to no object"
      ),
      "wrapperBeforeObserved": (
        "@propertyWrapper private struct Box<T> { var wrappedValue: T }\n"
          + "private final class C { @Box @Observed var x = 0 }",
        "of several wrappers @Observed has to be the first"
      ),
      "wrapperWithARangeBeforeObserved": (
        """
        @propertyWrapper private struct Clamped<T: Comparable> {
          var wrappedValue: T
          init(wrappedValue: T, _ range: ClosedRange<T>) { self.wrappedValue = wrappedValue }
        }
        private final class C { @Clamped(0...10) @Observed var x = 0 }
        """,
        "'Observed<Int>' conform to 'Comparable'"
      ),
      "derivedWithSelf": (
        "private final class C { @Observed var a = 1; @Derived({ self.a }) var b: Int }",
        "cannot find 'self' in scope"
      ),
      "derivedWithoutSelf": (
        "private final class C { @Observed var a = 1; @Derived({ a }) var b: Int }",
        "cannot use instance member 'a' within property initializer"
      ),
      "derivedWithoutAType": (
        "private final class C { @Observed var a = 1; @Derived({ $0.a }) var b: Int }",
        "cannot infer type of closure parameter '$0' without a type annotation"
      ),
      "existentialObject": (
        models + "}\nprivate protocol Named: AnyObject { var name: String { get set } }\n"
          + "private func g(_ c: ObservationController<View>, _ named: any Named) "
          + "{ c.observe(named, \\.name) { _, _, _ in } }",
        "requires that 'any Named' be a class type"
      ),
      "propertyOfTheMainActor": (
        models + "}\n@MainActor private final class M { @Observed var name = \"\" }\n"
          + "private func g(_ c: ObservationController<View>, _ m: M) "
          + "{ c.observe(m, \\.name) { _, _, _ in } }",
        "cannot form key path to main actor-isolated property 'name'"
      ),
      "propertyOfAnActor": (
        models + "}\nprivate actor A { @Observed var name = \"\"\n"
          + "func g(_ c: ObservationController<View>) { c.observe(self, \\.name) { _, _, _ in } } }",
        "cannot form key path to actor-isolated property 'name'"
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
        private protocol Named: AnyObject { var name: String { get set } }
        private func g(_ c: ObservationController<View>, _ named: some Named) {
          c.observe(named, \\.name) { _, _, _ in }
        }
        private func h(_ c: ObservationController<View>, _ named: any Named) { g(c, named) }
        private final class Sum { @Observed var a = 1; @Derived({ (s: Sum) in s.a }) var b: Int }
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

    func test_C25_observableArrayByActionDelegateOrWithOthers_isDeprecatedToo() throws {
      let errors = try Compiler().errors(inEachOf: [
        """
        import ObservationController
        final class School {
          @Observed var name = ""
          @Observed var age = 0
          @Observed var names: ObservableArray<String> = []
        }
        final class View: ObservationDelegate {
          var school: School?
          func reload() {}
          func namesDidChange(_ change: ObservedChange<ObservableArray<String>>) {}
          func namesDidChange(_ change: ObservedChange<ObservableArray<String>>, of: School) {}
          func maybeDidChange(_ change: ObservedChange<ObservableArray<String>?>) {}
          func anyDidChange(_ change: ObservedChange<Any>) {}
          func observeValue(
            at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
            context: ObservationContext?) {}
        }
        func f(_ c: ObservationController<View>, _ school: School, _ view: View) {
          c.observe(school, \\.names, action: View.reload)
          c.observe(school, \\.names, action: View.namesDidChange(_:))
          c.observe(school, \\.names, action: View.namesDidChange(_:of:))
          c.observe(view, \\.school?.names, action: View.maybeDidChange)
          c.observe(school, \\.names)
          c.observe(view, \\.school?.names)
          c.observeEach(school, \\.names) { _, _, _ in }
          c.observeEach(school, \\.names, \\.names) { _, _, _ in }
          c.observeEach(school, \\.names, action: View.reload)
          c.observeEach(school, \\.names, action: View.anyDidChange)
          c.observeEach(school, \\.names)
          c.observe(school, \\.names.count, action: View.reload)
          c.observe(school, \\.name)
          c.observeEach(school, \\.name, \\.age)
          c.observeEach(school, \\.name, \\.age, action: View.reload)
          c.observeEach(school, [\\.name, \\.names])
        }
        """
      ])
      let advice = errors.filter { $0.contains("use observeArray, which reports both") }
      XCTAssertEqual(advice.count, 11, "\(errors)")
      XCTAssertEqual(errors.count, 11, "\(errors)")
    }

    func test_C25_observeOfADictionaryOrASet_isDeprecated_namingItsOwn() throws {
      let errors = try Compiler().errors(inEachOf: [
        """
        import ObservationController
        final class Shop {
          @Observed var name = ""
          @Observed var prices: ObservableDictionary<String, Int> = [:]
          @Observed var tags: ObservableSet<String> = []
          @Observed var others: ObservableSet<String>?
        }
        final class View: ObservationDelegate {
          func reload() {}
          func tagsDidChange(_ change: ObservedChange<ObservableSet<String>>) {}
          func tagsDidChange(_ change: ObservedChange<ObservableSet<String>>, of: Shop) {}
          func observeValue(
            at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
            context: ObservationContext?) {}
        }
        func f(_ c: ObservationController<View>, _ shop: Shop) {
          c.observe(shop, \\.prices) { _, _, _ in }
          c.observe(shop, \\.others) { _, _, _ in }
          c.observe(shop, \\.tags, action: View.reload)
          c.observe(shop, \\.tags, action: View.tagsDidChange(_:))
          c.observe(shop, \\.tags, action: View.tagsDidChange(_:of:))
          c.observe(shop, \\.others, action: View.reload)
          c.observe(shop, \\.prices)
          c.observe(shop, \\.others)
          c.observeEach(shop, \\.prices) { _, _, _ in }
          c.observeEach(shop, \\.tags, \\.tags, action: View.reload)
          c.observeEach(shop, \\.tags)
          c.observe(shop, \\.prices, handler: { _, _, _ in })
          c.observe(shop, \\.prices["a"]) { _, _, _ in }
          c.observe(shop, \\.tags.count, action: View.reload)
          c.observe(shop, \\.name)
          c.observeEach(shop, [\\.prices, \\.name])
          c.observeDictionary(shop, \\.prices) { _, _, _ in }
          c.observeSet(shop, \\.others) { _, _, _ in }
        }
        """
      ])
      let advice = errors.filter { $0.contains("use observeDictionary or observeSet") }
      XCTAssertEqual(advice.count, 11, "\(errors)")
      XCTAssertEqual(errors.count, 11, "\(errors)")
    }
  }
#endif
