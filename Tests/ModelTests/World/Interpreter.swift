import ObservationController
import TestSupport

/// Runs a program against the library.
final class Interpreter {
  private let program: Program
  let journal = Journal()

  private var nodes: [Node?] = Array(repeating: nil, count: Program.slots)
  private var controllers: [ObservationController<Node>?] =
    Array(repeating: nil, count: Program.controllerSlots)

  /// All ever made, by number.
  private var allNodes: [Weak<Node>] = []
  private var allControllers: [Weak<ObservationController<Node>>] = []

  var tokens: [ObservationToken] = []
  var registrations = 0
  /// What the handlers of observed arrays have seen, by their tokens.
  var knownArrays: [(token: ObservationToken, known: Known)] = []
  /// Those whose `observeArray` has not returned, from the outermost one inwards.
  var registeringArrays: [RegisteringArray] = []
  let blocks = Count()

  private var scriptsLeft = 0

  init(_ program: Program) {
    self.program = program
    journal.act = { [unowned self] context, event in runScript(context) }
  }

  /// - Returns: The history.
  static func run(_ program: Program) -> [Entry] {
    let interpreter = Interpreter(program)
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    let journal = Unshared(interpreter.journal)
    ObservationIssue.reporter = { journal.value.note($0) }
    interpreter.run()
    return interpreter.journal.recorder.events
  }

  private func run() {
    for operation in program.operations {
      scriptsLeft = Program.scriptsPerStep
      perform(operation)
      settle()
      // Between some steps, since it takes longer than these do.
      if journal.recorder.events.count.isMultiple(of: 8) { assertInvariants() }
    }
    // Nothing may be left: cycles of links and retaining controllers are the program's, and are
    // broken here.
    for controller in allControllers { controller.object?.unobserveAll() }
    for node in allNodes {
      node.object?.link = nil
      node.object?.list = []
      node.object?.owned = []
    }
    (nodes, controllers) = ([], [])
    settle()
  }

  /// Counts the observations of these controllers only: those that other tests have left in this
  /// process would take longer than the program. `ModelTests` counts all of them at its end.
  var observationCount: Int {
    var (count, last) = (-1, 0)
    // Again where counting has ended some, which may have retained others.
    while count != last {
      last = count
      count = allControllers.reduce(0) { $0 + ($1.object?.observations.count ?? 0) }
    }
    return count
  }

  private func settle() {
    journal.recorder.append(
      .settled(
        Settled(
          observations: observationCount, blocks: blocks.alive,
          nodes: allNodes.indices.filter { allNodes[$0].object != nil },
          controllers: allControllers.indices.filter { allControllers[$0].object != nil })))
  }

  private func runScript(_ context: Int?) {
    guard let context, scriptsLeft > 0 else { return }
    scriptsLeft -= 1
    for operation in program.scripts[context] { perform(operation) }
  }

  // MARK: Slots

  /// Retains the node meanwhile; does nothing if the slot is empty.
  private func with(_ slot: Int, _ body: (Node) -> Void) {
    guard let node = nodes[slot] else { return }
    withExtendedLifetime(node) { body(node) }
  }

  private func with(
    _ controllerSlot: Int, _ slot: Int, _ body: (ObservationController<Node>, Node) -> Void
  ) {
    with(slot) { node in withController(controllerSlot) { body($0, node) } }
  }

  private func withController(_ slot: Int, _ body: (ObservationController<Node>) -> Void) {
    guard let controller = controllers[slot] else { return }
    withExtendedLifetime(controller) { body(controller) }
  }

  private func withList(_ slot: Int, _ body: (ObservableArray<Node>) -> Void) {
    with(slot) { node in
      let list = node.list
      withExtendedLifetime(list) { body(list) }
    }
  }

  private func apply(_ edit: ArrayEdit, to list: ObservableArray<Node>) {
    let named = edit.slots.map { nodes[$0] }
    withExtendedLifetime(named) { edit.apply(to: list, named: named) }
  }

  private func makeNode(_ slot: Int) {
    let node = Node(allNodes.count, journal)
    allNodes.append(Weak(node))
    nodes[slot] = node
  }

  private func makeController(_ slot: Int, of observer: Node, retains: Bool, owned: Bool) {
    let controller = ObservationController(observer: observer, retainsObserved: retains)
    allControllers.append(Weak(controller))
    if owned { observer.owned.append(controller) }
    controllers[slot] = controller
  }

  // MARK: Steps

  private func perform(_ operation: Operation) {
    switch operation {
    case .makeNode(let slot): makeNode(slot)
    case .dropNode(let slot): nodes[slot] = nil
    case .makeController(let slot, let observer, let retains, let owned):
      with(observer) { makeController(slot, of: $0, retains: retains, owned: owned) }
    case .dropController(let slot): controllers[slot] = nil
    case .transaction(let body, let throwing): transact(body, throwing)
    case .observe, .observeEach, .observeArray, .bind, .invalidate, .ask:
      performObserving(operation)
    case .unobservePath, .unobserveContext, .unobserveObject, .unobserveAll, .removeObservations,
      .removeObservationsBy, .removeObservationsAt:
      performEnding(operation)
    default: performChange(operation)
    }
  }

