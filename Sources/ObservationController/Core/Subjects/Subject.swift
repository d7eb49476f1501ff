import Synchronization

/// The object behind an observed property: the list of its observation infos, and the turn to
/// deliver.
///
///     object ──▶ subject ──▶ infos       strong
///        ▲┄┄┄┄┄┄┄┄┘ ▲┄┄┄┄┄┄┄┄┄┘           unowned: the address is kept, the object is not
///
/// It is deallocated with the last storage of the property that holds it, and ends what it lists.
/// The infos refer to it by `SubjectReference`.
///
/// For the stages of a change see `Subject+Changes.swift`; for the threads that may touch the list,
/// `Subject.Phase`.
@usableFromInline
final class Subject {
  // The order of the properties leaves no gaps: a million subjects take a million times what one
  // takes.

  /// The object that the property belongs to, as an address to compare; `noOwner` where the subject
  /// is part of its object and can't get into another one.
  let knownOwner: ObjectIdentifier

  /// Reserves the address of the owner: a copy of the property's storage may keep this subject for
  /// longer than the owner lives.
  private unowned let reservedOwner: AnyObject?

  /// Belongs to the thread that holds `Subject.Phase.delivering`, else to the holder of the lock: a
  /// check of exclusivity would be a second one, and one for each delivery.
  @exclusivity(unchecked) var infos = InfoList.none

  /// Edits and changes that wait for the delivery under way; `nil` until there are any. Used under
  /// the lock.
  @exclusivity(unchecked) private(set) var deferred: Deferred?

  /// Of a stored property its vertex in the graph, `nil` until a derived value reads it; of a
  /// derived property its `DerivedTurn`, retained.
  private let dependents: Atomic<UnsafeMutableRawPointer?>

  private let isDerived: Bool

  /// Whether several threads may change the property. It is an object of its own then, which does
  /// not know the object that it is a property of: observations are delivered with the objects that
  /// they were registered for.
  let isAtomic: Bool

  /// See `Subject.Phase`.
  @usableFromInline let phase = Atomic<Phase.RawValue>(0)

  /// Guards `deferred`, and edits of `infos`.
  let lock = BriefLock()

  /// Number of the name of the property; see `PropertyNames`.
  let name = Atomic<UInt16>(0)

  /// Counts changes: of an atomic property all, of others those that the fast path has not
  /// delivered.
  @usableFromInline let stamp = Atomic<UInt32>(0)

  /// Index among the entries of the transaction that holds back a change, counted from 1; 0 for
  /// none.
  let heldIndex = Atomic<UInt32>(0)

  init(owner: AnyObject? = nil, isAtomic: Bool = false, derived: DerivedTurn? = nil) {
    knownOwner = owner.map { ObjectIdentifier($0) } ?? Self.noOwner
    reservedOwner = owner
    self.isAtomic = isAtomic
    isDerived = derived != nil
    dependents = Atomic(derived.map { Unmanaged.passRetained($0).toOpaque() })
  }

  /// Ends the observations of this property of its own object, and detaches paths that lead through
  /// it.
  ///
  /// No thread delivers or adds infos any more; others may be removing infos, each, like this,
  /// under the lock of its store.
  deinit {
    // Handlers are called without being retained, so that this must not go on.
    precondition(
      phase.load(ordering: .relaxed) & Phase.delivering == 0, Self.replacedStorage)
    endInfos()
    leaveGraph()
    if isDerived, let turn = dependents.load(ordering: .relaxed) {
      Unmanaged<DerivedTurn>.fromOpaque(turn).release()
    }
  }
}

extension Subject {
  /// Message of the trap where user code has replaced the storage in the middle of a change.
  static var replacedStorage: String {
    "The storage of an observed property was replaced (`_name = …`) while a change of it was being "
      + "made or delivered; assign to the property instead"
  }

  /// No object.
  static var noOwner: ObjectIdentifier { ObjectIdentifier(Subject.self) }

  var owner: ObjectIdentifier? { knownOwner == Self.noOwner ? nil : knownOwner }

  @usableFromInline var isOfStoredProperty: Bool { !isDerived }

  /// The turn of a derived property.
  var derived: DerivedTurn? { turn?.takeUnretainedValue() }

  /// The turn of a derived property, not retained.
  var turn: Unmanaged<DerivedTurn>? {
    // Retained by `init` until `deinit`.
    isDerived
      ? dependents.load(ordering: .relaxed).map { Unmanaged<DerivedTurn>.fromOpaque($0) } : nil
  }

  /// The vertex of a stored property in the graph; `nil` until a derived value reads the property.
  var vertex: Vertex.Reference? {
    isDerived
      ? nil : dependents.load(ordering: .acquiring)?.assumingMemoryBound(to: Vertex.self)
  }

  /// Sets the vertex, unless another thread has set one.
  ///
  /// - Returns: The vertex of the other thread.
  func setVertex(_ new: Vertex.Reference) -> Vertex.Reference? {
    dependents.compareExchange(
      expected: nil, desired: UnsafeMutableRawPointer(new), ordering: .acquiringAndReleasing
    ).original?.assumingMemoryBound(to: Vertex.self)
  }

  /// Ends the observations of this property of its own object, and detaches paths that lead through
  /// it.
  func endInfos() {
    while let info = latestInfos.first {
      info.registration.store.subjectWillDeallocate(self, of: info)
    }
  }

