/// The reference model: the history of a program by the contracts of the library.
///
/// Written for reading. Lists are scanned, nothing is cached, and values are copied; the stages of
/// a change are in `Model+Changes`, lifetimes in `Model+Lifetimes`.
final class Model {
  let program: Program
  let fault: Fault?
  private(set) var history: [Entry] = []

  // The state.
  var nodeSlots: [Int?] = Array(repeating: nil, count: Program.slots)
  var controllerSlots: [Int?] = Array(repeating: nil, count: Program.controllerSlots)
  var nodes: [NodeState?] = []
  var controllers: [ControllerState?] = []

  /// The elements of all arrays made so far.
  var arrays: [[Int]] = []

  /// The active ones, in the order of registration.
  var registrations: [Registration] = []

  /// Current deliveries and the changes that wait for them, by property.
  var turns: [Place: Turn] = [:]
  var transaction: Transaction?

  /// Objects retained by the steps under way.
  var heldValues: [Value] = []
  var heldControllers: [Int] = []

  var lastChange = 0
  private var calls = 0
  private var lastSerial = 0
  private var tokenOwners: [Registration?] = []
  private var scriptsLeft = 0

  /// Deliveries in all, and those caused by a handler.
  private(set) var deliveries = 0
  private(set) var nestedDeliveries = 0
  private var depth = 0

  /// A deliberate error of the model, which a comparison has to find.
  enum Fault: CaseIterable {
    case reverseOrder, deliverTwice, notifiesNewcomers, keepsOldLink, skipsPrior, retainsObserver
  }

  init(_ program: Program, fault: Fault? = nil) {
    self.program = program
    self.fault = fault
  }

  func write(_ entry: Entry) { history.append(entry) }

  // MARK: Running

  func run() {
    for operation in program.operations {
      scriptsLeft = Program.scriptsPerStep
      perform(operation)
      settle()
    }
    for controller in controllers.indices where controllers[controller] != nil {
      end { $0.controller == controller }
    }
    for node in nodes.indices where nodes[node] != nil {
      nodes[node]?.values[Property.link.rawValue] = .nothing
      nodes[node]?.values[Property.list.rawValue] = .nothing
      nodes[node]?.owned = []
    }
    (nodeSlots, controllerSlots) = ([], [])
    collect()
    settle()
  }

  private func settle() {
    sweep()
    write(
      .settled(
        Settled(
          observations: registrations.count,
          blocks: Set(registrations.filter { $0.kind == .block }.map(\.call)).count,
          nodes: nodes.indices.filter { nodes[$0] != nil },
          controllers: controllers.indices.filter { controllers[$0] != nil })))
  }

  func runScript(_ context: Int?) {
    guard let context, scriptsLeft > 0 else { return }
    scriptsLeft -= 1
    for operation in program.scripts[context] { perform(operation) }
  }

  /// Whether there were too many deliveries: where several cycles set each other, each round of one
  /// has a hundred of the next. The model has stopped then, and has no history.
  var hasGivenUp: Bool { deliveries >= Self.maximumDeliveries }

  private static let maximumDeliveries = 5_000

  func noteDelivery(_ body: () -> Void) {
    guard !hasGivenUp else { return }
    deliveries += 1
    if depth > 0 { nestedDeliveries += 1 }
    depth += 1
    body()
    depth -= 1
  }

  // MARK: Steps

  func perform(_ operation: Operation) {
    switch operation {
    case .makeNode(let slot):
      makeNode(slot)
    case .dropNode(let slot):
      nodeSlots[slot] = nil
      collect()
    case .makeController(let slot, let observer, let retains, let owned):
      with(observer) { observer in
        controllers.append(ControllerState(observer: observer, retains: retains))
        if owned { nodes[observer]?.owned.append(controllers.count - 1) }
        controllerSlots[slot] = controllers.count - 1
        collect()
      }
    case .dropController(let slot):
      controllerSlots[slot] = nil
      collect()
    case .transaction(let body, let throwing):
      transact { for operation in body { perform(operation) } }
      if throwing { write(.threw) }
    case .observe, .observeEach, .observeArray, .bind, .ask: performObserving(operation)
    case .invalidate, .unobservePath, .unobserveContext, .unobserveObject, .unobserveAll,
      .removeObservations, .removeObservationsBy, .removeObservationsAt:
      performEnding(operation)
    default: performChange(operation)
    }
  }

  private func makeNode(_ slot: Int) {
    var node = NodeState()
    node.values[Property.list.rawValue] = makeArray()
    nodes.append(node)
    nodeSlots[slot] = nodes.count - 1
    collect()
  }

  private func makeArray() -> Value {
    arrays.append([])
    return .array(arrays.count - 1)
  }

