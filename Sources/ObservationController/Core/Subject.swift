import Synchronization

/// The per-property object behind an observed property.
///
///     object ──▶ subject ──▶ infos       strong
///        ▲┄┄┄┄┄┄┄┄┘ ▲┄┄┄┄┄┄┄┄┄┘           unowned: keeps the address, not the object; not counted
///
/// It is deallocated with the last storage of the property that holds it, and ends what it lists. What
/// it lists refers to it by `SubjectLink`.
///
/// For the way of a change see `Subject+Changes.swift`; for who may touch the list of infos, `Phase`.
@usableFromInline
final class Subject {
  /// The object that the property belongs to, compared with, never dereferenced; `nil` where the
  /// subject is part of its object, and can't get into another one.
  var owner: ObjectIdentifier? { knownOwner == Self.nobody ? nil : knownOwner }

  /// The same, `nobody` in place of `nil`: comparing an optional takes five instructions more.
  let knownOwner: ObjectIdentifier

  /// No object.
  static var nobody: ObjectIdentifier { ObjectIdentifier(Subject.self) }

  /// Keeps the address of the owner from being used again: a copy of the property's storage may
  /// keep this subject longer than the owner lives, and `owner` is nothing but the address.
  private unowned let addressee: AnyObject?

  /// Belongs to the thread that holds `Phase.delivering`, else to the holder of the lock.
  var infos = InfoList.none

  /// What has to wait for the delivery under way; its lock also guards edits of `infos`.
  let deferred = Locked<DeferredBox?>(nil)

  // The smallest last, where they fill a gap: a million subjects are 16 megabytes smaller.

  /// Who may touch `infos`, and what the infos need; see `Phase`.
  @usableFromInline let phase = Atomic<Phase.RawValue>(0)

  /// Whether the property is an object of its own, which does not know whose property it is: its
  /// observations are delivered with the objects that they were registered for.
  let isAtomic: Bool

  /// Number by which diagnostics know the name of the property; 0 until they need it.
  let name = Atomic<UInt16>(0)

  /// Counts the changes of a property that several threads may change, and of others those that were not
  /// delivered by the fast path.
  let stamp = Atomic<UInt32>(0)

  /// Where the transaction of a thread holds back a change, counted from 1; 0 if none does. Here, where it
  /// fills a gap.
  let heldIndex = Atomic<UInt32>(0)

  /// The property in the graph of derived values; `nil` until one of them reads it.
  let source = Atomic<Source.Reference?>(nil)

  /// Set for a derived property.
  let derived: DerivedTurn?

  init(owner: AnyObject? = nil, isAtomic: Bool = false, derived: DerivedTurn? = nil) {
    knownOwner = owner.map { ObjectIdentifier($0) } ?? Self.nobody
    addressee = owner
    self.isAtomic = isAtomic
    self.derived = derived
  }

  /// Ends what observes this property of its own object, and takes paths off that only passed it.
  ///
  /// Nobody can deliver or add here any more; other threads may be taking infos off, each, like
  /// this, under the lock of its store.
  deinit {
    // Handlers are called without being retained, so that this must not go on.
    precondition(
      phase.load(ordering: .relaxed) & Phase.delivering == 0,
      "The storage of an observed property was replaced (`_name = …`) while a change of it was "
        + "being delivered; assign to the property instead")
    endInfos()
    leaveGraph()
  }
}

extension Subject {
  /// Ends what observes this property of its own object, and takes paths off that only passed it.
  func endInfos() {
    while let info = latestInfos.first { info.registration.store.subjectWillGo(self, of: info) }
  }

  /// Whether the observations here are of `object`.
  ///
  /// They are not where the storage of another object was copied (`_name = other._name`): it
  /// brings a subject along whose infos this object has nothing to do with.
  @usableFromInline
  func isOwned(by object: AnyObject) -> Bool {
    knownOwner == ObjectIdentifier(object) || knownOwner == Self.nobody
  }
}

/// Who may touch a subject's list of infos.
///
/// - idle (no bit): the holder of the subject's lock edits the list in place.
/// - `delivering`: one thread calls the infos of the list, without a lock and without retaining
///   them; the list is not edited. Edits go to a copy, `Deferred.infos`, and `hasDeferred` is set.
/// - `locked`: the holder of the lock edits the list; whoever wants to deliver takes the lock too.
///
/// One compare-and-swap begins a delivery and one ends it; that replaces locking, unlocking, and
/// retaining and releasing a snapshot. `delivering` is also what makes a second change of the
/// property wait for its turn.
@usableFromInline
enum Phase {
  @usableFromInline typealias RawValue = UInt8

