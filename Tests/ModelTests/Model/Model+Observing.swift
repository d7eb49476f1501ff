/// Registering, notifying and ending.
extension Model {
  /// - Returns: `nil` if there is nothing to observe.
  func observe(
    _ observation: Observation, on controller: Int, _ node: Int, call: Int, isOfEach: Bool = false
  ) -> Registration? {
    let path = observation.path
    let (value, reads) = evaluate(path, of: node)
    // C24.
    guard !reads.isEmpty else {
      write(.issue(.nothingObservable, path))
      return nil
    }
    // C17.
    let first = registrations.first {
      $0.controller == controller && $0.object == node && $0.path == path
        && $0.context == observation.context && $0.binding == nil && $0.array == nil
    }
    if let first {
      // From the same line.
      if first.kind == observation.kind, first.isOfEach == isOfEach { first.call = call }
      return first
    }
    let registration = Registration(
      controller: controller, object: node, path: path, options: observation.options,
      context: observation.context, kind: observation.kind, call: call, isOfEach: isOfEach,
      serial: nextSerial(), dependencies: reads)
    registrations.append(registration)
    // C3.
    if observation.options.contains(.initial) {
      holding([value]) { notify(registration, .initial, old: nil, new: value) }
    }
    if observation.options.contains(.distinct), !path.isComparable {
      write(.issue(.distinctNeedsEquatable, path))
    }
    return registration
  }

  func bind(
    _ binding: Binding, on controller: Int, _ source: Int, to target: Int, call: Int
  ) -> Registration {
    let from = binding.from.property
    let to = binding.to.property
    let first = registrations.first {
      $0.controller == controller && $0.object == source && $0.path == from.path
        && $0.binding?.target == target && $0.binding?.property == to
    }
    if let first { return first }
    let registration = Registration(
      controller: controller, object: source, path: from.path, options: [.initial],
      call: call, serial: nextSerial(),
      binding: (target, to, binding.transforms),
      dependencies: [Place(node: source, property: from)])
    registrations.append(registration)
    let value = value(of: Place(node: source, property: from))
    holding([value]) { notify(registration, .initial, old: nil, new: value) }
    return registration
  }

  /// The observations of a property, in the order of registration.
  func listeners(of place: Place) -> [Registration] {
    registrations.filter { role(of: $0, at: place) != nil }
  }

  func role(of registration: Registration, at place: Place) -> Role? {
    if let array = registration.array {
      if place.property == .content { return array.array == place.node ? .content : nil }
      if place.property == .a, array.followsElements, array.elements.contains(place.node) {
        return .element
      }
    }
    guard registration.dependencies.contains(place) else { return nil }
    return registration.isOfPath ? .path : .value
  }

  // MARK: Notifying

  /// One delivery.
  func notify(_ registration: Registration, _ event: Delivery.Event, old: Value?, new: Value) {
    // C12: an observer whose `deinit` has begun is not called.
    guard registration.isActive, let observer = observer(of: registration) else {
      if registration.binding != nil { end { $0 === registration } }
      return
    }
    holding([.node(observer), .node(registration.object)]) {
      noteDelivery {
        if let binding = registration.binding {
          follow(registration, binding, new)
        } else {
          call(registration, observer, event, old: old, new: new)
        }
      }
    }
  }

  private func call(
    _ registration: Registration, _ observer: Int, _ event: Delivery.Event, old: Value?, new: Value
  ) {
    guard registration.kind != .nothing else {
      return write(.delivered(Delivery(event: .unknown, observer: observer)))
    }
    let knowsObject = registration.kind != .change
    let asksOld = registration.options.contains(.old) && event != .initial
    write(
      .delivered(
        Delivery(
          event: event, observer: observer, object: knowsObject ? registration.object : nil,
          path: registration.path, context: registration.context,
          registration: registration.kind == .block ? registration.call : nil,
          old: asksOld ? old.map(recorded) : nil, new: recorded(new),
          // C2.
          current: knowsObject
            ? recorded(evaluate(registration.path, of: registration.object).value) : nil)))
    runScript(registration.context)
  }

  /// The form of a value in a history: of an array its elements.
  private func recorded(_ value: Value) -> Value {
    if case .array(let array) = value { .nodes(arrays[array]) } else { value }
  }

  /// A binding sets its target, and ends when that is deallocated.
  private func follow(
    _ registration: Registration, _ binding: (target: Int, property: Property, transforms: Bool),
    _ value: Value
  ) {
    guard nodes[binding.target] != nil else { return end { $0 === registration } }
    let target = Place(node: binding.target, property: binding.property)
    let isOfItself = registration.dependencies == [target]
    guard case .int(var int) = isOfItself ? self.value(of: target) : value else { return }
    if binding.transforms {
      write(.transformed(int))
      int = Binding.transform(int)
    }
    if isOfItself, .int(int) == self.value(of: target) { return }
    holding([.node(binding.target)]) { set(binding.property, of: binding.target, to: .int(int)) }
  }

  // MARK: Ending

  /// C18: ending is a no-op for observations that have ended.
  func end(_ isEnded: (Registration) -> Bool) {
    // C9, C19: every delivery checks `isActive`.
    for registration in registrations.filter(isEnded) {
      registration.isActive = false
      registration.queue = []
      registration.old = nil
    }
    registrations.removeAll { !$0.isActive }
    collect()
  }

  /// Bindings end when their target or their observer is deallocated, when the tables are used at
  /// the latest.
  func sweep() {
    // Again: an ended binding may have held the last reference to a target.
    while registrations.contains(where: isOver) { end(isOver) }
  }

  func isOver(_ registration: Registration) -> Bool {
    guard let binding = registration.binding else { return false }
    return nodes[binding.target] == nil || observer(of: registration) == nil
  }

  func observer(of registration: Registration) -> Int? {
    guard let observer = controllers[registration.controller]?.observer,
      nodes[observer] != nil
    else { return nil }
    return observer
  }
}
