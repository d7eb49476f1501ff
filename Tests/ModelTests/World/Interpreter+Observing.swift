import ObservationController

/// Observing with every kind of handler.
extension Interpreter {
  func observe(
    _ observation: Observation, on controller: ObservationController<Node>, _ node: Node
  ) -> ObservationToken {
    func observe<Value>(_ keyPath: KeyPath<Node, Value>) -> ObservationToken {
      self.observe(observation, keyPath, on: controller, node)
    }
    return switch observation.path {
    case .a: observe(\.a)
    case .b: observe(\.b)
    case .tags: observe(\.tags)
    case .spot: observe(\.spot)
    case .link: observe(\.link)
    case .list: observe(\.list)
    case .listCount: observe(\.list.count)
    case .listFirstA: observe(\.list.first?.a)
    case .linkA: observe(\.link?.a)
    case .linkLink: observe(\.link?.link)
    case .linkLinkB: observe(\.link?.link?.b)
    case .linkTags: observe(\.link?.tags)
    case .sum: observe(\.sum)
    case .chosen: observe(\.chosen)
    case .total: observe(\.total)
    case .plain: observe(\.plain)
    }
  }

  private func observe<Value>(
    _ observation: Observation, _ keyPath: KeyPath<Node, Value>,
    on controller: ObservationController<Node>, _ node: Node
  ) -> ObservationToken {
    let options = observation.libraryOptions
    let context = observation.libraryContext
    registrations += 1
    switch observation.kind {
    case .block:
      let (journal, registration, ticket) = (journal, registrations, Count.Ticket(blocks))
      return controller.observe(node, keyPath, options: options, context: context) {
        observer, object, change in
        withExtendedLifetime(ticket) { journal.receive(observer, object, change, registration) }
      }
    case .changeAndObject:
      return controller.observe(
        node, keyPath, options: options, context: context,
        action: Node.receive as (Node) -> (ObservedChange<Value>, Node) -> Void)
    case .change:
      return controller.observe(
        node, keyPath, options: options, context: context,
        action: Node.receive as (Node) -> (ObservedChange<Value>) -> Void)
    case .nothing:
      return controller.observe(
        node, keyPath, options: options, context: context,
        action: Node.receive as (Node) -> () -> Void
      )
    case .delegate:
      return controller.observe(node, keyPath, options: options, context: context)
    }
  }

  func observeEach(
    _ observation: Observation, _ paths: [Path], on controller: ObservationController<Node>,
    _ node: Node
  ) -> [ObservationToken] {
    let keyPaths = paths.map(\.keyPath)
    let options = observation.libraryOptions
    let context = observation.libraryContext
    registrations += 1
    switch observation.kind {
    case .block:
      let (journal, registration, ticket) = (journal, registrations, Count.Ticket(blocks))
      return controller.observeEach(node, keyPaths, options: options, context: context) {
        observer, object, change in
        withExtendedLifetime(ticket) { journal.receive(observer, object, change, registration) }
      }
    case .changeAndObject:
      return controller.observeEach(
        node, keyPaths, options: options, context: context,
        action: Node.receive as (Node) -> (ObservedChange<Any>, Node) -> Void)
    case .change:
      return controller.observeEach(
        node, keyPaths, options: options, context: context,
        action: Node.receive as (Node) -> (ObservedChange<Any>) -> Void)
    case .nothing:
      return controller.observeEach(
        node, keyPaths, options: options, context: context,
        action: Node.receive as (Node) -> () -> Void)
    case .delegate:
      return controller.observeEach(node, keyPaths, options: options, context: context)
    }
  }

  func observeArray(
    _ observation: Observation, elements: Bool, on controller: ObservationController<Node>,
    _ node: Node
  ) -> ObservationToken {
    registrations += 1
    let (journal, registration, ticket) = (journal, registrations, Count.Ticket(blocks))
    let known = Known(node.list.map(\.number))
    let registering = RegisteringArray(
      controller: controller, node: node, context: observation.context, known: known)
    let outer = registeringArrays.last { $0.isSame(as: registering) }
    registeringArrays.append(registering)
    defer { registeringArrays.removeLast() }
    let before = outer.map { _ in (journal.recorder.events.count, observationCount) }
    let token = controller.observeArray(
      node, \.list, elements: elements ? [\.a] : [], options: observation.libraryOptions,
      context: observation.libraryContext
    ) { observer, object, change in
      withExtendedLifetime(ticket) {
        journal.receive(
          observer, object, change, observation, registration, known.first ?? known)
      }
    }
    // Changes may wait since before the new handler took the place of the old one, also where that
    // is still being registered: then nobody was notified, and no observation has come.
    known.first = knownArrays.first { $0.token === token }?.known
    if known.first == nil, let outer, let before,
      before == (journal.recorder.events.count, observationCount)
    {
      known.first = outer.known.first ?? outer.known
    }
    if known.first == nil { knownArrays.append((token, known)) }
    return token
  }

  func bind(
    _ binding: Binding, on controller: ObservationController<Node>, _ source: Node, to target: Node
  ) -> ObservationToken {
    registrations += 1
    let from: KeyPath<Node, Int> = binding.from == .a ? \.a : \.b
    let to: ReferenceWritableKeyPath<Node, Int> = binding.to == .a ? \.a : \.b
    guard binding.transforms else { return controller.bind(source, from, to: target, to) }
    let journal = journal
    return controller.bind(source, from, to: target, to) { value in
      journal.recorder.append(.transformed(value))
      return Binding.transform(value)
    }
  }
}

/// An array whose observation is being registered, so that it has no token yet.
struct RegisteringArray {
  let controller: ObservationController<Node>
  let node: Node
  let context: Int?
  let known: Known

  /// Whether it would be the same observation (C17).
  func isSame(as other: Self) -> Bool {
    controller === other.controller && node === other.node && context == other.context
  }
}

extension Observation {
  var libraryOptions: ObservationOptions {
    options.reduce(into: []) { options, option in
      switch option {
      case .initial: options.insert(.initial)
      case .old: options.insert(.old)
      case .prior: options.insert(.prior)
      case .distinct: options.insert(.distinct)
      }
    }
  }

  var libraryContext: ObservationContext? { context.map { Journal.contexts[$0] } }
}
