/// Delivery of a change to the observers of a property, and to those of the derived properties and
/// paths that depend on it, in the order of registration.
extension PendingChange {
  /// Evaluates the paths that depend on the change, right after the store. What comes of it is
  /// queued as this change.
  final func evaluatePaths() {
    paths.visit { $0.path?.didChange($0, id: id) }
  }

  /// Delivers to derived properties alone.
  final func deliverDerived() {
    AccessTracker.withoutTracking { deliver(with: []) { _, _ in } }
  }

  /// Delivers to derived properties, to paths, and to the observers of a stored property.
  ///
  /// - Parameter delivery: That of the stored property; the caller has its turn.
  final func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toEach infos: InfoList
  ) {
    guard !derived.isEmpty || !paths.isEmpty else {
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
    let paths = paths
    derived.withUnsafeBufferPointer { $0.visit { begin($0, &calls) } }
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
  /// - Parameter calls: Receives its observers.
  @inline(__always)
  private func begin(_ subject: Subject, _ calls: inout ContiguousArray<Call>) {
    guard subject.withTurn({ !$0.isPostponed(subject) && $0.begin(subject) }) ?? false else {
      return
    }

    var isFirst = true
    subject.infos.visit {
      calls.append(Call($0, .derived(.passUnretained(subject), isFirst: isFirst)))
      isFirst = false
    }
    if isFirst { subject.withTurn { $0.end(subject) } }
  }
}
