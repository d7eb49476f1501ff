/// Delivery of a change to the observers of a property, and to those of the values that derive from
/// it, in the order of registration.
extension PendingChange {
  /// Evaluates the paths that have noted the change, or follow what derives from the property,
  /// right after the store. What comes of it is queued as this change.
  final func evaluatePaths() {
    paths.visit { $0.path?.didChange($0, id: id) }
    for subject in derived where subject.isFollowed { evaluatePaths(over: subject) }
  }

  /// Evaluates the paths that follow a derived property, where this has changed since.
  ///
  /// - Parameter before: A value before, at which it may be back.
  final func evaluatePaths(over subject: Subject, from before: DerivedTurn.Value? = nil) {
    guard let versions = subject.derived?.settledVersions(subject, from: before) else { return }
    subject.latestInfos.visit { info in
      guard let path = info.path else { return }
      path.derivedDidChange(info, of: subject, versions, id: id)
      if path.hasQueued(id), !subject.latestInfos.contains(info) {
        _ = leftPaths.insertIfNew(info)
      }
    }
  }

  /// Delivers to derived properties alone.
  final func deliverDerived() {
    AccessTracker.withoutTracking { deliver(with: []) { _, _ in } }
  }

  /// Delivers to derived properties, and to the observers of a stored one.
  ///
  /// - Parameter delivery: That of the stored property; the caller has its turn.
  final func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toEach infos: InfoList
  ) {
    guard !derived.isEmpty else {
      return ObservationDispatcher.deliver(delivery, of: object, toEach: infos, through: id)
    }
    deliver(with: infos.all) { [id] info, recipient in
      ObservationDispatcher.deliver(
        delivery, of: object, to: info, through: id, recipient: &recipient)
    }
  }

  /// An info to notify, held by the list of its subject, which is not edited before the turn has
  /// ended, or by the caller.
  private struct Call {
    enum Kind {
      case stored
      case path

      /// - Parameter isFirst: Whether it is the first of its subject, which the change holds.
      case derived(Unmanaged<Subject>, isFirst: Bool)
    }

    let info: Unmanaged<ObservationInfo>
    let order: UInt128
    let kind: Kind

    init(_ info: ObservationInfo, _ kind: Kind) {
      (self.info, order, self.kind) = (.passUnretained(info), info.order, kind)
    }
  }

  private func deliver(
    with infos: ContiguousArray<ObservationInfo>,
    _ deliver: (ObservationInfo, inout ObservationRecipient) -> Void
  ) {
    let derived = derived
    var calls = ContiguousArray<Call>()
    calls.reserveCapacity(infos.count + derived.count)
    for info in infos { calls.append(Call(info, .stored)) }
    var paths = leftPaths
    derived.withUnsafeBufferPointer { $0.visit { begin($0, &calls, &paths) } }
    paths.visit { calls.append(Call($0, .path)) }
    if calls.count > infos.count { calls.sort { $0.order < $1.order } }
    var recipient = ObservationRecipient()
    for call in calls {
      // The handler before may have dropped the observer.
      recipient.releaseIfLast()
      call.info._withUnsafeGuaranteedRef { info in
        switch call.kind {
        case .stored: deliver(info, &recipient)
        case .path: if info.isActive { info.path?.deliver(info, through: id, to: &recipient) }
        case .derived(let subject, _):
          subject._withUnsafeGuaranteedRef {
            $0.withTurn { $0.deliver(to: info, through: id, recipient: &recipient) }
          }
        }
      }
    }
    recipient.releaseIfLast()
    for case .derived(let subject, true) in calls.lazy.map(\.kind) {
      subject._withUnsafeGuaranteedRef { subject in subject.withTurn { $0.end(subject) } }
    }
    withExtendedLifetime((infos, paths, derived)) {}
  }

  /// Begins the delivery of a derived property, unless another thread or frame makes it.
  ///
  /// - Parameters:
  ///   - calls: Receives its observers.
  ///   - paths: Receives the paths over it that have queued this change.
  @inline(__always)
  private func begin(
    _ subject: Subject, _ calls: inout ContiguousArray<Call>, _ paths: inout InfoList
  ) {
    if subject.isFollowed {
      subject.latestInfos.visit {
        if $0.path?.hasQueued(id) ?? false { _ = paths.insertIfNew($0) }
      }
    }
    guard subject.withTurn({ !$0.isPostponed(subject) && $0.begin(subject) }) ?? false else {
      return
    }
    var isFirst = true
    subject.infos.visit {
      guard !$0.isPath else { return }
      calls.append(Call($0, .derived(.passUnretained(subject), isFirst: isFirst)))
      isFirst = false
    }
    if isFirst { subject.withTurn { $0.end(subject) } }
  }
}
