import Synchronization

/// A change of a subject, from before its store, where an info has to act then, to its delivery.
@usableFromInline
class SubjectChange: PendingChange {
  /// Whether the change has the turn to deliver; otherwise it is made inside another delivery.
  final var hasTurn: Bool

  /// Whether the value to come is known to be equal, so that no derived value changes.
  @usableFromInline final var isEqual = false

  /// Lock of an atomic property, which the thread that makes the change holds from the store on.
  final var lock: ExclusiveLock?

  /// Whether its delivery from the queue has begun, which reaches paths that have been evaluated.
  final let isDelivered = Atomic(false)

  /// Infos registered when the change was made; later ones begin with its value.
  @exclusivity(unchecked) final var infos = InfoList.none

  /// Infos without a prior delivery, for which the value seemed equal.
  @exclusivity(unchecked) final var leftOut = InfoList.none

  /// What depends on the change.
  @exclusivity(unchecked) final var dependents = Dependents()

  /// Paths that leave their evaluation to the change, since before the store.
  @exclusivity(unchecked) private(set) final var heldPaths = InfoList.none

  /// Sinks that wait for the end of the mutation in place.
  @exclusivity(unchecked) final var waitingSinks: [any Sink] = []

  /// - Parameter id: 0 where no info had to act before the store.
  @usableFromInline
  init(
    id: UInt64 = 0, old: ValueBox? = nil, new: ValueBox? = nil, cause: UInt64 = 0,
    hasTurn: Bool = false
  ) {
    self.hasTurn = hasTurn
    super.init(id: id, old: old, new: new, cause: cause, needsPrior: !hasTurn)
  }

  /// Whether no info had to act before the store.
  final var isPlain: Bool { id == 0 }

  /// Has a path leave its evaluation to the change.
  final func hold(_ info: ObservationInfo) {
    guard heldPaths.insertIfNew(info) else { return }
    _ = dependents.paths.insertIfNew(info)
    info.path?.hold()
  }

  /// Lets the paths be evaluated.
  final func endHolds() { exchange(&heldPaths, with: .none).visit { $0.path?.endHold() } }

  /// Adds what depends on the change, to what was found before the store.
  final func add(_ new: Dependents) { dependents.add(new) }
}

/// What depends on a property that has changed, found by marking.
struct Dependents {
  /// The subjects of derived properties whose observers are to be notified, each with a turn.
  var derived: [Subject] = []

  /// Nested and computed key paths to evaluate.
  var paths = InfoList.none

  var isEmpty: Bool { derived.isEmpty && paths.isEmpty }

  mutating func add(_ new: Dependents) {
    if !new.derived.isEmpty { derived += new.derived }
    new.paths.visit { _ = paths.insertIfNew($0) }
  }
}

/// Delivery of a change to the observers of a property, and to those of the derived properties and
/// paths that depend on it, in the order of registration.
extension Dependents {
  /// Delivers to derived properties and paths alone.
  ///
  /// - Parameter changed: The object that has changed, or the subject of the property.
  func deliver(of changed: AnyObject, through id: UInt64) {
    AccessTracker.withoutTracking {
      withUnsafePointer(to: ()) {
        let delivery = ObservationDelivery(old: nil, new: $0, kind: .change)
        deliverInOrder(delivery, of: changed, toEach: .none, through: id)
      }
    }
  }

