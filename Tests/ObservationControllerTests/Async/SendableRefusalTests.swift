#if os(Linux) || os(macOS)
  import TestSupport
  import XCTest

  /// C25: values that cross to another thread have to be `Sendable`, or the compiler refuses them.
  final class SendableRefusalTests: TestCase {
    private static let sendable = "type 'Thing' does not conform to the 'Sendable' protocol"

    /// Sources by name, each with a part of the only error that it causes.
    private static let refusals: [String: (source: String, error: String)] = [
      "queue": (models + "c.observe(model, \\.thing, on: q) { _, _, _ in } }", sendable),
      "mainActor": (models + "c.observeOnMainActor(model, \\.thing) { _, _, _ in } }", sendable),
      "changes": (models + "_ = c.changes(of: model, \\.thing) }", sendable),
      "values": (models + "_ = c.values(of: model, \\.thing) }", sendable),
      "mistypedKeyPath": (
        models + "c.observe(model, \\.nmae, on: q) { _, _, _ in } }",
        "value of type 'Model' has no member 'nmae'"
      ),
      "wrongValueType": (
        models
          + "c.observe(model, \\.name, on: q) { _, _, c in let _: Int = c.newValue } }",
        "cannot convert value of type 'String' to specified type 'Int'"
      ),
      "capture": (
        models + "c.observe(model, \\.name, on: q) { _, _, _ in model.name = \"\" } }",
        "capture of 'model' with non-Sendable type 'Model' in a '@Sendable' closure"
      ),
      "mainActorClassOnAQueue": (
        models + "v.c.observe(model, \\.name, on: q) { v, _, _ in v.show() } }",
        "call to main actor-isolated instance method 'show()' in a synchronous nonisolated context"
      ),
    ]

    private static let models = """
      import Dispatch
      private final class Thing {}
      private final class Model { @Observed var name = ""; @Observed var thing = Thing() }
      private final class Listener {}
      @MainActor private final class View {
        let c = ObservationController(observer: Listener())
        func show() {}
      }
      private final class Views { let c: ObservationController<View>; init(_ v: View) { c = .init(observer: v) } }
      private func f(
        _ c: ObservationController<Listener>, _ v: Views, _ model: Model, _ q: DispatchQueue
      ) {

      """

    /// The control: compiles, so that the refusals have no other cause.
    private static let control =
      models + """
        c.observe(model, \\.name, on: q) { _, model, change in model.name = change.newValue }
        c.observeOnMainActor(model, \\.name, coalescing: true) { _, _, _ in }
        v.c.observeOnMainActor(model, \\.name) { v, _, _ in v.show() }
        let changes = c.changes(of: model, \\.name, bufferingPolicy: .bufferingNewest(1))
        let values = c.values(of: model, \\.name)
        Task { for await _ in changes {} }
        Task { @MainActor in for await _ in values {} }
        }
        """

    private static let observers = """
      private class Plain { var n = 0 }
      @MainActor private final class Isolated { var n = 0 }
      private final class Frozen: Sendable { let n = 0 }
      private actor Keeper { var n = 0 }
      private func need<T: Sendable>(_: T.Type) {}
      private func send(_ body: @escaping @Sendable () -> Void) {}
      private func f(
        _ plain: ObservationController<Plain>, _ isolated: ObservationController<Isolated>,
        _ frozen: ObservationController<Frozen>
      ) {

      """

    /// Ways of a controller to another thread.
    private static let sentControllers: [String: (source: String, error: String)] = [
      "plain": (
        observers + "need(ObservationController<Plain>.self) }",
        "type 'Plain' does not conform to the 'Sendable' protocol"
      ),
      "captured": (
        observers + "send { plain.observer!.n += 1 } }",
        "capture of 'plain' with non-Sendable type 'ObservationController<Plain>'"
      ),
      "generic": (
        observers + "}\nprivate func g<O: AnyObject>(_ c: O) "
          + "{ need(ObservationController<O>.self) }",
        "type 'O' does not conform to the 'Sendable' protocol"
      ),
      "stored": (
        observers + "}\nprivate final class S: Sendable { let c: ObservationController<Plain>; "
          + "init(_ c: ObservationController<Plain>) { self.c = c } }",
        "contains non-Sendable type 'Plain'"
      ),
      "isolatedObserverElsewhere": (
        observers + "send { isolated.observer!.n += 1 } }",
        "main actor-isolated property 'n' can not be mutated from a Sendable closure"
      ),
    ]

    private static let sentControllersControl =
      observers + """
        need(ObservationController<Isolated>.self)
        need(ObservationController<Frozen>.self)
        need(ObservationController<Keeper>.self)
        need(ObservationToken.self)
        send { isolated.unobserveAll(); _ = frozen.observer?.n }
        Task { @MainActor in isolated.observer?.n += 1 }
        }
        """

    func test_C23_controller_isSendable_onlyIfItsObserverIs() throws {
      try Compiler().assertRefuses(
        Self.sentControllers, control: Self.sentControllersControl)
    }

    func test_C25_valuesThatAreNotSendable_areRefusedByTheCompiler() throws {
      try Compiler().assertRefuses(Self.refusals, control: Self.control)
    }

    private static let collections = """
      import Dispatch
      private class Plain: Hashable {
        static func == (left: Plain, right: Plain) -> Bool { left === right }
        func hash(into hasher: inout Hasher) {}
      }
      private final class Listener {}
      private func need<T: Sendable>(_: T.Type) {}
      private func f(
        _ c: ObservationController<Listener>, _ q: DispatchQueue,
        _ plain: ObservableDictionary<Int, Plain>, _ keys: ObservableDictionary<Plain, Int>,
        _ set: ObservableSet<Plain>, _ good: ObservableDictionary<Int, Int>, _ ints: ObservableSet<Int>
      ) {

      """

    func test_C25_changesOfDictionariesAndSets_areSendable_ifTheirElementsAre() throws {
      let plain = "type 'Plain' does not conform to the 'Sendable' protocol"
      try Compiler().assertRefuses(
        [
          "values": (Self.collections + "need(DictionaryChange<Int, Plain>.self) }", plain),
          "keys": (Self.collections + "need(DictionaryChange<Plain, Int>.self) }", plain),
          "elements": (Self.collections + "need(SetChange<Plain>.self) }", plain),
          "entries": (Self.collections + "need(DictionaryChange<Int, Plain>.Entry.self) }", plain),
          "queue": (
            Self.collections + "c.observeDictionary(plain, on: q) { _, _, _ in } }", plain
          ),
          "queueOfKeys": (
            Self.collections + "c.observeDictionary(keys, on: q) { _, _, _ in } }", plain
          ),
          "queueOfASet": (Self.collections + "c.observeSet(set, on: q) { _, _, _ in } }", plain),
          "loop": (Self.collections + "_ = c.changes(ofDictionary: plain) }", plain),
          "loopOfASet": (Self.collections + "_ = c.changes(ofSet: set) }", plain),
          "mainActor": (
            Self.collections + "c.observeDictionaryOnMainActor(plain) { _, _, _ in } }", plain
          ),
        ],
        control: Self.collections + """
          need(DictionaryChange<Int, Int>.self)
          need(DictionaryChange<Int, Int>.Entry.self)
          need(SetChange<Int>.self)
          c.observeDictionary(good, on: q) { _, _, _ in }
          c.observeSet(ints, on: q) { _, _, _ in }
          c.observeDictionaryOnMainActor(good) { _, _, _ in }
          let changes = c.changes(ofSet: ints)
          Task { for await _ in changes {} }
          }
          """)
    }
  }
#endif
