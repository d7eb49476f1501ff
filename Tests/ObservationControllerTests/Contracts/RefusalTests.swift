#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport
  import XCTest

  /// C25: code that the compiler refuses, and its messages.
  final class RefusalTests: TestCase {
    private static let observedSentence =
      "@Observed works on properties of classes only: make the enclosing type a class, or leave "
      + "the attribute out"

    private static let derivedSentence =
      "@Derived works on properties of classes only: make the enclosing type a class"

    private static let handlerSentence =
      "Pass a handler or an action, or make the observer conform to ObservationDelegate"

    /// Sources by name, each with a part of the only error that it causes.
    private static let refusals: [String: (source: String, error: String)] = [
      // Declarations where `@Observed` is not allowed.
      "structProperty": ("private struct S { @Observed var x = 0 }", observedSentence),
      "enumStatic": (
        "private enum E { @Observed @MainActor static var x = 0 }", observedSentence
      ),
      "classStatic": (
        "private final class C { @Observed @MainActor static var x = 0 }", observedSentence
      ),
      "local": ("private func f() { @Observed var x = 0; x = 1 }", observedSentence),
      "constant": (
        "private final class C { @Observed let x = 0 }",
        "property wrapper can only be applied to a 'var'"
      ),

      "derivedStructProperty": (
        "private struct S { var x = 0; @Derived({ (s: C) in 1 }) var y: Int }\nprivate class C {}",
        derivedSentence
      ),
      "derivedLocal": (
        "private class C {}\nprivate func f() { @Derived({ (c: C) in 1 }) var x: Int; _ = x }",
        derivedSentence
      ),
      "derivedOfAStruct": (
        "private struct S { @Derived({ (s: S) in 1 }) var x: Int }",
        "requires that 'S' be a class type"
      ),
      "derivedSetter": (
        "private class C { @Derived({ (c: C) in 1 }) var x: Int }\nprivate func f(_ c: C) { c.x = 2 }",
        "cannot assign to property: 'x'"
      ),

      // Observations of values that can't be observed, or not by this observer.
      "mistypedKeyPath": (
        models + "c.observe(model, \\.nmae) { _, _, _ in } }",
        "value of type 'Model' has no member 'nmae'"
      ),
      "mistypedKeyPathInAList": (
        models + "c.observeEach(model, \\.name, \\.nmae) { _, _, _ in } }",
        "value of type 'Model' has no member 'nmae'"
      ),
      "mistypedLink": (
        models + "c.observe(model, \\.next?.nmae) { _, _, _ in } }",
        "value of type 'Model' has no member 'nmae'"
      ),
      "structObject": (
        models + "c.observe(Value(), \\.x) { _, _, _ in } }",
        "requires that 'Value' be a class type"
      ),
      "noHandler": (models + "c.observe(model, \\.name) }", handlerSentence),
      "noHandlerForAList": (
        models + "c.observeEach(model, \\.name, \\.next) }", handlerSentence
      ),
      "wrongValueType": (
        models + "c.observe(model, \\.name) { _, _, change in let _: Int = change.newValue } }",
        "cannot convert value of type 'String' to specified type 'Int'"
      ),
      "wrongObserverType": (
        models + "c.observe(model, \\.name) { observer, _, _ in let _: Model = observer } }",
        "cannot convert value of type 'Listener' to specified type 'Model'"
      ),
      "actionOfWrongValueType": (
        models + "c.observe(model, \\.name, action: Listener.receiveInt) }", "'KeyPath<Model, Int>'"
      ),
      "setterOfAChange": (
        models + "c.observe(model, \\.name) { _, _, change in change.newValue = \"\" } }",
        "cannot assign to property"
      ),
    ]

    private static let models = """
      private final class Model { @Observed var name = ""; @Observed var next: Model? }
      private struct Value { var x = 0 }
      private final class Listener {
        func delivered() {}
        func receiveInt(_ change: ObservedChange<Int>) {}
      }
      private func f(_ c: ObservationController<Listener>, _ model: Model) {

      """

    /// The control: compiles, so that the refusals have no other cause.
    private static let control =
      models + """
        c.observe(model, \\.name) { _, _, _ in }
        c.observe(model, \\.next?.name, action: Listener.delivered)
        c.observeEach(model, \\.name, \\.next) { _, _, _ in }
        }
        private class Base { @Observed private(set) var x = 0 }
        private actor Keeper { @Observed var x = 0 }
        private class Sum { @Observed var x = 0; @Derived({ (s: Sum) in s.x + 1 }) var y: Int }
        """

    func test_C25_misuse_isRefusedByTheCompiler_withAReason() throws {
      try Compiler().assertRefuses(Self.refusals, control: Self.control)
    }
  }
#endif