  /// Delivers to derived properties, to paths, and to the observers of a stored property.
  ///
  /// - Parameter delivery: That of the stored property; the caller has its turn.
  @inline(__always)
  func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toEach infos: InfoList,
    through id: UInt64
  ) {
    if isEmpty {
      ObservationDispatcher.deliver(delivery, of: object, toEach: infos, through: id)
    } else {
      deliverInOrder(delivery, of: object, toEach: infos, through: id)
    }
  }

  /// Delivers as above, each call watched.
  ///
  /// - Parameter infos: Paths and derived properties are delivered to with these.
  @inline(never)
  func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toEach infos: InfoList,
    through id: UInt64, watch: CycleWatch
  ) {
    let calls = calls(to: infos)
    for call in calls {
      call.info._withUnsafeGuaranteedRef { info in
        if watch.leavesOut(info) { return call.passOver(delivery, through: id) }
        watch.call(info) {
          var recipient = ObservationRecipient()
          call.perform(delivery, of: object, through: id, to: &recipient)
        }
      }
    }
    end(calls)
  }

  @inline(never)
  private func deliverInOrder(
    _ delivery: ObservationDelivery, of object: AnyObject, toEach infos: InfoList,
    through id: UInt64
  ) {
    if infos.isEmpty, paths.isEmpty, derived.count == 1 {
      return deliver(delivery, of: object, toObserversOf: derived[0], through: id)
    }
    let calls = calls(to: infos)
    var recipient = ObservationRecipient()
    for call in calls {
      // The handler before may have dropped the observer.
      recipient.releaseIfLast()
      call.perform(delivery, of: object, through: id, to: &recipient)
    }
    recipient.releaseIfLast()
    end(calls)
  }

  /// Delivers to the observers of the only property that is notified, which are in order.
  private func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toObserversOf subject: Subject,
    through id: UInt64
  ) {
    guard let turn = begin(subject) else { return }
    var recipient = ObservationRecipient()
    subject.infos.visit { info in
      recipient.releaseIfLast()
      turn._withUnsafeGuaranteedRef { $0.deliver(to: info, through: id, recipient: &recipient) }
    }
    recipient.releaseIfLast()
    turn._withUnsafeGuaranteedRef { $0.end(subject) }
  }

  @inline(__always)
  private func calls(to infos: InfoList) -> ContiguousArray<Call> {
    var calls = ContiguousArray<Call>()
    calls.reserveCapacity(derived.count + 8)
    infos.visit { calls.append(Call($0, .stored)) }
    derived.withUnsafeBufferPointer { $0.visit { begin($0, &calls) } }
    paths.visit { calls.append(Call($0, .path)) }
    calls.sort { $0.order < $1.order }
    return calls
  }

  /// Gives back the turns of derived properties.
  @inline(__always)
  private func end(_ calls: ContiguousArray<Call>) {
    for case .derived(let turn, let subject?) in calls.lazy.map(\.kind) {
      turn._withUnsafeGuaranteedRef { turn in
        subject._withUnsafeGuaranteedRef { turn.end($0) }
      }
    }
  }

  /// An info to notify, held by the caller, or by the list of a derived property, which is not
  /// edited before the turn has ended.
  private struct Call {
    enum Kind {
      case stored
      case path

      /// - Parameter subject: That of the turn, which the change holds, for its first info alone.
      case derived(Unmanaged<DerivedTurn>, of: Unmanaged<Subject>?)
    }

    let info: Unmanaged<ObservationInfo>
    let kind: Kind

    init(_ info: ObservationInfo, _ kind: Kind) {
      (self.info, self.kind) = (.passUnretained(info), kind)
    }

    var order: UInt128 { info._withUnsafeGuaranteedRef { $0.order } }

    @inline(__always)
    func perform(
      _ delivery: ObservationDelivery, of object: AnyObject, through id: UInt64,
      to recipient: inout ObservationRecipient
    ) {
      info._withUnsafeGuaranteedRef { info in
        switch kind {
        case .stored:
          ObservationDispatcher.deliver(
            delivery, of: object, to: info, through: id, recipient: &recipient)
        case .path: if info.isActive { info.path?.deliver(info, through: id, to: &recipient) }
        case .derived(let turn, _):
          turn._withUnsafeGuaranteedRef {
            $0.deliver(to: info, through: id, recipient: &recipient)
          }
        }
      }
    }

    /// Takes the value for delivered.
    func passOver(_ delivery: ObservationDelivery, through id: UInt64) {
      info._withUnsafeGuaranteedRef { info in
        switch kind {
        case .stored:
          info.sink?.discard(through: id)
          info.path?.passOver(info, delivery)
        case .path: info.path?.discard(through: id)
        case .derived(let turn, _): turn._withUnsafeGuaranteedRef { $0.passOver(info) }
        }
      }
    }
  }

  /// Begins the delivery of a derived property, unless another thread or frame makes it.
  @inline(__always)
  private func begin(_ subject: Subject) -> Unmanaged<DerivedTurn>? {
    guard let turn = subject.turn,
      turn._withUnsafeGuaranteedRef({ !$0.isPostponed(subject) && $0.begin(subject) })
    else { return nil }
    return turn
  }

  /// Begins the delivery of a derived property.
  ///
  /// - Parameter calls: Receives its observers.
  @inline(__always)
  private func begin(_ subject: Subject, _ calls: inout ContiguousArray<Call>) {
    guard let turn = begin(subject) else { return }
    var first: Unmanaged<Subject>? = .passUnretained(subject)
    subject.infos.visit {
      calls.append(Call($0, .derived(turn, of: first)))
      first = nil
    }
    if first != nil { turn._withUnsafeGuaranteedRef { $0.end(subject) } }
  }
}
