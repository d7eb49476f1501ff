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
    guard new.hasBegun || noteBeginning(of: info, from: old) else { return }
    guard new.isOnly else { return unpin(info, new.object, from: old, to: &recipient) }
    guard !info.leavesOut(old, new.value) else { return }
    deliver(info, new.object, old: old, new: new.value, kind: .change, to: &recipient)
  }

  @inline(never)
  private func unpin(
    _ info: ObservationInfo, _ root: AnyObject, from old: ValueBox?,
    to recipient: inout ObservationRecipient
  ) {
    guard info.withStoreLock({ takePinLocked(of: info) }), let new = follow(info, root)
    else { return }
    if !info.leavesOut(old, new) {
      deliver(info, root, old: old, new: new, kind: .change, to: &recipient)
    }
    deliverReached(info, to: &recipient)
  }

  /// - Returns: Whether the path was pinned.
  private func takePinLocked(of info: ObservationInfo) -> Bool {
    guard let link = pin.take()?.link else { return false }
    _ = link.remove(info)
    return true
  }

  /// Follows the path as any other from now on.
  ///
  /// - Returns: The value that the first change begins with; the caller has to call `open`.
  private func follow(_ info: ObservationInfo, _ root: AnyObject) -> ValueBox? {
    var accesses = AccessTracker.track { _ = read(root) }
    return attach(info, to: &accesses, rereadingFrom: root)
  }

  /// Evaluates the path while the property reads as another value.
  ///
  /// - Parameter property: `nil` for the one that the path is pinned to.
  /// - Returns: `nil` if the path is not pinned, or the observation or its object has ended.
  ///   `isOnly`: the path has read nothing else. `hasBegun`: `beginning` was known before.
  private func evaluate(
    _ info: ObservationInfo, at value: UnsafeRawPointer, of property: SubjectReference? = nil
  ) -> (value: ValueBox, object: AnyObject, isOnly: Bool, hasBegun: Bool)? {
    let (object, property, hasBegun) = info.withStoreLock {
      (info.root.object, property ?? pin?.link, beginning != nil)
    }
    guard let object, let property else { return nil }
    var result: ValueBox?
    let only = AccessTracker.singleSubject(pinning: (property, value)) { result = read(object) }
    return result.map {
      ($0, object, only.map { ObjectIdentifier($0) } == property.identity, hasBegun)
    }
  }

  /// How a path has begun that was pinned then.
  enum Beginning {
    /// By its registration, with the value of the property at that moment.
    case registration
    /// By a change of another thread, which was delivered before the registration had evaluated the
    /// path, with the value before that, if it was needed.
    case change(from: ValueBox?)
  }

  /// Begins a path that has just been registered, at the value that the property had then.
  ///
  /// If a change has begun it, that has decided how the path is followed.
  ///
  /// - Returns: The value that the first change begins with, and whether the caller has to call
  ///   `open`, since the path reads something else too.
  func begin(
    _ info: ObservationInfo, of property: SubjectReference, at value: ValueBox
  ) -> (value: ValueBox?, isFollowed: Bool) {
    let own = value.withAddress { evaluate(info, at: $0, of: property) }
    let (earlier, isFollowed) = info.withStoreLock {
      let earlier = exchange(&beginning, with: .registration)
      return (earlier, earlier == nil && !(own?.isOnly ?? true) && takePinLocked(of: info))
    }
    guard let own else { return (nil, false) }
    if case .change(let old?) = earlier { return (old, false) }
    return isFollowed ? (follow(info, own.object), true) : (own.value, false)
  }

  /// Notes that a change begins the path, if its registration has not done so.
  ///
  /// - Returns: Whether the path is still pinned.
  private func noteBeginning(of info: ObservationInfo, from old: ValueBox?) -> Bool {
    info.withStoreLock {
      if beginning == nil { beginning = .change(from: old) }
      return pin != nil
    }
  }

  /// Removes the info from the property, whose object is being deallocated.
  func subjectWillGoLocked(_ subject: Subject, of info: ObservationInfo)
    -> (ended: ObservationInfo?, freed: [Any])
  {
    _ = subject.remove(info)
    return (pin.take()?.isOfRoot ?? false ? info : nil, [])
  }
}
