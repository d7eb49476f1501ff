/// Paths over one atomic property.
///
/// Each change of the property is one of the path, whatever other threads have set since: the
/// property lists the info, and the path is evaluated in the turn of the property, while that reads
/// as the value that is delivered.
extension PathObservation {
  /// Delivers a change of the property: from the value of the path before just that change to the
  /// value after it. The caller has the turn.
  ///
  /// A path that reads something else by now is followed as any other from here on; changes that
  /// are queued already are delivered with this one.
  func deliver(
    _ info: ObservationInfo, _ delivery: ObservationDelivery, of object: AnyObject,
    through id: UInt64, to recipient: inout ObservationRecipient
  ) {
    guard let new = evaluate(info, at: delivery.new) else { return endIfRootIsGone(info) }
    // Changes of one property are contiguous: the last one led to the value before this one.
    var old = keepsValue ? new.value : nil
    // Once it has ended, nobody takes the value out.
    state.withLock { if info.isActive { swap(&old, &$0.kept) } }
    guard new.isOnly else { return unpin(info, new.object, from: old, to: &recipient) }
    guard !info.leavesOut(old, new.value) else { return }
    deliver(info, new.object, old: old, new: new.value, kind: .change, to: &recipient)
  }

  /// Takes the value for delivered that a cycle has led to, to a handler that keeps it going.
  func passOver(_ info: ObservationInfo, _ delivery: ObservationDelivery) {
    guard keepsValue, let new = evaluate(info, at: delivery.new) else { return }
    // Freed outside of the lock.
    var value: ValueBox? = new.value
    state.withLock { if info.isActive { swap(&value, &$0.kept) } }
  }

  private func unpin(
    _ info: ObservationInfo, _ root: AnyObject, from old: ValueBox?,
    to recipient: inout ObservationRecipient
  ) {
    let wasPinned = info.withStoreLock {
      guard let link = pin.take()?.link else { return false }
      _ = link.remove(info)
      return true
    }
    guard wasPinned else { return }
    var accesses = AccessTracker.track { _ = read(root) }
    guard let new = attach(info, to: &accesses, rereadingFrom: root) else { return }
    if !info.leavesOut(old, new) {
      deliver(info, root, old: old, new: new, kind: .change, to: &recipient)
    }
    deliverReached(info, to: &recipient)
  }

  /// Evaluates the path while the property reads as another value.
  ///
  /// - Returns: `nil` if the path is not pinned, or the observation or its object has ended.
  ///   `isOnly`: the path has read nothing else.
  private func evaluate(
    _ info: ObservationInfo, at value: UnsafeRawPointer
  ) -> (value: ValueBox, object: AnyObject, isOnly: Bool)? {
    let (object, property) = info.withStoreLock { (info.root.object, pin?.link) }
    guard let object, let property else { return nil }
    var result: ValueBox?
    let only = AccessTracker.singleSubject(pinning: (property, value)) { result = read(object) }
    return result.map { ($0, object, only.map { ObjectIdentifier($0) } == property.identity) }
  }

  /// Registers a path at the value that it has read last, while the property has not changed since:
  /// the first change begins with that.
  ///
  /// - Parameter property: The one that the path is pinned to.
  /// - Returns: `nil` if the path reads something else too, or the property changes each time that
  ///   it is read: the path is not pinned any more.
  func register(
    _ info: ObservationInfo, of object: AnyObject, reading property: any AtomicProperty
  ) -> (info: ObservationInfo, isNew: Bool, value: ValueBox?)? {
    for _ in 0..<ThreadContext.maximumRounds {
      let stamp = property.subject.stamp.load(ordering: .acquiring)
      var value: ValueBox?
      let only = AccessTracker.singleSubject { value = read(object) }
      guard only === property.subject else { break }
      if keepsValue { state.withLock { $0.kept = value } }
      let registered = registration.store.add(info, of: object, reading: property, since: stamp)
      if registered.isNew || registered.info !== info {
        return (registered.info, registered.isNew, value)
      }
    }
    pin = nil
    return nil
  }

  /// Removes the info from the property, whose object is being deallocated.
  func subjectWillDeallocateLocked(_ subject: Subject, of info: ObservationInfo)
    -> (ended: ObservationInfo?, freed: [Any])
  {
    _ = subject.remove(info)
    return (pin.take()?.isOfRoot ?? false ? info : nil, [])
  }
}
