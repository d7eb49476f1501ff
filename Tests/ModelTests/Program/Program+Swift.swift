/// A program as Swift source that compiles on its own and prints its deliveries.
extension Program {
  /// - Parameter name: The name of the function.
  func swift(named name: String) -> String {
    var lines = [
      "var nodes: [Node?] = Array(repeating: nil, count: \(Self.slots))",
      "var controllers: [ObservationController<Node>?] =",
      "  Array(repeating: nil, count: \(Self.controllerSlots))",
      "var tokens: [ObservationToken] = []",
    ]
    for (context, script) in scripts.enumerated() where !script.isEmpty {
      lines.append("scripts[\"\(context)\"] = {")
      lines += script.flatMap(\.swift).map { "  \($0)" }
      lines.append("}")
    }
    for operation in operations {
      if scripts.contains(where: { !$0.isEmpty }) {
        lines.append("scriptsLeft = \(Self.scriptsPerStep)")
      }
      lines += operation.swift
    }
    let body = lines.map { "  \($0)" }.joined(separator: "\n")
    return "\(Self.preamble)\n\nfunc \(name)() throws {\n\(body)\n}\n"
  }

  private static let preamble = #"""
    import ObservationController

    final class Node: ObservationDelegate {
      @Observed var a = 0
      @Observed var b = 0
      @Observed var tags: [Int] = []
      @Observed var spot = Spot()
      @Observed var link: Node?
      @Observed var list: ObservableArray<Node> = []
      var plain = 0
      var owned: [ObservationController<Node>] = []
      var sum: Int { a + b }
      var chosen: Int? { a.isMultiple(of: 2) ? b : link?.b }
      var total: Int { a * 100 + (link?.a ?? 0) }
      @Derived({ (node: Node) -> Int in node.a * 100 + (node.link?.a ?? 0) })
      var derivedTotal: Int

      func receive<Value>(_ change: ObservedChange<Value>, of object: Node) { receive(change) }
      func receive() { print("notified") }
      func receive<Value>(_ change: ObservedChange<Value>) {
        let kind = change.isInitial ? "initial" : change.isPrior ? "prior" : "change"
        print(kind, change.keyPath, change.oldValue as Any, "→", change.newValue)
        act(change.context)
      }
      func observeValue(
        at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
        context: ObservationContext?
      ) { receive(change) }
    }

    struct Spot { var x = 0 }
    struct Failure: Error {}

    /// The scripts of handlers, by their context.
    nonisolated(unsafe) var scripts: [ObservationContext: () -> Void] = [:]
    nonisolated(unsafe) var scriptsLeft = 0

