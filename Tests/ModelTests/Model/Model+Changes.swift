/// The stages of a change.
extension Model {
  func set(_ property: Property, of node: Int, to new: Value) {
    change(Place(node: node, property: property), next: new) { _ in new }
  }

  /// In place: prior deliveries precede the new value.
  func mutate(_ property: Property, of node: Int, _ body: @escaping (Value) -> Value) {
    change(Place(node: node, property: property), next: nil, body)
  }

  /// - Parameter event: The event that delivers an edit of an array.
  func change(
    _ place: Place, next: Value?, event: ArrayDelivery? = nil, _ body: (Value) -> Value
  ) {
    holding([value(of: place), next ?? .nothing]) {
      if transaction == nil {
        changeAtOnce(place, next: next, event: event, body)
      } else {
        changeInTransaction(place, event, body)
      }
    }
  }

  private func changeAtOnce(
    _ place: Place, next: Value?, event: ArrayDelivery?, _ body: (Value) -> Value
  ) {
    let turn = turns[place] ?? Turn()
    turns[place] = turn
    // C7: inside a delivery of the property the deliveries wait, prior ones included.
    let hasTurn = !turn.isDelivering
    turn.isDelivering = true
    var (paths, withoutPrior) = prepare(place, next: next, hasTurn: hasTurn)

    let old = value(of: place)
    let new = body(old)
    // Others have kept the value that they read last, and are evaluated after the store alone.
    for path in listeners(of: place)
    where role(of: path, at: place) == .path && !paths.contains(where: { $0 === path }) {
      paths.append(path)
      pathWillChange(path)
    }
    paths.sort { $0.serial < $1.serial }
    lastChange += 1
    let registrationsBefore = listeners(of: place)

    // A prior handler may have set the value that is replaced.
    holding([old, new]) {
      store(new, at: place)
      let isNext = hasTurn && turn.waiting.isEmpty
      // C15: paths that lead through an array do not keep its elements.
      let isKept =
        place.property != .content || listeners(of: place).contains { $0.array != nil }
      if let event { noteEdit(event, of: place, id: lastChange, by: registrationsBefore) }
      for path in paths { pathDidChange(path, id: lastChange) }
      let change = Change(
        id: lastChange, old: isKept ? old : .nothing, new: new, needsPrior: !hasTurn,
        withoutPrior: withoutPrior,
        registrations: isNext ? registrationsBefore : listeners(of: place), paths: paths)
      var isRound = false
      if isNext {
        isRound = adds(to: turn) { deliver(change, of: place) }
      } else {
        turn.waiting.append(change)
      }
      if hasTurn { deliverWaiting(at: place, turn, rounds: isRound ? 1 : 0) }
    }
  }

  /// C4: deliveries before the value is stored.
  ///
  /// - Returns: The paths that have noted their old values, and the observations that were not
  ///   notified, since nothing seemed to change for them.
  private func prepare(
    _ place: Place, next: Value?, hasTurn: Bool
  ) -> (paths: [Registration], withoutPrior: [Registration]) {
    var withoutPrior: [Registration] = []
    if hasTurn {
      withoutPrior = deliverPrior(
        of: place, value(of: place), next: next, to: listeners(of: place))
    }
    var noted: [Registration] = []
    while true {
      // Prior handlers may observe: repeat while there are new observers. A prior handler may also
      // change the dependencies of a path, which is notified of this change all the same.
      let new = listeners(of: place).filter { path in
        role(of: path, at: place) == .path && !noted.contains { $0 === path }
          && path.options.contains(.prior) && path.array == nil
      }
      if new.isEmpty { return (noted, withoutPrior) }
      // All of them leave what changes from now on to this change, before the first is notified.
      noted += new
      for path in new { pathWillChange(path) }
      for path in new { deliverPrior(of: path) }
    }
  }

