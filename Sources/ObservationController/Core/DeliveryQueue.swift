/// Changes whose delivery waits for its turn, and the turn itself. Guarded by the lock of its owner.
///
/// One thread at a time has the turn. It delivers what others add meanwhile, oldest first, so that two
/// deliveries neither overlap nor overtake each other. The turn of a stored property is a bit of its
/// subject (see `Phase`), so that a change that need not wait touches no queue.
///
///     queue.append(change)
///     guard queue.begin(through: change.id) else { return }
///     while let change = queue.next(dropped: &dropped) { … }
struct DeliveryQueue {
  private var changes = Queue<PendingChange>()

  /// Up to which number changes may be delivered now.
  private var reached: UInt64 = 0

  /// Whether a thread has the turn.
  private(set) var isDelivering = false

  /// How many changes have been added since the last one was taken.
  private var added = 0

  /// What the change that is being delivered belongs to; `nil` until it has led to others.
  private var chain: DeliveryChain?

  /// - Parameter reached: Up to which number changes may be delivered as soon as they are added.
  init(reached: UInt64 = 0) {
    self.reached = reached
  }
}

/// A change whose delivery waits for its turn. An object, since it is handed on several times: a copy would
/// count eight references.
final class PendingChange {
  /// 0 where nothing else takes part in the change.
  let id: UInt64

  /// The value before; `nil` if nobody asked for it.
  let old: ValueBox?

  /// The value after; `nil` for an array.
  let new: ValueBox?

  /// What is delivered of an array: the details of an `ArrayChange`.
  var details: AnyObject?

  /// The edit that these stand for: the same, unless they tell of everything in its place.
  var origin: AnyObject?

  var kind = ObservationDelivery.Kind.change

  /// Whether the prior delivery waits for its turn as well.
  var needsPrior = false

  /// Whether it stands for several changes.
  var isMerged = false

  /// The infos registered when the change was made; later ones saw its value already.
  var infos = InfoList.none

  /// Those of its `Subject.Transition`: the paths that noted this change, also those that do not read the
  /// property any more.
  var paths = InfoList.none

  /// Subjects of derived properties that the change leads to.
  var derived = DerivedDelivery.none

  /// What traces have recorded the change as, or what it was made because of; 0 if they have not.
  let cause: UInt64

  /// The thread that made the change: what other threads change is no cycle, however much it is.
  let maker = ThreadIdentity.current

  /// What the change belongs to, if a handler is known to have made it.
  fileprivate var chain: DeliveryChain?

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

/// The changes that handlers make because of one that came from elsewhere. Counted on its own, since
/// other threads may make any number of changes while one thread delivers.
final class DeliveryChain {
  /// How many of them have led to others. However many changes one delivery leads to, that may come to
  /// an end: a handler that numbers a thousand elements anew has made one round.
  fileprivate var rounds = 0

  /// Whether it has been reported that there were too many.
  fileprivate var isReported = false
}

// MARK: - What waits

extension DeliveryQueue {
  /// Whether nothing waits for the turn.
  var isEmpty: Bool { changes.isEmpty }

  var count: Int { changes.count }

  func isEmpty(through id: UInt64) -> Bool {
    isEmpty || changes.first.map { $0.id > id } ?? true
  }

  /// - Parameter isInOrder: Whether the change belongs before those with greater numbers, which getters
  ///   have made while it was on its way.
  mutating func append(_ change: PendingChange, isInOrder: Bool = false) {
    added += 1
    if isInOrder {
      changes.insert(change) { $0.id == 0 ? nil : $0.id > change.id }
    } else {
      changes.append(change)
    }
  }

  /// Adds the initial delivery, which comes before all others and is no round of a cycle.
  mutating func prependInitial(_ change: PendingChange) {
    change.chain = DeliveryChain()
    change.chain?.rounds = -1
    changes.prepend(change)
  }

  mutating func removeFirst() -> PendingChange? { changes.removeFirst() }

  /// Drops what waits, and leaves the turn to whoever has it.
  ///
  /// - Returns: What has waited, to be freed outside of every lock.
  mutating func removeAll() -> Queue<PendingChange> {
    var dropped = Queue<PendingChange>()
    swap(&dropped, &changes)
    added = 0
    return dropped
  }

  mutating func removeLast(where isWanted: (PendingChange) -> Bool) -> PendingChange? {
    changes.removeLast(where: isWanted)
  }

  /// The number of the change that tells of `origin`.
  ///
  /// - Complexity: O(1) for the first and the last change, which it mostly is; else O(n).
  func id(of origin: AnyObject) -> UInt64? {
    changes.only { $0.origin === origin }?.id
  }

  /// Whether a change waits.
  ///
  /// - Complexity: As `id(of:)`.
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
  /// Takes the turn, if nobody has it and something waits that has been reached.
  ///
  /// - Parameter id: Up to which number changes may be delivered from now on.
  mutating func begin(through id: UInt64) -> Bool {
    reached = max(reached, id)
    guard !isDelivering, !isEmpty(through: reached) else { return false }
    begin()
    return true
  }

  /// Has one change more be delivered, of changes that are numbered one after the other, and takes the turn
  /// for it if nobody has it.
  mutating func beginNext() -> Bool {
    guard !isDelivering else {
      reached += 1
      return false
    }
    reached = changes.first?.id ?? reached
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

  /// Has changes up to a number be delivered by whoever has the turn.
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

  /// The same where no rounds are counted, since the handler runs later than the change is made.
  mutating func take() -> PendingChange? {
    guard !isEmpty(through: reached) else {
      end()
      return nil
    }
    return changes.removeFirst()
  }

  /// Gives back the turn.
  mutating func end() {
    (isDelivering, added, chain) = (false, 0, nil)
  }

  /// What this thread has added since the last change was taken, its handlers have made.
  private mutating func noteRound() {
    guard added > 0 else { return }
    let chain = chain ?? DeliveryChain()
    var isRound = false
    changes.visitLast(added) { change in
      guard change.maker == .current else { return }
      change.chain = chain
      isRound = true
    }
    added = 0
    if isRound { chain.rounds += 1 }
  }
}