  /// Whether the observations are of `object`.
  ///
  /// They are not where the storage of another object was copied (`_name = other._name`), which
  /// brings the subject of the other object along.
  func isOwned(by object: AnyObject) -> Bool {
    knownOwner == ObjectIdentifier(object) || knownOwner == Self.noOwner
  }

  /// Threads that may touch a subject's list of infos, and needs of the infos.
  ///
  /// - idle (no bit): the holder of the subject's lock edits the list in place.
  /// - `delivering`: one thread calls the infos of the list, without a lock and without retaining
  ///   them; the list is not edited. Edits go to a copy, `Deferred.infos`, and `hasDeferred` is
  ///   set.
  /// - `locked`: the holder of the lock edits the list; a thread that wants to deliver takes the
  ///   lock too.
  ///
  /// One compare-and-swap begins a delivery and one ends it; that replaces locking, unlocking, and
  /// retaining and releasing a snapshot. While `delivering` is set, other changes of the property
  /// wait.
  ///
  /// Legal while no thread delivers, edits the list or is in a transaction: none of `busy`; `needs`
  /// as the infos of the list say; `isPrepared` only with `isRead`, and both only for a stored
  /// property.
  @usableFromInline
  enum Phase {
    @usableFromInline typealias RawValue = UInt8

    static var delivering: RawValue { 1 << 0 }
    static var locked: RawValue { 1 << 1 }
    static var hasDeferred: RawValue { 1 << 2 }

    /// An info needs the value before the change.
    @inlinable static var needsOld: RawValue { 1 << 3 }

    /// An info acts before the value is stored, for a prior delivery.
    @inlinable static var needsWillChange: RawValue { 1 << 4 }

    /// There are infos.
    @inlinable static var isObserved: RawValue { 1 << 5 }

    /// A derived value or a path has read the property, so that changes are marked. Set under the
    /// subject's lock, and stays.
    @inlinable static var isRead: RawValue { 1 << 6 }
    /// A derived value has, which compares what is assigned, or a path that acts before that.
    @inlinable static var isPrepared: RawValue { 1 << 7 }
    /// An assignment or an edit of an array takes more than storing and delivering.
    @inlinable static var actsOnSet: RawValue { needsWillChange | isPrepared }

    /// A mutation in place takes more than storing and delivering.
    @inlinable static var actsOnMutation: RawValue { actsOnSet | needsOld | isRead }

    static var needs: RawValue { needsOld | needsWillChange | isObserved }
    static var busy: RawValue { delivering | locked | hasDeferred }

    static func needs(of info: ObservationInfo) -> RawValue {
      isObserved
        | (info.traits.isDisjoint(with: [.old, .distinct]) ? 0 : needsOld)
        | (info.traits.contains(.prior) ? needsWillChange : 0)
    }
  }

  /// Whether one of these bits of `Subject.Phase` is set.
  @inlinable
  func has(_ bits: Phase.RawValue) -> Bool { phase.load(ordering: .relaxed) & bits != 0 }

  /// Whether there are infos.
  @inlinable var isObserved: Bool { has(Phase.isObserved) }

  /// Whether a change has to be delivered or marked.
  @inlinable var isFollowedUp: Bool { has(Phase.isObserved | Phase.isRead) }

  /// Whether a derived value or a path has read the property, so that changes have to be marked.
  @inlinable var isRead: Bool { has(Phase.isRead) }

  /// Whether an assignment may have to be compared, or paths have to act before it.
  @inlinable var isPrepared: Bool { has(Phase.isPrepared) }

  @inlinable var needsOld: Bool { has(Phase.needsOld) }

  @inlinable var needsWillChange: Bool { has(Phase.needsWillChange) }

  /// Edits and changes that wait for the delivery under way. Guarded by the lock of the subject. An
  /// object, so that a subject without one stays small.
  final class Deferred {
    /// The list as edited meanwhile.
    var infos: InfoList?

    /// Infos that have ended, and whose handlers may be running.
    var ended: [ObservationInfo] = []

    /// Changes stored meanwhile.
    var queue = DeliveryQueue<SubjectChange>()

    /// Change of an atomic property that a transaction holds back; other changes become part of it.
    var held: HeldChange?

    // Changes may be delivered as soon as they are queued.
    init() { queue.reach(.max) }
  }

  /// Runs `body` under the lock of the subject.
  func withLock<Result>(_ body: () -> Result) -> Result {
    lock.lock(as: .subject)
    defer { lock.unlock(as: .subject) }
    return body()
  }

  /// Makes the object for edits and changes that wait, unless there is one. Under the lock.
  func makeDeferredLocked() -> Deferred {
    if let deferred { return deferred }
    let new = Deferred()
    deferred = new
    return new
  }

  /// Runs `body` with the edits and changes that wait, under the lock. A change that another thread
  /// is queueing may not be there yet.
  ///
  /// - Returns: `nil` if there are none.
  func ifDeferred<Result>(_ body: (Deferred) -> Result?) -> Result? {
    has(Phase.hasDeferred) ? withLock { deferred.flatMap(body) } : nil
  }
}

/// `infos` follows `Subject.Phase`, everything else is atomic, locked or immutable.
extension Subject: @unchecked Sendable {}