  /// - Returns: The observations that were not notified, since nothing would change for them.
  @discardableResult
  func deliverPrior(
    of place: Place, _ current: Value, next: Value?, to registrations: [Registration]
  ) -> [Registration] {
    guard fault != .skipsPrior else { return [] }
    var leftOut: [Registration] = []
    for registration in registrations where role(of: registration, at: place) == .value {
      guard registration.options.contains(.prior), registration.isActive else { continue }
      if let next, isEqual(current, next, for: registration) {
        leftOut.append(registration)
        continue
      }
      notify(registration, .prior, old: current, new: current)
    }
    return leftOut
  }

  /// C1: notifies every observer, in the order of registration.
  ///
  /// - Parameter call: Notifies an observer, if it is to be notified.
  func deliver(
    _ change: Change, of place: Place, by call: (Registration, () -> Void) -> Void = { $1() }
  ) {
    var registrations = change.registrations
    if fault == .reverseOrder { registrations.reverse() }
    if fault == .notifiesNewcomers { registrations = listeners(of: place) }
    // Those that have noted the change, and were led away from the property before it was stored.
    let others = change.paths.filter { path in !registrations.contains { $0 === path } }
    for path in others {
      let index = registrations.firstIndex { $0.serial > path.serial }
      registrations.insert(path, at: index ?? registrations.endIndex)
    }
    for registration in registrations where registration.isActive {
      call(registration) {
        deliver(
          change, of: place, to: registration,
          isOther: others.contains { $0 === registration })
      }
    }
  }

  private func deliver(
    _ change: Change, of place: Place, to registration: Registration, isOther: Bool
  ) {
    if isOther {
      deliver(registration, through: change.id)
    } else if registration.isOfPath {
      // It may have released the array or the element meanwhile.
      if change.joined.contains(where: { $0 === registration }) {
        deliver(registration, through: change.id)
      } else if registration.array != nil, place.property == .a {
        deliverElement(registration, change, of: place.node)
      } else if registration.array == nil || place.property != .content
        || registration.array?.lastEdit == change.id && registration.array?.array == place.node
        || registration.queue.contains(where: { $0.id == change.id && $0.isEdit })
      {
        deliver(registration, through: change.id)
      }
    } else if !isEqual(change.old, change.new, for: registration) {
      notify(registration, .change, old: change.old, new: change.new)
      if fault == .deliverTwice, registration.context == 1, registration.isActive {
        notify(registration, .change, old: change.old, new: change.new)
      }
    }
  }

  func adds(to turn: Turn, _ body: () -> Void) -> Bool {
    let additions = turn.additions
    body()
    return turn.additions > additions
  }

  /// C7: each change after the previous one has reached every observer. C8: a bounded number of
  /// times.
  ///
  /// - Parameter rounds: The number of deliveries in a row that have led to another one.
  func deliverWaiting(at place: Place, _ turn: Turn, rounds: Int) {
    var cycle = Cycle(rounds: rounds)
    while !turn.waiting.isEmpty {
      guard cycle.rounds < Cycle.maximumRounds else {
        cutOff(turn, at: place, &cycle)
        continue
      }
      let change = turn.waiting.removeFirst()
      holding([change.old, change.new]) {
        let isRound = adds(to: turn) {
          deliverWithPrior(change, of: place) { registration, body in
            if adds(to: turn, body) { cycle.noteContinued(by: registration) }
          }
        }
        if isRound { cycle.rounds += 1 }
      }
    }
    if let path = cycle.reportedPath { write(.issue(.cycle, path)) }
    turn.isDelivering = false
    turns[place] = nil
    collect()
  }

  /// Also if a handler that was notified before has made the change that came first.
  func deliverWithPrior(
    _ change: Change, of place: Place, by call: (Registration, () -> Void) -> Void
  ) {
    for registration in change.needsPrior ? change.registrations : change.withoutPrior {
      call(registration) {
        deliverPrior(of: place, change.old, next: change.new, to: [registration])
      }
    }
    deliver(change, of: place, by: call)
  }

  /// C5.
  func isEqual(_ old: Value, _ new: Value, for registration: Registration) -> Bool {
    registration.options.contains(.distinct) && registration.path.isComparable && old == new
  }

  // MARK: Transactions