  private func performChange(_ operation: Operation) {
    switch operation {
    case .set(let slot, let number, let value):
      with(slot) { set(number.property, of: $0, to: .int(value)) }
    case .increment(let slot, let number):
      with(slot) { node in
        mutate(number.property, of: node) {
          if case .int(let int) = $0 { .int(int + 1) } else { $0 }
        }
      }
    case .setTags(let slot, let tags): with(slot) { set(.tags, of: $0, to: .ints(tags)) }
    case .append(let slot, let tag): with(slot) { append(tag, to: $0) }
    case .appendThrowing(let slot, let tag):
      with(slot) { node in
        append(tag, to: node)
        write(.threw)
      }
    case .setSpot(let slot, let x): with(slot) { mutate(.spot, of: $0) { _ in .int(x) } }
    case .link(let slot, let target):
      with(slot) { node in
        let target = target.flatMap { nodeSlots[$0] }
        set(.link, of: node, to: target.map { .node($0) } ?? .nothing)
      }
    case .setList(let slot, let source):
      with(slot) { node in
        let source = source.flatMap { nodeSlots[$0] }
        let list = source.map { value(of: Place(node: $0, property: .list)) } ?? makeArray()
        set(.list, of: node, to: list)
      }
    case .edit(let slot, let edit): withList(slot) { self.edit($0, edit) }
    case .batch(let slot, let edits): withList(slot) { batch($0, edits) }
    default: break
    }
  }

  /// C6: in place is one change, also if it throws.
  private func append(_ tag: Int, to node: Int) {
    mutate(.tags, of: node) { if case .ints(let tags) = $0 { .ints(tags + [tag]) } else { $0 } }
  }

  private func performEnding(_ operation: Operation) {
    switch operation {
    case .invalidate(let number):
      guard !tokenOwners.isEmpty, let owner = tokenOwners[number % tokenOwners.count] else {
        return
      }
      end { $0 === owner }
    case .unobservePath(let controller, let slot, let path):
      with(controller, slot) { controller, node in
        end { $0.controller == controller && $0.object == node && $0.path == path }
      }
    case .unobserveContext(let controller, let slot, let path, let context):
      with(controller, slot) { controller, node in
        end {
          $0.controller == controller && $0.object == node && $0.path == path
            && $0.context == context
        }
      }
    case .unobserveObject(let controller, let slot):
      with(controller, slot) { controller, node in
        end { $0.controller == controller && $0.object == node }
      }
    case .unobserveAll(let slot):
      withController(slot) { controller in end { $0.controller == controller } }
    case .removeObservations(let slot): with(slot) { node in end { $0.object == node } }
    case .removeObservationsBy(let slot, let observer):
      with(slot) { node in
        with(observer) { observer in
          end { $0.object == node && self.observer(of: $0) == observer }
        }
      }
    case .removeObservationsAt(let slot, let path):
      with(slot) { node in end { $0.object == node && $0.path == path } }
    default: break
    }
  }

  private func performObserving(_ operation: Operation) {
    switch operation {
    case .observe(let observation):
      with(observation.controller, observation.node) { controller, node in
        writeToken(observe(observation, on: controller, node, call: nextCall()))
      }
    case .observeEach(let observation, let paths):
      with(observation.controller, observation.node) { controller, node in
        let call = nextCall()
        // C24.
        if paths.isEmpty { write(.issue(.emptyKeyPaths, nil)) }
        let tokens = paths.map { path in
          var observation = observation
          observation.path = path
          return observe(observation, on: controller, node, call: call, isOfEach: true)
        }
        for token in tokens { writeToken(token) }
      }
    case .observeArray(let observation, let elements):
      with(observation.controller, observation.node) { controller, node in
        writeToken(
          observeArray(
            observation, followsElements: elements, on: controller, node, call: nextCall()))
      }
    case .bind(let binding):
      with(binding.controller, binding.source) { controller, source in
        with(binding.target) { target in
          writeToken(bind(binding, on: controller, source, to: target, call: nextCall()))
        }
      }
    case .ask(let controller, let slot, let path):
      with(controller, slot) { controller, node in
        let observations = registrations.filter { $0.object == node && !isOver($0) }
        let here = observations.filter { $0.path == path }
        write(
          .answer(
            isObserving: here.contains { $0.controller == controller },
            observations: observations.count,
            observers: unique(here.compactMap { observer(of: $0) }),
            paths: unique(observations.map(\.path))))
      }
    default: break
    }
  }

  func nextSerial() -> Int {
    lastSerial += 1
    return lastSerial
  }

  private func nextCall() -> Int {
    calls += 1
    return calls
  }

  private func unique<Element: Equatable>(_ elements: [Element]) -> [Element] {
    elements.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// C17: the token of an existing observation is the first one.
  private func writeToken(_ registration: Registration?) {
    let known = registration.flatMap { registration in
      tokenOwners.firstIndex { $0 === registration }
    }
    if known == nil { tokenOwners.append(registration) }
    write(.token(known ?? tokenOwners.count - 1, isActive: registration?.isActive ?? false))
  }
}
