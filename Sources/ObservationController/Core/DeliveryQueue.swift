/// Changes whose delivery waits for its turn, and the turn itself. Guarded by the lock of its
/// owner.
///
/// One thread at a time has the turn. It delivers changes that others add meanwhile, oldest first,
/// so that two deliveries neither overlap nor overtake each other. The turn of a stored property is
/// a bit of its subject (see `Subject.Phase`), so that a change that need not wait touches no
/// queue.
///
///     queue.append(change)
///     guard queue.begin(through: change.id) else { return }
///     while let change = queue.next(dropped: &dropped) { … }
struct DeliveryQueue {
  private var changes = Queue<PendingChange>()

  /// Number up to which changes may be delivered now.
  private var reached: UInt64 = 0

  /// Whether a thread has the turn.
  private(set) var isDelivering = false

  /// Number of changes added since the last one was taken.
  private var added = 0

  /// Chain of the change that is being delivered; `nil` until it has led to others.
  private var chain: DeliveryQueue.Chain?
}

/// A change whose delivery waits for its turn. An object, since it is passed on several times, and
/// a copy would retain all its parts.
final class PendingChange {
  /// 0 where neither paths nor arrays take part in the change.
  let id: UInt64

  /// The value before; `nil` if it is not needed.
  let old: ValueBox?

  /// The value after; `nil` for an array.
  let new: ValueBox?

  /// Details of the `ArrayChange` to deliver, for an array.
  var details: AnyObject?

  /// Details of the edit that was made, which `details` may replace by a change of the whole array.
  var origin: AnyObject?

  var kind = ObservationDelivery.Kind.change

  /// Whether the prior delivery waits for its turn as well.
  var needsPrior = false

  /// Whether several changes have been merged into this one.
  var isMerged = false

  /// Infos registered when the change was made; later ones begin with its value.
  var infos = InfoList.none

  /// `Subject.Transition.paths`: the paths that noted this change, also those that no longer read
  /// the property.
  var paths = InfoList.none

  /// Derived properties that depend on the change.
  var derived = DerivedDelivery.none

  /// Number of the event that a trace has recorded for the change or its cause; 0 for none.
  let cause: UInt64

  /// Thread that made the change: any number of changes by other threads is no cycle.
  let maker = ThreadIdentity.current

  /// Chain that the change belongs to, if a handler has made it.
  fileprivate var chain: DeliveryQueue.Chain?

  init(id: UInt64 = 0, old: ValueBox? = nil, new: ValueBox? = nil, cause: UInt64 = 0) {
    (self.id, self.cause) = (id, cause)
    self.old = old
    self.new = new
  }

  /// Whether the report of the cycle that this was part of is still due.
  func noteReport() -> Bool {
    guard let chain else { return true }
    defer { chain.isReported = true }
    return !chain.isReported
  }
}

extension DeliveryQueue {
  /// Changes that handlers make because of one change from outside. Each chain is counted on its
  /// own, since other threads may make any number of changes while one thread delivers.
  final class Chain {
    /// Number of rounds: deliveries that have led to further changes. One delivery that makes a
    /// thousand changes is one round.
    fileprivate var rounds = 0

    /// Whether a cycle has been reported.
    fileprivate var isReported = false
  }
}

// MARK: - Pending changes

extension DeliveryQueue {
  /// Whether nothing waits for the turn.
  var isEmpty: Bool { changes.isEmpty }

  var count: Int { changes.count }

  func isEmpty(through id: UInt64) -> Bool {
    changes.first.map { $0.id > id } ?? true
  }

  /// - Parameter isInOrder: Whether the change belongs before those with greater numbers, which
  ///   getters have made since it was stored.
  mutating func append(_ change: PendingChange, isInOrder: Bool = false) {
    added += 1
    if isInOrder {
      changes.insert(change) { $0.id == 0 ? nil : $0.id > change.id }
    } else {
      changes.append(change)
    }
  }

  /// Adds the initial delivery, which comes before all others and counts as no round.
  mutating func prependInitial(_ change: PendingChange) {
    change.chain = DeliveryQueue.Chain()
    change.chain?.rounds = -1
    changes.prepend(change)
  }