  /// C11.
  func transact(_ body: () -> Void) {
    guard transaction == nil else { return body() }
    transaction = Transaction()
    body()
    lastChange += 1
    let id = lastChange
    noteEditsOfTransaction(id: id)
    let paths = transaction!.paths.sorted { $0.serial < $1.serial }
    for path in paths { pathDidChange(path, id: id) }
    let held = transaction!.held
    transaction = nil
    // The elements that left arrays are released after all deliveries, as are all that arrays had
    // before where an observation asks for them.
    let elements = held.filter { $0.place.property == .content }.flatMap { held in
      held.parts.map { part -> Value in
        guard case .nodes(let old) = part.old,
          !part.registrations.contains(where: { !$0.options.isDisjoint(with: [.old, .distinct]) })
        else { return part.old }
        return .nodes(old.filter { !arrays[held.place.node].contains($0) })
      }
    }
    let kept = held.filter(\.keepsObject).map(\.place.object) + elements
    holding(kept) {
      // All are queued before the first handler runs: its changes come after.
      var begun: [(Place, Turn)] = []
      var reached: [Registration] = []
      for held in held where held.place.property == .content || nodes[held.place.node] != nil {
        let turn = turns[held.place] ?? Turn()
        turns[held.place] = turn
        turn.waiting += held.parts.map { part in
          // C15: paths and arrays have values of their own. Elements removed from an array are part
          // of its change.
          let listeners = part.registrations.filter { listener in
            !listener.isOfPath || listener.array != nil && held.place.property == .a
          }
          return Change(
            id: id, old: listeners.contains(where: \.asksForOld) ? part.old : .nothing,
            new: listeners.isEmpty ? .nothing : value(of: held.place), needsPrior: true,
            registrations: part.registrations, paths: part.registrations.filter(\.isOfPath))
        }
        // C7: paths of a property that is being delivered wait for that, as its own observers do.
        if turn.isDelivering {
          reached += held.parts.flatMap(\.registrations)
        } else {
          begun.append((held.place, turn))
        }
        turn.isDelivering = true
      }
      joinElements(of: begun, held, id: id)
      holding(begun.map(\.0.object)) {
        for (place, turn) in begun { deliverWaiting(at: place, turn, rounds: 0) }
      }
      for path in paths where !reached.contains(where: { $0 === path }) {
        deliver(path, through: id)
      }
    }
  }

  private func changeInTransaction(
    _ place: Place, _ event: ArrayDelivery?, _ body: (Value) -> Value
  ) {
    for path in listeners(of: place) where role(of: path, at: place) == .path {
      guard !transaction!.paths.contains(where: { $0 === path }) else { continue }
      transaction!.paths.append(path)
      pathWillChange(path)
    }
    let old = value(of: place)
    let listeners = listeners(of: place)
    if !listeners.isEmpty { hold(old, at: place, for: listeners) }
    store(body(old), at: place)
    if let event { noteOrigins(of: place, after: event) }
  }

  /// Observations that wait already keep the value from before.
  private func hold(_ old: Value, at place: Place, for listeners: [Registration]) {
    if !transaction!.held.contains(where: { $0.place == place }) {
      // An array is retained, a node only if its first observer retains it.
      let first = listeners.first { !$0.isOfPath }
      let keepsObject = place.property == .content || first.map(retainsObject) ?? false
      transaction!.held.append(Transaction.Held(place: place, keepsObject: keepsObject))
    }
    let index = transaction!.held.firstIndex { $0.place == place }!
    if place.property == .content {
      // The recipients are decided when the batch is closed.
      if transaction!.held[index].isClosed, case .nodes(let elements) = old {
        transaction!.held[index].parts.append((old, []))
        transaction!.held[index].origins.append(Array(elements.indices))
      }
      transaction!.held[index].isClosed = false
      transaction!.held[index].readers += listeners
      return
    }
    let known = transaction!.held[index].parts.flatMap(\.registrations)
    let new = listeners.filter { listener in !known.contains { $0 === listener } }
    if !new.isEmpty { transaction!.held[index].parts.append((old, new)) }
  }
}
