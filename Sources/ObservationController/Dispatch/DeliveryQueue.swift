/// Changes whose delivery waits for its turn, and the turn itself. Guarded by the lock of its owner.
///
/// One thread at a time has the turn. It delivers what others add meanwhile, oldest first, so that two
/// deliveries neither overlap nor overtake each other. The turn of a stored property is a bit of its
/// subject (see `Phase`), so that a change that need not wait touches no queue.
///
///     var queue = DeliveryQueue<Values>()
///     queue.append(id: id, values, cause: cause)
///     guard queue.begin(through: id) else { return }
///     while let change = queue.next(dropped: &dropped) { … }
struct DeliveryQueue<Values> {
  /// A change whose delivery waits for its turn.
  struct Entry {
    fileprivate(set) var id: UInt64
    var values: Values

    /// The thread that made the change: what other threads change is no cycle, however much it is.
    let maker: ThreadIdentity

    /// What traces have recorded the change as, or what it was made because of; 0 if they have not.
    fileprivate(set) var cause: UInt64

    /// What the change belongs to, if a handler is known to have made it.
    fileprivate var chain: DeliveryChain?
  }

  private var entries = Queue<Entry>()

  /// How many entries, the last ones, a transaction holds back until its end.
  private var heldCount = 0

  /// Up to which change the entries may be delivered now.
  private var reached: UInt64 = 0

  /// Whether a thread has the turn.
  private(set) var isDelivering = false

  /// How many entries have been added since the last one was taken.
  private var added = 0

  /// What the change that is being delivered belongs to; `nil` until it has led to others.
  private var chain: DeliveryChain?

  /// - Parameter reached: Up to which change entries may be delivered as soon as they are added.
  init(reached: UInt64 = 0) {
    self.reached = reached
  }
}

/// The changes that handlers make because of one that came from elsewhere. Counted on its own, since
/// other threads may make any number of changes while one thread delivers.
final class DeliveryChain {
  /// How many of them have led to others. However many changes one delivery leads to, that may come to
  /// an end: a handler that numbers a thousand elements anew has made one round.
  fileprivate var rounds = 0

  /// Whether it has been reported that there were too many.
  private var isReported = false

  /// - Returns: Whether it had not been reported before.
  func noteReport() -> Bool {
    defer { isReported = true }
    return !isReported
  }
}

// MARK: - What waits

extension DeliveryQueue {
  /// Whether nothing waits for the turn.
  var isEmpty: Bool { entries.count == heldCount }

  /// Whether a transaction holds something back.
  var isHolding: Bool { heldCount > 0 }

  /// - Parameter isInOrder: Whether the change belongs before those with greater numbers, which getters
  ///   have made while it was on its way.
  mutating func append(id: UInt64, _ values: Values, cause: UInt64, isInOrder: Bool = false) {
    added += 1
    let entry = Entry(id: id, values: values, maker: .current, cause: cause)
    if isInOrder {
      entries.insert(entry) { $0.id > id }
    } else {
      entries.append(entry)
    }
  }

  /// Adds the values that a handler receives before all others.
  mutating func prepend(id: UInt64, _ values: Values, cause: UInt64) {
    entries.prepend(Entry(id: id, values: values, maker: .current, cause: cause))
  }

  func isEmpty(through id: UInt64) -> Bool { isEmpty || entries.first.map { $0.id > id } ?? true }

  mutating func removeFirst() -> Entry? { entries.removeFirst() }

  /// Drops what waits, and leaves the turn to whoever has it.
  ///
  /// - Returns: What has waited, to be freed outside of every lock.
  mutating func removeAll() -> Queue<Entry> {
    var dropped = Queue<Entry>()
    swap(&dropped, &entries)
    (added, heldCount) = (0, 0)
    return dropped
  }

  mutating func removeLast(where isWanted: (Entry) -> Bool) -> Entry? {
    entries.removeLast(where: isWanted)
  }

  func last(where isWanted: (Entry) -> Bool) -> Entry? {
    entries.last(where: isWanted)
  }

  mutating func visitFirst(_ body: (inout Values) -> Void) {
    entries.visitFirst { body(&$0.values) }
  }

  /// Holds values back for the transaction of this thread.
  mutating func hold(_ values: Values) {
    entries.append(Entry(id: .max, values: values, maker: .current, cause: 0))
    heldCount += 1
  }

  /// Visits what a transaction holds back.
  mutating func visitHeld(_ body: (inout Values) -> Void) {
    entries.visitLast(heldCount) { body(&$0.values) }
  }

  /// Has what a transaction has held back wait for its turn.
  mutating func release(id: UInt64, cause: UInt64, _ body: (inout Values) -> Void) {
    entries.visitLast(heldCount) { entry in
      (entry.id, entry.cause) = (id, cause)
      body(&entry.values)
    }
    (added, heldCount) = (added + heldCount, 0)
  }
}

// MARK: - The turn

extension DeliveryQueue {
  /// Takes the turn, if nobody has it and something waits that has been reached.
  ///
  /// - Parameter id: Up to which change entries may be delivered from now on.
  mutating func begin(through id: UInt64) -> Bool {
    reached = max(reached, id)
    guard !isDelivering, !isEmpty(through: reached) else { return false }
    begin()
    return true
  }

  /// Takes the turn for a change that need not wait, if nobody has it and nothing waits.
  mutating func beginAlone() -> Bool {
    guard !isDelivering, isEmpty else { return false }
    begin()
    return true
  }

  /// Takes the turn, which nobody else has.
  mutating func begin() {
    (isDelivering, added) = (true, 0)
    chain = nil
  }

  /// Has entries up to a change be delivered by whoever has the turn.
  mutating func reach(_ id: UInt64) {
    reached = max(reached, id)
  }

  /// Takes the next entry that has been reached. If there is none, gives back the turn.
  ///
  /// - Parameter dropped: Receives entries that belong to a chain of too many rounds (C8).
  mutating func next(dropped: inout [Entry]) -> Entry? {
    noteRound()
    while let entry = take() {
      chain = entry.chain
      if (entry.chain?.rounds ?? 0) < ObservationDispatcher.maximumRounds { return entry }
      dropped.append(entry)
    }
    return nil
  }

  /// The same where no rounds are counted, since the handler runs later than the change is made.
  mutating func take() -> Entry? {
    guard !isEmpty(through: reached) else {
      end()
      return nil
    }
    return entries.removeFirst()
  }

  /// Gives back the turn.
  mutating func end() {
    (isDelivering, added, chain) = (false, 0, nil)
  }

  /// What this thread has added since the last entry was taken, its handlers have made.
  private mutating func noteRound() {
    guard added > 0 else { return }
    let chain = chain ?? DeliveryChain()
    var isRound = false
    entries.visitLast(added) { entry in
      guard entry.maker == .current else { return }
      entry.chain = chain
      isRound = true
    }
    added = 0
    if isRound { chain.rounds += 1 }
  }
}

extension DeliveryQueue.Entry {
  /// Whether the report of the cycle that this was part of is still due.
  func noteReport() -> Bool { chain?.noteReport() ?? true }
}
