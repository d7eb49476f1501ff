/// What a transaction holds back.
extension Subject {
  /// The change of a property, from the first store in a transaction to its end.
  struct HeldChange {
    /// Those who are told, by when they began: an observation that begins inside of the transaction
    /// is told of what changes after that.
    fileprivate(set) var parts: [Part] = []

    struct Part {
      let old: ValueBox?
      let infos: InfoList
    }

    /// Whether the prior delivery to those of the first part is still to be made.
    var owesPrior = true

    /// The list as it was at the last change.
    fileprivate(set) var latest = InfoList.none
  }

  /// Whether a transaction holds back a change already, and nobody has begun to observe since.
  var isHeldUnchanged: Bool {
    deferred.withLock { deferred in
      guard let deferred, let held = deferred.held else { return false }
      return held.latest.isIdentical(to: deferred.infos ?? infos)
    }
  }

  /// Whether a transaction holds back a change.
  var isHeld: Bool {
    phase.load(ordering: .relaxed) & Phase.hasDeferred != 0
      && deferred.withLock { $0?.held != nil }
  }

  /// Has the transaction of this thread hold back a change that has been stored.
  ///
  /// - Returns: Whether it does; not for an object that is going, which nobody can hold.
  func hold(
    _ old: ValueBox?, of object: AnyObject, in transaction: ObservationTransaction
  ) -> Bool {
    let isFirst = deferred.withLock { $0?.held == nil }
    // Else the order of what is told would depend on whether somebody has observed this long ago.
    if isFirst, !latestInfos.contains(where: \.tellsSomebody) { return true }
    let holder = isFirst ? self.holder(of: object) : nil
    if let holder, holder.object == nil { return false }
    _ = hold(old)
    if let holder { transaction.add(ChangedProperty(self, holder: holder)) }
    return true
  }

  /// Holds back a change that has been stored.
  ///
  /// - Returns: Whether it is the first one.
  func hold(_ old: ValueBox?) -> Bool {
    deferred.withLock { deferred in
      let waiting = deferred ?? Deferred()
      deferred = waiting
      let isFirst = waiting.held == nil
      if isFirst { waiting.held = HeldChange() }
      waiting.held?.add(old, for: waiting.infos ?? infos)
      phase.bitwiseOr(Phase.hasDeferred, ordering: .relaxed)
      return isFirst
    }
  }

  /// Makes a change that has been stored part of one that a transaction holds back.
  ///
  /// - Returns: Whether there is one.
  func joinHeldChange(_ old: @autoclosure () -> ValueBox?) -> Bool {
    guard isHeld else { return false }
    _ = hold(old())
    return true
  }

  /// What keeps the object or knows it weakly until the end of the transaction: as somebody who
  /// observes it does already, since a weak reference makes counting its references slow for good.
  private func holder(of object: AnyObject) -> ObservationInfo.Root {
    let info = latestInfos.all.first { $0.path == nil && $0.follower == nil }
    if let info {
      let root = info.site.registry.root(of: info)
      if root.object === object { return root }
    }
    return .unretained(WeakReference(object))
  }

  func takeHeldChange() -> HeldChange? {
    deferred.withLock { deferred in
      defer { deferred?.held = nil }
      return deferred?.held
    }
  }

  /// Takes out what is held back for the elements of live views, which follow before all others.
  func takeHeldChangeOfViews() -> [HeldChange.Part] {
    func isTaken(_ info: ObservationInfo) -> Bool { info.isOfView && info.path == nil }
    guard latestInfos.contains(where: isTaken) else { return [] }
    return deferred.withLock { $0?.held?.takeParts(where: isTaken) ?? [] }
  }

  /// Queues what was held back.
  ///
  /// - Returns: Whether this has begun a delivery, for which `deliverQueued` has to be called.
  func enqueue(_ held: HeldChange, id: UInt64, new: ValueBox) -> Bool {
    enqueue(
      held.parts.enumerated().map { index, part in
        DeferredChange(
          id: id, old: part.old, new: new, needsPrior: index > 0 || held.owesPrior,
          infos: part.infos, paths: .none, maker: isAtomic ? .current : nil,
          cause: Tracer.causeInTransaction(of: self))
      })
  }
}

extension Subject.HeldChange {
  mutating func add(_ old: ValueBox?, for infos: InfoList) {
    guard !latest.isIdentical(to: infos) else { return }
    latest = infos
    let new = infos.subtracting(parts.map(\.infos))
    if !new.isEmpty { parts.append(Part(old: new.needsValueBefore ? old : nil, infos: new)) }
  }

  /// - Returns: The parts of those infos, which are told no more.
  mutating func takeParts(where isTaken: (ObservationInfo) -> Bool) -> [Part] {
    var taken: [Part] = []
    for index in parts.indices {
      let infos = parts[index].infos.filter(isTaken)
      guard !infos.isEmpty else { continue }
      taken.append(Part(old: parts[index].old, infos: infos))
      parts[index] = Part(
        old: parts[index].old, infos: parts[index].infos.filter { !isTaken($0) })
    }
    // Told of what changes after this as others are who have come later.
    if !taken.isEmpty { latest = .none }
    return taken
  }

  /// Somebody who can read the property.
  var reader: ObservationInfo? {
    parts.lazy.flatMap(\.infos.all).first { $0.path == nil }
  }
}

extension ObservationInfo {
  /// Whether this is more than a note of what is out of date.
  fileprivate var tellsSomebody: Bool { !(path?.isCache ?? false) }
}

extension InfoList {
  /// Whether somebody is told of the value before; paths have values of their own.
  fileprivate var needsValueBefore: Bool {
    all.contains { info in
      info.bracketedPath == nil && !info.traits.isDisjoint(with: [.old, .prior, .distinct])
    }
  }
}
