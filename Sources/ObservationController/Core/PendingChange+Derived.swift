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

      /// - Parameter subject: That of the turn, which the change holds, for its first info alone.
      case derived(Unmanaged<DerivedTurn>, of: Unmanaged<Subject>?)
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
        case .derived(let turn, _):
          turn._withUnsafeGuaranteedRef {
            $0.deliver(to: info, through: id, recipient: &recipient)
          }
        }
      }
    }
    recipient.releaseIfLast()
    for case .derived(let turn, let subject?) in calls.lazy.map(\.kind) {
      turn._withUnsafeGuaranteedRef { turn in
        subject._withUnsafeGuaranteedRef { turn.end($0) }
      }
    }
    withExtendedLifetime((infos, paths, derived)) {}
  }

  /// Begins the delivery of a derived property, unless another thread or frame makes it.
  ///
  /// - Parameter calls: Receives its observers.
  @inline(__always)
  private func begin(_ subject: Subject, _ calls: inout ContiguousArray<Call>) {
    guard let turn = subject.turn,
      turn._withUnsafeGuaranteedRef({ !$0.isPostponed(subject) && $0.begin(subject) })
    else { return }
    var first: Unmanaged<Subject>? = .passUnretained(subject)
    subject.infos.visit {
      calls.append(Call($0, .derived(turn, of: first)))
      first = nil
    }
    if first != nil { turn._withUnsafeGuaranteedRef { $0.end(subject) } }
  }
}
