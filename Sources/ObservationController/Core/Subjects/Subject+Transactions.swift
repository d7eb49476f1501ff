extension Subject {
  /// Has the transaction of this thread hold back a change that has been stored.
  ///
  /// - Returns: `false` for an object that is being deallocated, which can't be retained.
  func hold(
    of object: AnyObject, in transaction: ObservationTransaction, old: UnsafeRawPointer?,
    new: UnsafeRawPointer, with copier: ValueBox.Copier
  ) -> Bool {
    let infos = latestInfos
    let held = transaction.change(of: self)
    // Otherwise the order of deliveries would depend on whether the property was ever observed.
    if held == nil, infos.isEmpty { return true }
    func boxedOld() -> ValueBox? { needsValueBefore ? old.map(copier.box) : nil }
    let change = held ?? HeldChange(of: self, old: boxedOld(), for: infos)
    if case .released = change.holder {
      // New, or until now of dependents alone.
      guard let holder = holder(of: object, among: infos) else { return false }
      change.holder = holder
    }
    if held == nil { transaction.add(change) }
    // Others are read at the end: a copy would make a collection copy itself when it is mutated.
    if copier.isTrivial { change.new = copier.box(new) }
    let isNewList = held?.add(boxedOld, for: infos) ?? true
    if isNewList {
      if infos.hasViews {
        transaction.unnoted.append(change)
        infos.visit { if $0.isOfView, $0.isPart { $0.sink?.noteHeld() } }
      }
      if infos.hasElements { transaction.joins.add(change) }
    }
    return true
  }

  /// Whether an info needs the value before a change that is held back.
  var needsValueBefore: Bool { has(Phase.needsOld | Phase.needsWillChange) }

  /// Reference to the object until the end of the transaction: that of a store which has one, since
  /// a new weak reference would slow down counting the object's references for good.
  ///
  /// - Returns: `nil` if the object is being deallocated.
  func holder(of object: AnyObject, among infos: InfoList) -> ObservationInfo.Root? {
    if let info = infos.first(where: { $0.sink == nil }) ?? infos.first {
      if info.sink == nil, info.traits.contains(.retaining) { return .retained(object) }
      let root = info.withStoreLock { info.root }
      if root.object === object { return root }
    }
    let reference = WeakReference(object)
    // Elements of a live view's source are mostly retained by it, and may be retained until the
    // end.
    return reference.object.map { infos.hasViews ? .retained($0) : .unretained(reference) }
  }
}

extension InfoList {
  /// Whether there are live views, which are updated inside of the transaction.
  var hasViews: Bool { contains(where: \.isOfView) }

  /// Whether there are observations of arrays that follow the property of their elements.
  var hasElements: Bool { contains { $0.isPart && !$0.isOfView } }
}
