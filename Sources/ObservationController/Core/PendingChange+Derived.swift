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
        delivery, of: object, toSpecial: info, through: id, recipient: &recipient)
    }
  }

  /// An info to notify.
  private struct Call {
    /// Held by the list of its subject, which is not edited before the turn has ended, or by the
    /// caller.
    let info: Unmanaged<ObservationInfo>
    let order: UInt128

    /// That of the derived property which the info observes, held by the subject of that.
    let turn: Unmanaged<DerivedTurn>?

    /// Whether it observes a path, which follows a derived property with others.
    let isPath: Bool

    init(_ info: ObservationInfo, turn: DerivedTurn? = nil, isPath: Bool = false) {
      (self.info, order) = (.passUnretained(info), info.order)
      (self.turn, self.isPath) = (turn.map { .passUnretained($0) }, isPath)
    }
  }

  private func deliver(
    with infos: ContiguousArray<ObservationInfo>,
    _ deliver: (ObservationInfo, inout ObservationRecipient) -> Void
  ) {
    var calls = infos.map { Call($0) }
    var paths = leftPaths
    var begun: [Subject] = []
    for subject in derived {
      if subject.isFollowed {
        subject.latestInfos.visit {
          if $0.path?.hasQueued(id) ?? false { _ = paths.insertIfNew($0) }
        }
      }
      guard let turn = subject.derived, !turn.isPostponed(subject), turn.begin(subject) else {
        continue
      }
      begun.append(subject)
      subject.infos.visit {
        if !$0.isPath { calls.append(Call($0, turn: turn)) }
      }
    }
    paths.visit { calls.append(Call($0, isPath: true)) }
    if calls.count > infos.count { calls.sort { $0.order < $1.order } }
    var recipient = ObservationRecipient()
    for call in calls {
      // The handler before may have dropped the observer.
      recipient.releaseIfLast()
      call.info._withUnsafeGuaranteedRef { info in
        if let turn = call.turn {
          turn._withUnsafeGuaranteedRef { $0.deliver(to: info, through: id, recipient: &recipient) }
        } else if !call.isPath {
          deliver(info, &recipient)
        } else if info.isActive {
          info.path?.deliver(info, through: id, to: &recipient)
        }
      }
    }
    recipient.releaseIfLast()
    for subject in begun { subject.derived?.end(subject) }
    withExtendedLifetime((infos, paths)) {}
  }
}
