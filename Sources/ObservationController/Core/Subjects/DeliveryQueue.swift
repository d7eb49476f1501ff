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
///     owner.drain(&drain)                       // see `QueueOwner`
struct DeliveryQueue<Change: PendingChange> {
  /// Oldest first. `nil` before `head`, for those that have been removed.
  private var changes: ContiguousArray<Change?> = []
  private var head = 0

  /// Number up to which changes may be delivered now.
  private var reached: UInt64 = 0

  /// Whether a thread has the turn.
  private(set) var isDelivering = false

  /// Number of changes added since the last one was taken.
  private(set) var added = 0

  /// Chain of the change that is being delivered; `nil` until it has led to others.
  private var chain: PendingChange.Chain?
}

/// A change that waits for its turn. An object, since it is passed on several times, and a copy
/// would retain all its parts.
///
/// Used by whoever has made it, then under the lock of the queue's owner, then by whoever has the
/// turn; no user code runs during an access, so that a check of exclusivity would find no overlap.
@usableFromInline
class PendingChange {
  /// Its place in the order of changes; 0 for none.
  @exclusivity(unchecked) final var id: UInt64

  /// The value before; `nil` if it is not needed.
  @exclusivity(unchecked) final var old: ValueBox?

  /// The value after, of an array the `ArrayChange`; `nil` for a derived property, whose value is
  /// not known yet.
  @exclusivity(unchecked) final var new: ValueBox?

  @exclusivity(unchecked) final var kind = ObservationDelivery.Kind.change

  /// Whether the prior delivery waits for its turn as well.
  @exclusivity(unchecked) final var needsPrior: Bool

  /// Whether several changes have been merged into this one, or it replaces changes that were
  /// dropped.
  @exclusivity(unchecked) final var isMerged = false

  /// Number of the event that a trace has recorded for the change or its cause; 0 for none.
  @exclusivity(unchecked) final var cause: UInt64

  /// Thread that made the change: any number of changes by other threads is no cycle.
  final let maker = ThreadIdentity.current

  /// Chain that the change belongs to, if a handler has made it.
  fileprivate final var chain: Chain?

  init(
    id: UInt64 = 0, old: ValueBox? = nil, new: ValueBox? = nil, cause: UInt64 = 0,
    needsPrior: Bool = false
  ) {
    (self.id, self.cause, self.needsPrior) = (id, cause, needsPrior)
    (self.old, self.new) = (old, new)
  }

  /// Whether the report of the cycle that this was part of is still due.
  final func noteReport() -> Bool {
    chain.map { !exchange(&$0.isReported, with: true) } ?? false
  }

  /// Whether the chain has had too many rounds.
  fileprivate final var isCutOff: Bool { (chain?.rounds ?? 0) >= ThreadContext.maximumRounds }

  /// Whether the chain is about to be cut off, so that it is noted whose calls continue it.
  final var isNearCutOff: Bool {
    (chain?.rounds ?? 0) >= ThreadContext.maximumRounds - Chain.notedRounds
  }

  /// Notes that a call of an observer has continued the chain.
  final func noteContinued(by info: ObservationInfo) {
    chain?.continuations[info.order, default: 0] += 1
  }

  /// Notes that a call of an observer has continued the chain after it was cut off: it is left out
  /// when the value that this has led to is delivered.
  final func noteContinuedAfterCutOff(by info: ObservationInfo) {
    chain?.continuations[info.order] = 2
    chain?.hasNewCause = true
  }

  /// Whether an observer keeps the chain going. One that has set the property once in the last
  /// rounds does not.
  final func isContinued(by info: ObservationInfo) -> Bool {
    chain?.continuations[info.order] ?? 0 > 1
  }

  /// Begins the delivery of the last value of the chain, which was cut off.
  ///
  /// - Returns: `false` if that has been delivered, and it is not known whose calls have changed it
  ///   again.
  final func beginLastDelivery() -> Bool {
    guard let chain, chain.rounds < 2 * ThreadContext.maximumRounds else { return false }
    return exchange(&chain.hasNewCause, with: false)
  }

  /// Changes that handlers make because of one change from outside. Each chain is counted on its
  /// own, since other threads may make any number of changes while one thread delivers.
  fileprivate final class Chain {
    /// Number of rounds before the cut-off in which it is noted whose calls continue the chain.
    static var notedRounds: Int { 20 }

    /// Number of rounds: deliveries that have led to further changes. One delivery that makes a
    /// thousand changes is one round.
    var rounds = 0

    /// Whether a cycle has been reported.
    var isReported = false

    /// In how many of the noted rounds a call of an info has continued the chain, by order.
    var continuations: [UInt128: Int] = [:]

    /// Whether the last value can be delivered: not yet, or others are left out than last time.
    var hasNewCause = true
  }
}