  private func performChange(_ operation: Operation) {
    switch operation {
    case .set(let slot, .a, let value): with(slot) { $0.a = value }
    case .set(let slot, .b, let value): with(slot) { $0.b = value }
    case .increment(let slot, .a): with(slot) { $0.a += 1 }
    case .increment(let slot, .b): with(slot) { $0.b += 1 }
    case .setTags(let slot, let tags): with(slot) { $0.tags = tags }
    case .append(let slot, let tag): with(slot) { $0.tags.append(tag) }
    case .appendThrowing(let slot, let tag):
      with(slot) { node in noteThrow { try appendThrowing(tag, to: &node.tags) } }
    case .setSpot(let slot, let x): with(slot) { $0.spot.x = x }
    case .link(let slot, let target):
      with(slot) { node in
        let target = target.flatMap { nodes[$0] }
        withExtendedLifetime(target) { node.link = target }
      }
    case .setList(let slot, let source):
      with(slot) { node in node.list = source.flatMap { nodes[$0]?.list } ?? [] }
    case .edit(let slot, let edit):
      withList(slot) { list in apply(edit, to: list) }
    case .batch(let slot, let edits):
      withList(slot) { list in
        list.performBatchUpdates {
          for edit in edits { apply(edit, to: list) }
        }
      }
    default: break
    }
  }

  private func performEnding(_ operation: Operation) {
    switch operation {
    case .unobservePath(let controller, let slot, let path):
      with(controller, slot) { $0.unobserve($1, path.keyPath) }
    case .unobserveContext(let controller, let slot, let path, let context):
      with(controller, slot) {
        $0.unobserve($1, path.keyPath, context: context.map { Journal.contexts[$0] })
      }
    case .unobserveObject(let controller, let slot): with(controller, slot) { $0.unobserve($1) }
    case .unobserveAll(let controller): withController(controller) { $0.unobserveAll() }
    case .removeObservations(let slot):
      with(slot) { ObservationDispatcher.shared.removeObservations(of: $0) }
    case .removeObservationsBy(let slot, let observer):
      with(slot) { node in
        with(observer) { ObservationDispatcher.shared.removeObservations(of: node, by: $0) }
      }
    case .removeObservationsAt(let slot, let path):
      with(slot) { ObservationDispatcher.shared.removeObservations(of: $0, path.keyPath) }
    default: break
    }
  }

  private func performObserving(_ operation: Operation) {
    switch operation {
    case .observe(let observation):
      with(observation.controller, observation.node) { write(observe(observation, on: $0, $1)) }
    case .observeEach(let observation, let paths):
      with(observation.controller, observation.node) { controller, node in
        for token in observeEach(observation, paths, on: controller, node) { write(token) }
      }
    case .observeArray(let observation, let elements):
      with(observation.controller, observation.node) { controller, node in
        write(observeArray(observation, elements: elements, on: controller, node))
      }
    case .bind(let binding):
      with(binding.controller, binding.source) { controller, source in
        with(binding.target) { write(bind(binding, on: controller, source, to: $0)) }
      }
    case .invalidate(let number):
      if !tokens.isEmpty { tokens[number % tokens.count].invalidate() }
    case .ask(let controller, let slot, let path): with(controller, slot) { ask($0, $1, path) }
    default: break
    }
  }

  private func write(_ token: ObservationToken) {
    let number = tokens.firstIndex { $0 === token }
    if number == nil { tokens.append(token) }
    journal.recorder.append(.token(number ?? tokens.count - 1, isActive: token.isActive))
  }

  private func ask(_ controller: ObservationController<Node>, _ node: Node, _ path: Path) {
    let dispatcher = ObservationDispatcher.shared
    journal.recorder.append(
      .answer(
        isObserving: controller.isObserving(node, path.keyPath),
        observations: dispatcher.observations(of: node).count,
        observers: dispatcher.observers(of: node, path.keyPath).map { ($0 as? Node)?.number ?? -1 },
        paths: dispatcher.observedKeyPaths(of: node).compactMap(Path.of)))
  }

  private func transact(_ body: [Operation], _ throwing: Bool) {
    noteThrow {
      try withObservationTransaction {
        for operation in body { perform(operation) }
        if throwing { throw Failure() }
      }
    }
  }

  private func noteThrow(_ body: () throws -> Void) {
    do { try body() } catch { journal.recorder.append(.threw) }
  }
}

private func appendThrowing(_ tag: Int, to tags: inout [Int]) throws {
  tags.append(tag)
  throw Failure()
}

struct Failure: Error {}

private struct Weak<Object: AnyObject> {
  weak var object: Object?

  init(_ object: Object) { self.object = object }
}

/// State of one thread.
private struct Unshared<Value>: @unchecked Sendable {
  // Unchecked because programs run on one thread, and report errors there.
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// Counts the tickets that are alive.
final class Count {
  fileprivate(set) var alive = 0

  final class Ticket {
    private let count: Count

    init(_ count: Count) {
      self.count = count
      count.alive += 1
    }

    deinit { count.alive -= 1 }
  }
}
