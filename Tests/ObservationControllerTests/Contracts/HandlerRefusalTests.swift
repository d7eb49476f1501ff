#if os(Linux) || os(macOS)
  import TestSupport
  import XCTest

  /// C25: closures that throw or suspend, properties of actors, and values in place of objects.
  final class HandlerRefusalTests: TestCase {
    private static let throwing = "invalid conversion from throwing function of type"
    private static let waiting = "to parameter expecting synchronous function type"
    private static let actorProperty = "cannot form key path to actor-isolated property 'x'"

    /// Sources by name, each with a part of the only error that it causes.
    private static let refusals: [String: (source: String, error: String)] = [
      "throwingHandler": (
        models + "c.observe(model, \\.name) { _, _, _ in throw Failure() } }", throwing
      ),
      "throwingAction": (models + "c.observe(model, \\.name, action: Listener.fail) }", throwing),
      "throwingTransform": (
        models + "c.bind(model, \\.name, to: label, \\.text) { _ in throw Failure() } }", throwing
      ),
      "throwingConverter": (
        models + """
          c.bindTwoWay(
            model, \\.name, with: label, \\.text, forward: { _ in throw Failure() }, backward: { $0 })
          }
          """, throwing
      ),
      "throwingHook": (models + "c.handle(hook) { _, _ in throw Failure() } }", throwing),
      "throwingDerived": (
        "private struct E: Error {}\n"
          + "private class C { @Derived({ (c: C) in throw E() }) var x: Int }", throwing
      ),
      "throwingView": (models + "_ = array.filtered(on: []) { _ in throw Failure() } }", throwing),
      "bodyThatThrows": (
        models + "withObservationTransaction { throw Failure() } }",
        "call can throw, but it is not marked with 'try'"
      ),
      "waitingHandler": (
        models + "c.observe(model, \\.name) { _, _, _ in await Task.yield() } }", waiting
      ),

      "actorProperty": (
        models + "c.observe(keeper, \\.x) { _, _, _ in } }", actorProperty
      ),
      "actorPropertyFromInside": (
        """
        private actor Keeper {
          @Observed var x = 0
          func f(_ c: ObservationController<Keeper>) { c.observe(self, \\.x) { _, _, _ in } }
        }
        """, actorProperty
      ),

      "structObserver": (
        models + "_ = ObservationController(observer: Value()) }",
        "requires that 'Value' be a class type"
      ),
      "structUnobserved": (
        models + "c.unobserve(Value(), \\.x) }", "requires that 'Value' be a class type"
      ),
      "foreignKeyPath": (
        models + "c.unobserve(model, \\Label.text) }", "cannot convert value of type 'Model'"
      ),
    ]

    private static let models = """
      private struct Failure: Error {}
      private final class Model { @Observed var name = "" }
      private final class Label { var text = "" }
      private struct Value { var x = 0 }
      private actor Keeper { @Observed var x = 0 }
      private final class Listener { func fail() throws {} }
      private func f(
        _ c: ObservationController<Listener>, _ model: Model, _ label: Label, _ keeper: Keeper,
        _ hook: ObservableHook<Int, Int>, _ array: ObservableArray<Int>
      ) {

      """

    /// The control: compiles, so that the refusals have no other cause.
    private static let control =
      models + """
        c.observe(model, \\.name) { _, _, _ in }
        c.bind(model, \\.name, to: label, \\.text) { $0 + "!" }
        c.handle(hook) { _, input in input }
        _ = array.filtered(on: []) { $0 > 0 }
        do { try withObservationTransaction { throw Failure() } } catch {}
        }
        private actor Clerk {
          private let model = Model()
          private lazy var observations = ObservationController(observer: self)
          func f() { observations.observe(model, \\.name) { _, _, _ in } }
        }
        """

    func test_C25_throwingClosures_andActorProperties_areRefusedByTheCompiler() throws {
      try Compiler().assertRefuses(Self.refusals, control: Self.control)
    }
  }
#endif