// MARK: - Pending changes

extension DeliveryQueue {
  /// Whether nothing waits for the turn.
  var isEmpty: Bool { head == changes.count }

  var count: Int { changes.count - head }

  var first: Change? { isEmpty ? nil : changes[head] }

  func isEmpty(through id: UInt64) -> Bool {
    first.map { $0.id > id } ?? true
  }

  mutating func append(_ change: Change) {
    added += 1
    changes.append(change)
  }

  /// Removes the first change, if its number is not above `id`.
  ///
  /// - Complexity: O(1) amortised.
  mutating func removeFirst(through id: UInt64) -> Change? {
    guard !isEmpty(through: id) else { return nil }
    // Nothing stands before or behind it.
    if changes.count == 1 { return changes.removeLast() }
    let first = changes[head].take()
    head += 1
    if isEmpty || head > 64 && head > changes.count / 2 {
      changes.removeSubrange(..<head)
      head = 0
    }
    return first
  }

  /// Drops all pending changes. Leaves the turn as it is.
  ///
  /// - Returns: The changes, to be released outside of every lock.
  mutating func removeAll() -> ContiguousArray<Change?> {
    (head, added) = (0, 0)
    return exchange(&changes, with: [])
  }

  /// The last change, if its number is `id`.
  func last(numbered id: UInt64) -> Change? {
    isEmpty ? nil : changes.last?.flatMap { $0.id == id ? $0 : nil }
  }

  /// Removes the last change, if its number is `id`.
  mutating func removeLast(numbered id: UInt64) -> Change? {
    changes.last??.id == id ? changes.removeLast() : nil
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

  /// Takes the turn for a change that need not wait, if the turn is free and nothing waits.
  mutating func beginAlone() -> Bool {
    guard !isDelivering, isEmpty else { return false }
    begin()
    return true
  }

  /// Takes the turn, which is free.
  mutating func begin() {
    // Changes that this thread has queued without the turn began together.
    if count > 1 { assign(PendingChange.Chain()) }
    (isDelivering, added) = (true, 0)
  }

  /// Lets changes up to a number be delivered by the thread that has the turn.
  mutating func reach(_ id: UInt64) {
    reached = max(reached, id)
  }

  /// Takes the next change that has been reached. If there is none, gives back the turn.
  ///
  /// - Parameter cutOff: Receives the next changes in place of that if they belong to a chain of
  ///   too many rounds (C8). Then the caller still has the turn, and calls this again. What is
  ///   added meanwhile belongs to the chain.
  mutating func next(cutOff: inout [Change]) -> Change? {
    // A round, if this thread has added changes since the last one was taken: its handlers made
    // them.
    if added > 0 {
      let chain = chain ?? PendingChange.Chain()
      if assign(chain) { chain.rounds += 1 }
      added = 0
    }
    guard let change = take() else { return nil }
    chain = change.chain
    guard change.isCutOff else { return change }
    cutOff.append(change)
    while let first, first.id <= reached, first.isCutOff, first.chain === chain {
      removeFirst(through: reached).map { cutOff.append($0) }
    }
    return nil
  }

  /// Takes the next change that has been reached, where another queue counts the rounds, as that of
  /// an array sink does for the path to its array. If there is none, gives back the turn.
  mutating func take() -> Change? {
    let next = removeFirst(through: reached)
    if next == nil { end() }
    return next
  }

  /// Whether this thread has added changes since there were `count` of them.
  func hasAdded(since count: Int) -> Bool {
    added > count
      && changes[max(head, changes.count - added + count)...].contains { $0?.maker == .current }
  }

  /// Replaces changes by one, from the value before the first of them to that after the last.
  ///
  /// - Returns: What is replaced, to be released outside of every lock.
  mutating func merge(_ ids: ClosedRange<UInt64>) -> [Change] {
    let merged = changes[head...].compactMap { $0.flatMap { ids.contains($0.id) ? $0 : nil } }
    guard let last = merged.last, merged.count > 1 else { return [] }
    swap(&last.old, &merged[0].old)
    (last.needsPrior, last.isMerged) = (merged[0].needsPrior, true)
    changes.removeAll { change in change !== last && merged.contains { $0 === change } }
    return merged
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

  /// Has the changes that this thread has added last be part of a chain.
  ///
  /// - Returns: Whether there are any.
  @discardableResult
  private func assign(_ chain: PendingChange.Chain) -> Bool {
    var hasAny = false
    for case let change? in changes[max(head, changes.count - added)...]
    where change.maker == .current {
      change.chain = chain
      hasAny = true
    }
    return hasAny
  }
}