  static var delivering: RawValue { 1 << 0 }
  static var locked: RawValue { 1 << 1 }
  static var hasDeferred: RawValue { 1 << 2 }

  /// Some info needs the value before the change.
  @inlinable static var needsOld: RawValue { 1 << 3 }

  /// Some info has to act before the value is stored: a prior delivery, or a path's old value.
  @inlinable static var needsWillChange: RawValue { 1 << 4 }

  /// There is some info.
  @inlinable static var isObserved: RawValue { 1 << 5 }

  /// A derived value has read the property. Set under the subject's lock, and stays.
  @inlinable static var isRead: RawValue { 1 << 6 }

  /// A path follows the property that is evaluated after each store. It acts before a mutation in place, since
  /// the property can't be read during one, but not before an assignment.
  @inlinable static var isFollowed: RawValue { 1 << 7 }

  static var needs: RawValue { needsOld | needsWillChange | isObserved | isFollowed }
  static var busy: RawValue { delivering | locked | hasDeferred }

  static func needs(of info: ObservationInfo, isAtomic: Bool) -> RawValue {
    let traits = info.traits
    let followed = info.pathSink?.needs(isAtomic: isAtomic) ?? 0
    return isObserved
      | (traits.isDisjoint(with: [.old, .distinct]) ? 0 : needsOld)
      | (traits.contains(.prior) ? needsWillChange : 0) | followed
  }
}

extension Subject {
  /// Whether there is anybody to notify.
  @inlinable
  var isObserved: Bool {
    phase.load(ordering: .relaxed) & Phase.isObserved != 0
  }

  @inlinable
  var needsWillChange: Bool {
    @inline(__always) get { phase.load(ordering: .relaxed) & Phase.needsWillChange != 0 }
  }

  /// Whether a derived value has read the property, so that changes have to be marked.
  @inlinable
  var isRead: Bool {
    @inline(__always) get { phase.load(ordering: .relaxed) & Phase.isRead != 0 }
  }

  /// Whether an assignment takes more than storing and delivering.
  @inlinable
  var needsWillSet: Bool {
    @inline(__always) get {
      phase.load(ordering: .relaxed) & (Phase.needsWillChange | Phase.isRead) != 0
    }
  }

  func noteDerived() {
    deferred.withLock { _ in _ = phase.bitwiseOr(Phase.isRead, ordering: .relaxed) }
  }

  /// Whether a path follows the property.
  var isFollowed: Bool { phase.load(ordering: .relaxed) & Phase.isFollowed != 0 }

  /// Whether somebody acts before a mutation in place or an edit of an array.
  @inlinable
  var needsWillEdit: Bool {
    @inline(__always) get {
      phase.load(ordering: .relaxed) & (Phase.needsWillChange | Phase.isFollowed) != 0
    }
  }

  /// Whether anything has to be done before a mutation in place.
  @inlinable
  var needsWillMutate: Bool {
    @inline(__always) get {
      phase.load(ordering: .relaxed)
        & (Phase.needsWillChange | Phase.isFollowed | Phase.needsOld | Phase.isRead) != 0
    }
  }

  @inlinable
  var needsOld: Bool {
    @inline(__always) get { phase.load(ordering: .relaxed) & Phase.needsOld != 0 }
  }
}

extension Subject {
  /// What waits until the delivery under way has reached everybody. Guarded by the subject's lock.
  struct Deferred {
    /// The list as edited meanwhile.
    var infos: InfoList?

    /// Ended infos whose handlers the deliverer may still be reading.
    var ended: [ObservationInfo] = []

    /// Changes stored meanwhile.
    var queue = DeliveryQueue(reached: .max)

    /// What a transaction holds back of an atomic property, whose other changes become part of it.
    var held: HeldChange?

    /// Whether nothing waits for the delivery under way.
    var isIdle: Bool { infos == nil && ended.isEmpty && queue.isEmpty }
  }

  /// An object, so that a subject that has nothing deferred, as most have, stays small.
  final class DeferredBox {
    var value = Deferred()
  }

  /// Edits what is deferred, which may be nothing yet. Under the lock.
  func edit<Result>(_ box: inout DeferredBox?, _ body: (inout Deferred) -> Result) -> Result {
    let waiting = box ?? DeferredBox()
    box = waiting
    return body(&waiting.value)
  }

  /// Edits what is deferred.
  ///
  /// - Returns: `nil` if that is nothing.
  func ifDeferred<Result>(_ body: (inout Deferred) -> Result?) -> Result? {
    hasDeferred ? deferred.withLock { box in box.flatMap { body(&$0.value) } } : nil
  }
}

/// `infos` follows `Phase`, everything else is atomic, locked or immutable.
extension Subject: @unchecked Sendable {}