  mutating func removeFirst() -> PendingChange? { changes.removeFirst() }

  /// Drops all pending changes. Leaves the turn as it is.
  ///
  /// - Returns: The changes, to be released outside of every lock.
  mutating func removeAll() -> Queue<PendingChange> {
    var dropped = Queue<PendingChange>()
    swap(&dropped, &changes)
    added = 0
    return dropped
  }

  mutating func removeLast(where isWanted: (PendingChange) -> Bool) -> PendingChange? {
    changes.removeLast(where: isWanted)
  }

  /// Number of the change whose edit is `origin`.
  ///
  /// - Complexity: O(1) for the first and the last change, which it mostly is; else O(n).
  func id(of origin: AnyObject) -> UInt64? {
    changes.only { $0.origin === origin }?.id
  }

  /// Whether a change waits.
  ///
  /// - Complexity: O(1) for the first and the last change, which it mostly is; else O(n).
  func contains(_ id: UInt64) -> Bool { changes.only { $0.id == id } != nil }

  /// Leaves out the prior delivery of the first change.
  ///
  /// - Returns: Whether there is one.
  func omitFirstPrior() -> Bool {
    changes.first?.needsPrior = false
    return !isEmpty
  }
}

// MARK: - The turn

extension DeliveryQueue {
  /// Takes the turn, if it is free and a pending change has been reached.
  ///
  /// - Parameter id: Number up to which changes may be delivered from now on.
  mutating func begin(through id: UInt64) -> Bool {
    reached = max(reached, id)
    guard !isDelivering, !isEmpty(through: reached) else { return false }
    begin()
    return true
  }

  /// Lets one more change be delivered, of changes with consecutive numbers, and takes the turn if
  /// it is free.
  mutating func beginNext() -> Bool {
    guard !isDelivering else {
      reached += 1
      return false
    }
    reached = changes.first?.id ?? reached
    begin()
    return true
  }

  /// Takes the turn for a change that need not wait, if the turn is free and nothing waits.
  mutating func beginAlone() -> Bool {
    guard !isDelivering, isEmpty else { return false }
    begin()
    return true
  }

  /// Takes the turn, which is free.
  mutating func begin() {
    // What this thread has queued without the turn began together.
    if count > 1 { assign(Chain()) }
    (isDelivering, added) = (true, 0)
    chain = nil
  }

  /// Lets changes up to a number be delivered by the thread that has the turn.
  mutating func reach(_ id: UInt64) {
    reached = max(reached, id)
  }

  /// Takes the next change that has been reached. If there is none, gives back the turn.
  ///
  /// - Parameter dropped: Receives changes that belong to a chain of too many rounds (C8).
  mutating func next(dropped: inout [PendingChange]) -> PendingChange? {
    noteRound()
    while let change = take() {
      chain = change.chain
      if (chain?.rounds ?? 0) < ObservationDispatcher.maximumRounds { return change }
      dropped.append(change)
    }
    return nil
  }

  /// Takes the next change that has been reached, where no rounds are counted, since the handler
  /// runs later than the change is made. If there is none, gives back the turn.
  mutating func take() -> PendingChange? {
    guard !isEmpty(through: reached) else {
      end()
      return nil
    }
    return changes.removeFirst()
  }

  /// Gives back the turn, if nothing waits for it.
  mutating func endIfEmpty() -> Bool {
    guard isEmpty else { return false }
    end()
    return true
  }

  /// Gives back the turn.
  mutating func end() {
    (isDelivering, added, chain) = (false, 0, nil)
  }

  /// Counts a round, if this thread has added changes since the last one was taken: its handlers
  /// made them.
  private mutating func noteRound() {
    guard added > 0 else { return }
    let chain = chain ?? Chain()
    if assign(chain) { chain.rounds += 1 }
    added = 0
  }

  /// Has the changes that this thread has added last be part of a chain.
  ///
  /// - Returns: Whether there are any.
  @discardableResult
  private func assign(_ chain: Chain) -> Bool {
    var hasAny = false
    changes.visitLast(added) { change in
      guard change.maker == .current else { return }
      change.chain = chain
      hasAny = true
    }
    return hasAny
  }
}
