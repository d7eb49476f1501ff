import Synchronization

/// The per-property object behind an `@Observed` property that is or was observed.
///
///     object ──▶ subject ──▶ infos       strong
///        ▲┄┄┄┄┄┄┄┄┘ ▲┄┄┄┄┄┄┄┄┄┘           unowned: keeps the address, not the object; not counted
///
/// It goes with the last storage of the property that holds it, and ends what it lists. What it lists
/// refers to it by `SubjectLink`.
///
/// A change passes `willChange` (only if somebody needs it), the store, `didChange`; see
/// `Subject+Changes.swift`. Who may touch the list of infos when: see `Phase`.
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
  let deferred = Locked<Deferred?>(nil)

  // The smallest last, where they fill a gap: a million subjects are 16 megabytes smaller.

  /// Who may touch `infos`, and what the infos need; see `Phase`.
  @usableFromInline let phase = Atomic<Phase.RawValue>(0)

  /// Whether the property is an object of its own, which does not know whose property it is: its
  /// observations are delivered with the objects that they were registered for.
  let isAtomic: Bool

  /// What the property is called, once somebody has asked; see `PropertyNames`.
  let name = Atomic<PropertyNames.Number>(0)

  /// Counts the changes of a property that several threads may change; of others those that may have
  /// been made by a getter, while a thread was tracking.
  let stamp = Atomic<UInt32>(0)

  init(owner: AnyObject? = nil, isAtomic: Bool = false) {
    knownOwner = owner.map { ObjectIdentifier($0) } ?? Self.nobody
    addressee = owner
    self.isAtomic = isAtomic
  }

  /// Ends what observes this property of its own object, and takes paths off that only passed it.
  ///
  /// Nobody can deliver or add here any more; other threads may be taking infos off, each, like
  /// this, under the lock of its registry.
  deinit {
    // Handlers are called without being retained, so that this must not go on.
    precondition(
      phase.load(ordering: .relaxed) & Phase.delivering == 0,
      "The storage of an observed property was replaced (`_name = …`) while a change of it was "
        + "being delivered; assign to the property instead")
    while let info = deferred.withLock({ _ in infos.first }) {
      info.site.registry.subjectWillGo(self, of: info)
    }
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

  static var needs: RawValue { needsOld | needsWillChange | isObserved }
  static var busy: RawValue { delivering | locked | hasDeferred }

  static func needs(of info: ObservationInfo) -> RawValue {
    let traits = info.traits
    return isObserved
      | (traits.isDisjoint(with: [.old, .distinct]) ? 0 : needsOld)
      | (traits.contains(.prior) || traits.contains(.path) && info.bracketedPath != nil
        ? needsWillChange : 0)
  }
}

extension Subject {
  /// Whether there is anybody to tell.
  @inlinable
  var isObserved: Bool {
    phase.load(ordering: .relaxed) & Phase.isObserved != 0
  }

  /// What waits until the delivery under way has reached everybody, or a transaction ends. An object, so that a subject
  /// that has nothing deferred, as most have, stays small. Guarded by the subject's lock.
  final class Deferred {
    /// The list as edited meanwhile.
    var infos: InfoList?

    /// Ended infos whose handlers the deliverer may still be reading.
    var ended: [ObservationInfo] = []

    /// Changes stored meanwhile, oldest first.
    private(set) var changes = Queue<DeferredChange>()

    /// How many have been added at the end since the last one was taken.
    private var added = 0

    /// What the change that is being delivered belongs to.
    private var chain: Chain?

    /// What a transaction holds back, also while nobody delivers.
    var held: HeldChange?

    init() {}

    init(held: HeldChange) {
      self.held = held
    }

    /// Adds a change where it was made: before those that getters made while paths were evaluated
    /// for it. A change without paths has number 0 and nobody to make others meanwhile; those of
    /// several threads come in the order in which they were stored.
    func insert(_ change: DeferredChange) {
      added += 1
      if change.id == 0 || change.maker != nil {
        changes.append(change)
      } else {
        changes.insert(change) { $0.id > change.id }
      }
    }

    /// Leaves out the prior delivery of the next change, which has been made.
    ///
    /// - Returns: Whether one waits.
    func omitFirstPrior() -> Bool {
      changes.visitFirst { $0.needsPrior = false }
      return !changes.isEmpty
    }

    /// The next change to deliver.
    ///
    /// - Parameters:
    ///   - isFirst: Whether nothing has been delivered in this turn.
    ///   - dropped: Receives changes that are part of a cycle.
    func next(isFirst: Bool, dropped: inout [DeferredChange]) -> DeferredChange? {
      let last = chain ?? Chain()
      // What this thread has added meanwhile, its handlers have made.
      var isRound = false
      changes.visitLast(added) { change in
        if change.maker == .current { change.chain = last }
        if change.maker == nil || change.maker == .current { isRound = true }
      }
      added = 0
      if isRound, !isFirst { last.rounds += 1 }
      while var change = changes.removeFirst() {
        let chain = change.chain ?? (change.maker == nil ? last : Chain())
        self.chain = chain
        if chain.rounds < ObservationDispatcher.maximumRounds { return change }
        change.chain = chain
        dropped.append(change)
      }
      return nil
    }
  }

  /// A change made while an earlier one is being delivered, with the values it was made with.
  struct DeferredChange {
    let id: UInt64
    let old: ValueBox?
    let new: ValueBox

    /// Whether the prior delivery waits for its turn as well.
    var needsPrior: Bool

    /// The infos registered when the change was made; later ones saw its value already.
    var infos: InfoList

    /// Those of its `Transition`: the paths that noted this change, also those that do not read the
    /// property any more.
    let paths: InfoList

    /// The thread that made it, where several may.
    var maker: ThreadIdentity?

    /// What it belongs to, if a handler is known to have made it.
    fileprivate(set) var chain: Chain?

    /// What it is recorded as by traces; 0 if it is not.
    var cause: UInt64 = 0

    init(
      id: UInt64, old: ValueBox?, new: ValueBox, needsPrior: Bool, infos: InfoList,
      paths: InfoList, maker: ThreadIdentity? = nil, cause: UInt64 = 0
    ) {
      (self.id, self.old, self.new, self.needsPrior) = (id, old, new, needsPrior)
      (self.infos, self.paths, self.maker, self.cause) = (infos, paths, maker, cause)
    }
  }

  /// The changes that handlers make because of one that came from elsewhere. Counted on its own, since
  /// other threads may make any number of changes while one thread delivers.
  final class Chain {
    /// How many of them have led to others, see `DeliveryRounds`.
    fileprivate(set) var rounds = 0

    /// Whether it has been reported that there were too many.
    var isReported = false
  }

  @inlinable
  var needsWillChange: Bool {
    @inline(__always) get { phase.load(ordering: .relaxed) & Phase.needsWillChange != 0 }
  }

  /// Whether anything has to be done before a mutation in place.
  @inlinable
  var needsWillMutate: Bool {
    @inline(__always) get {
      phase.load(ordering: .relaxed) & (Phase.needsWillChange | Phase.needsOld) != 0
    }
  }

  @inlinable
  var needsOld: Bool {
    @inline(__always) get { phase.load(ordering: .relaxed) & Phase.needsOld != 0 }
  }
}

/// `infos` follows `Phase`, everything else is atomic, locked or immutable.
extension Subject: @unchecked Sendable {}
