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
  /// Oldest first. `nil` before `head`, for those that have been removed.
  private var changes: ContiguousArray<PendingChange?> = []
  private var head = 0

  /// Number up to which changes may be delivered now.
  private var reached: UInt64 = 0

  /// Whether a thread has the turn.
  private(set) var isDelivering = false

  /// Number of changes added since the last one was taken.
  private var added = 0

  /// Chain of the change that is being delivered; `nil` until it has led to others.
  private var chain: DeliveryQueue.Chain?
}

/// A change on its way to its delivery: recorded before its store, where an info has to act then,
/// and waiting for its turn. An object, since it is passed on several times, and a copy would
/// retain all its parts.
@usableFromInline
class PendingChange {
  /// 0 where no info had to act before the store.
  final var id: UInt64

  /// The value before; `nil` if it is not needed.
  final var old: ValueBox?

  /// The value after, of an array the `ArrayChange`; `nil` for a derived property, whose value is
  /// not known yet.
  final var new: ValueBox?

  final var kind = ObservationDelivery.Kind.change

  /// Whether the change has the turn to deliver; otherwise it is made inside another delivery.
  final var hasTurn: Bool

  /// Whether the prior delivery waits for its turn as well.
  final var needsPrior: Bool

  /// Whether the value to come is known to be equal, so that no derived value changes.
  @usableFromInline final var isEqual = false

  /// Whether several changes have been merged into this one, or it replaces changes that were
  /// dropped.
  final var isMerged = false

  /// Infos registered when the change was made; later ones begin with its value.
  @exclusivity(unchecked) final var infos = InfoList.none

  /// Infos without a prior delivery, for which the value seemed equal.
  @exclusivity(unchecked) final var leftOut = InfoList.none
  /// Nested and computed paths that depend on the change, or did before the store.
  @exclusivity(unchecked) final var paths = InfoList.none
  /// Subjects of derived properties that depend on the change, each with a turn.
  @exclusivity(unchecked) final var derived: [Subject] = []
  /// Number of the event that a trace has recorded for the change or its cause; 0 for none.
  final var cause: UInt64

  /// Thread that made the change: any number of changes by other threads is no cycle.
  final let maker = ThreadIdentity.current

  /// Chain that the change belongs to, if a handler has made it.
  fileprivate final var chain: DeliveryQueue.Chain?

  @usableFromInline
  init(
    id: UInt64 = 0, old: ValueBox? = nil, new: ValueBox? = nil, cause: UInt64 = 0,
    hasTurn: Bool = false
  ) {
    (self.id, self.cause) = (id, cause)
    (self.hasTurn, needsPrior) = (hasTurn, !hasTurn)
    (self.old, self.new) = (old, new)
  }

  /// Adds what depends on the change, and opens it for the paths that have not noted it before.
  final func add(_ dependents: Dependents) {
    derived += dependents.derived
    dependents.paths.visit { if paths.insertIfNew($0) { $0.path?.openChange() } }
  }

  /// Whether no info had to act before the store.
  final var isPlain: Bool { id == 0 }

  /// Whether the report of the cycle that this was part of is still due.
  final func noteReport() -> Bool {
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
  var isEmpty: Bool { head == changes.count }

  var count: Int { changes.count - head }

  var first: PendingChange? { isEmpty ? nil : changes[head] }

  func isEmpty(through id: UInt64) -> Bool {
    first.map { $0.id > id } ?? true
  }

  /// - Parameter isInOrder: Whether the change belongs before those with greater numbers, which
  ///   getters have made since it was stored. Changes without a number have no place in the order;
  ///   one that is added comes before all that have one.
  /// - Complexity: O(k), k being the number of changes that belong after it: mostly none.
  mutating func append(_ change: PendingChange, isInOrder: Bool = false) {
    added += 1
    guard isInOrder else { return changes.append(change) }
    var place = changes.count
    for index in (head..<changes.count).reversed() {
      guard let other = changes[index], other.id != 0 else { continue }
      guard other.id > change.id else { break }
      place = index
    }
    changes.insert(change, at: place)
  }

  /// - Complexity: O(1) amortised.
  mutating func removeFirst() -> PendingChange? {
    guard !isEmpty else { return nil }
    let first = changes[head].take()
    head += 1
    if head == changes.count {
      changes.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 64, head > changes.count / 2 {
      changes.removeSubrange(..<head)
      head = 0
    }
    return first
  }

  /// Drops all pending changes. Leaves the turn as it is.
  ///
  /// - Returns: The changes, to be released outside of every lock.
  mutating func removeAll() -> ContiguousArray<PendingChange?> {
    (head, added) = (0, 0)
    return exchange(&changes, with: [])
  }

  /// Removes the last change, if `isWanted` returns `true` for it.
  mutating func removeLast(where isWanted: (PendingChange) -> Bool) -> PendingChange? {
    guard let last = changes.last ?? nil, isWanted(last) else { return nil }
    return changes.removeLast()
  }
}

// MARK: - The turn

extension DeliveryQueue {
  /// Takes the turn, if it is free and a pending change has been reached.
  ///
  /// - Parameter id: Number up to which changes may be delivered from now on.
  mutating func begin(through id: UInt64) -> Bool {
    reach(id)
    guard !isDelivering, !isEmpty(through: reached) else { return false }
    begin()
    return true
  }

  /// Lets one more change be delivered, of changes with consecutive numbers, and takes the turn if
  /// it is free.
  mutating func beginNext() -> Bool {
    begin(through: isDelivering ? reached + 1 : first?.id ?? reached)
  }

  /// Takes the turn for a change that need not wait, if the turn is free and nothing waits.
  mutating func beginAlone() -> Bool {
    guard !isDelivering, isEmpty else { return false }
    begin()
    return true
  }

  /// Takes the turn, which is free.
  mutating func begin() {
    // Changes that this thread has queued without the turn began together.
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
    return removeFirst()
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
    for case let change? in changes[max(head, changes.count - added)...]
    where change.maker == .current {
      change.chain = chain
      hasAny = true
    }
    return hasAny
  }
}