    func act(_ context: ObservationContext?) {
      guard scriptsLeft > 0, let script = context.flatMap({ scripts[$0] }) else { return }
      scriptsLeft -= 1
      script()
    }
    """#
}

extension Operation {
  /// Its lines.
  var swift: [String] {
    switch self {
    case .makeNode(let slot): ["nodes[\(slot)] = Node()"]
    case .dropNode(let slot): ["nodes[\(slot)] = nil"]
    case .makeController(let slot, let observer, let retains, let owned):
      with(
        node: observer,
        ["let controller = ObservationController(observer: node, retainsObserved: \(retains))"]
          + (owned ? ["node.owned.append(controller)"] : [])
          + ["controllers[\(slot)] = controller"])
    case .dropController(let slot): ["controllers[\(slot)] = nil"]
    case .transaction(let body, let throwing):
      ["try? withObservationTransaction {"] + body.flatMap(\.swift).map { "  \($0)" }
        + (throwing ? ["  throw Failure()"] : []) + ["}"]
    case .observe, .observeEach, .observeArray, .bind, .ask: swiftOfObserving
    case .invalidate, .unobservePath, .unobserveContext, .unobserveObject, .unobserveAll,
      .removeObservations, .removeObservationsBy, .removeObservationsAt:
      swiftOfEnding
    default: swiftOfChange
    }
  }

  private func with(node slot: Int, _ lines: [String]) -> [String] {
    ["if let node = nodes[\(slot)] {"] + lines.map { "  \($0)" } + ["}"]
  }

  private func with(_ controller: Int, _ slot: Int, _ lines: [String]) -> [String] {
    ["if let node = nodes[\(slot)], let controller = controllers[\(controller)] {"]
      + lines.map { "  \($0)" } + ["}"]
  }

  private var swiftOfChange: [String] {
    switch self {
    case .set(let slot, let property, let value):
      with(node: slot, ["node.\(property) = \(value)"])
    case .increment(let slot, let property): with(node: slot, ["node.\(property) += 1"])
    case .setTags(let slot, let tags): with(node: slot, ["node.tags = \(tags)"])
    case .append(let slot, let tag): with(node: slot, ["node.tags.append(\(tag))"])
    case .appendThrowing(let slot, let tag):
      with(
        node: slot,
        [
          "func appendThrowing(_ tags: inout [Int]) throws {", "  tags.append(\(tag))",
          "  throw Failure()", "}", "try? appendThrowing(&node.tags)",
        ])
    case .setSpot(let slot, let x): with(node: slot, ["node.spot.x = \(x)"])
    case .link(let slot, let target):
      with(node: slot, ["node.link = \(target.map { "nodes[\($0)]" } ?? "nil")"])
    case .setList(let slot, let source):
      with(node: slot, ["node.list = \(source.map { "nodes[\($0)]?.list ?? []" } ?? "[]")"])
    case .edit(let slot, let edit): with(node: slot, ["let list = node.list", edit.swift])
    case .batch(let slot, let edits):
      with(
        node: slot,
        ["let list = node.list", "list.performBatchUpdates {"] + edits.map { "  \($0.swift)" }
          + ["}"])
    default: []
    }
  }

  private var swiftOfEnding: [String] {
    let dispatcher = "ObservationDispatcher.shared"
    return switch self {
    case .invalidate(let number):
      ["if !tokens.isEmpty { tokens[\(number) % tokens.count].invalidate() }"]
    case .unobservePath(let controller, let slot, let path):
      with(controller, slot, ["controller.unobserve(node, \(path.swift))"])
    case .unobserveContext(let controller, let slot, let path, let context):
      with(
        controller, slot,
        ["controller.unobserve(node, \(path.swift), context: \(context.swift))"])
    case .unobserveObject(let controller, let slot):
      with(controller, slot, ["controller.unobserve(node)"])
    case .unobserveAll(let controller): ["controllers[\(controller)]?.unobserveAll()"]
    case .removeObservations(let slot):
      with(node: slot, ["\(dispatcher).removeObservations(of: node)"])
    case .removeObservationsBy(let slot, let observer):
      with(
        node: slot,
        [
          "if let observer = nodes[\(observer)] {",
          "  \(dispatcher).removeObservations(of: node, by: observer)", "}",
        ])
    case .removeObservationsAt(let slot, let path):
      with(node: slot, ["\(dispatcher).removeObservations(of: node, \(path.swift))"])
    default: []
    }
  }

  private var swiftOfObserving: [String] {
    switch self {
    case .observe(let observation):
      with(
        observation.controller, observation.node,
        [
          "let token = controller.observe(",
          "  node, \(observation.path.swift), \(observation.swift)",
          "if !tokens.contains(where: { $0 === token }) { tokens.append(token) }",
        ])
    case .observeEach(let observation, let paths):
      with(
        observation.controller, observation.node,
        [
          "tokens += controller.observeEach(",
          "  node, [\(paths.map(\.swift).joined(separator: ", "))] as [PartialKeyPath<Node>],",
          "  \(observation.swift)",
        ])
    case .observeArray(let observation, let elements):
      with(
        observation.controller, observation.node,
        [
          "tokens.append(controller.observeArray(",
          "  node, \\.list, elements: [\(elements ? "\\.a" : "")], \(observation.swiftOfOptions)",
          ") { _, _, change in",
          "  print(change.kind, change.entries.count, change.elements.count)",
          "  act(\(observation.context.swift))",
          "})",
        ])
    case .bind(let binding):
      with(
        binding.controller, binding.source,
        [
          "if let target = nodes[\(binding.target)] {",
          "  tokens.append(",
          "    controller.bind(node, \\.\(binding.from), to: target, \\.\(binding.to))"
            + (binding.transforms ? " { $0 < 40 ? $0 + 10 : $0 })" : ")"),
          "}",
        ])
    case .ask(let controller, let slot, let path):
      with(
        controller, slot,
        [
          "print(controller.isObserving(node, \(path.swift)))",
          "print(ObservationDispatcher.shared.observations(of: node))",
        ])
    default: []
    }
  }
}

extension Observation {
  /// The arguments after the key path.
  fileprivate var swift: String { swiftOfOptions + kind.swift }

  fileprivate var swiftOfOptions: String {
    let options = options.sorted().map { ".\($0)" }.joined(separator: ", ")
    return "options: [\(options)], context: \(context.swift)"
  }
}

extension HandlerKind {
  /// The last argument and the end of the call.
  fileprivate var swift: String {
    switch self {
    case .block: ") { observer, _, change in observer.receive(change) }"
    case .changeAndObject: ", action: { node in { node.receive($0, of: $1) } })"
    case .change: ", action: { node in { change in node.receive(change) } })"
    case .nothing: ", action: { node in { node.receive() } })"
    case .delegate: ")"
    }
  }
}

extension Int? {
  /// A context.
  fileprivate var swift: String { map { "\"\($0)\"" } ?? "nil" }
}
