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
    guard let new = evaluate(info, at: delivery.new) else { return }
    // Changes of one property are contiguous: the last one led to the value before this one.
    var old = keepsValue ? new.value : nil
    state.withLock { swap(&old, &$0.kept) }
    if old == nil { old = delivery.old.flatMap { evaluate(info, at: $0)?.value } }
    guard new.isOnly else { return unpin(info, new.object, from: old, to: &recipient) }
    guard !info.leavesOut(old, new.value) else { return }
    deliver(info, new.object, old: old, new: new.value, kind: .change, to: &recipient)
  }

  @inline(never)
  private func unpin(
    _ info: ObservationInfo, _ root: AnyObject, from old: ValueBox?,
    to recipient: inout ObservationRecipient
  ) {
    guard let new = unpin(info, root) else { return }
    if !info.leavesOut(old, new) {
      deliver(info, root, old: old, new: new, kind: .change, to: &recipient)
    }
    deliverReached(info, to: &recipient)
  }

  /// Follows the path as any other from now on.
  ///
  /// - Parameter root: The object that it starts from.
  /// - Returns: The value that the first change begins with; the caller has to call `open`.
  func unpin(_ info: ObservationInfo, _ root: AnyObject) -> ValueBox? {
    info.registration.store.state.withLock { _ in
      if let link = pin.take()?.link { _ = link.remove(info) }
    }

    var accesses = AccessTracker.track { _ = read(root) }
    return attach(info, to: &accesses, rereadingFrom: root)
  }

  /// Evaluates the path while the property reads as another value.
  ///
  /// - Returns: `nil` if the path is not pinned, or the observation or its object has ended.
  ///   `isOnly`: the path has read nothing else.
  private func evaluate(
    _ info: ObservationInfo, at value: UnsafeRawPointer
  ) -> (value: ValueBox, object: AnyObject, isOnly: Bool)? {
    let (object, property) = info.registration.store.state.withLock { _ in
      (info.root.object, pin?.link)
    }
    guard let object, let property else { return nil }
    var result: ValueBox?
    let only = AccessTracker.singleSubject(pinning: (property, value)) { result = read(object) }
    return result.map { ($0, object, only.map { ObjectIdentifier($0) } == property.identity) }
  }

  /// Evaluates a path that has just been registered, at the value that the property had then.
  ///
  /// - Returns: `nil` if it reads something else too.
  func beginPinned(_ info: ObservationInfo, at value: ValueBox) -> ValueBox? {
    value.withAddress { evaluate(info, at: $0) }.flatMap { $0.isOnly ? $0.value : nil }
  }

  /// Removes the info from the property, whose object is being deallocated.
  func subjectWillGoLocked(_ subject: Subject, of info: ObservationInfo)
    -> (ended: ObservationInfo?, freed: [Any])
  {
    _ = subject.remove(info)
    return (pin.take()?.isOfRoot ?? false ? info : nil, [])
  }
}
