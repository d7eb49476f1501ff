/// Runs `body`, and delivers the changes that it makes when it has returned: to each observation
/// once, with the values before and after.
///
///     withObservationTransaction {
///       rectangle.width = 20
///       rectangle.height = 10
///     }   // notifies an observer of the computed `area` once, never with 20 × the old height
///
/// Values are stored at once, and read as usual; only deliveries wait. `oldValue` is the value
/// before the transaction. With ``ObservationOptions/distinct``, nothing is delivered to an
/// observation whose value is back where it began; ``ObservationOptions/prior`` is delivered at the
/// end too, before the change. The edits of an ``ObservableArray`` are delivered as one
/// ``ArrayChange/Kind/batch``.
///
/// Properties are delivered in the order in which they were first changed, to the observations of
/// each in the order of registration. Changes that handlers make then are delivered as usual. An
/// observation that begins inside of the transaction is notified of later changes.
///
/// A transaction inside another one is part of it. One that throws delivers the changes that were
/// stored. Events, hooks and notifications do not wait.
///
/// - Parameter body: Runs on this thread, at once. Changes by other threads are delivered as usual
///   meanwhile, except for an ``AtomicObserved`` property that this transaction has changed before:
///   such changes become part of it.
/// - Returns: The result of `body`.
/// - Complexity: That of `body` and of the deliveries.
public func withObservationTransaction<Result>(_ body: () throws -> Result) rethrows -> Result {
  guard ObservationTransaction.current == nil else { return try body() }
  return try DeliveryProbe.record(.transaction) {
    let transaction = ObservationTransaction()
    defer { transaction.deliver() }
    return try transaction.run(body)
  }
}

/// Something that was changed in a transaction, until its end.
protocol ChangedInTransaction: AnyObject {
  /// Number of arrays that a live view follows, one by the other; 0 for everything else.
  var viewDepth: Int { get }

  /// Has sinks record the change that record changes as soon as they are stored.
  func note(id: UInt64)

  /// Updates live views, when all changes of their sources have been recorded.
  func updateViews(id: UInt64, in transaction: ObservationTransaction)

  /// Queues the change after those that are already being delivered.
  ///
  /// - Returns: Whether to deliver it; `false` if another thread or frame does.
  func enqueue(
    _ entry: inout ObservationTransaction.Entry, id: UInt64, in transaction: ObservationTransaction
  ) -> Bool

  /// Delivers queued changes.
  func deliver(_ entry: inout ObservationTransaction.Entry, id: UInt64)
}

extension ChangedInTransaction {
  var viewDepth: Int { 0 }

  func note(id: UInt64) {}

  func updateViews(id: UInt64, in transaction: ObservationTransaction) {}
}

/// Changes of a transaction that are delivered at its end. Used only by the thread that runs it.
final class ObservationTransaction {
  /// Changed properties and arrays, in the order of their first change.
  ///
  /// Edits run no user code, and release no object of the user's: no two accesses overlap, and a
  /// check of exclusivity would find none.
  @exclusivity(unchecked) var entries: [ObservationTransaction.Entry] = []

  /// Entries that have to be noted, see `noteChanges`.
  var unnoted: [any ChangedInTransaction] = []

  /// Derived properties that have been marked and that paths follow.
  private var followed: [Subject] = []

  /// Their values before the first change.
  private var followedValues: [ObjectIdentifier: DerivedTurn.Value] = [:]

  /// Sinks of live views that have gathered changes of elements.
  var gathering: [any Sink] = []

  /// Paths that have noted their old values.
  private(set) var paths = InfoList.none

  /// Paths that have been evaluated again.
  private var evaluatedPaths = InfoList.none

  /// Paths that other deliveries reach.
  private var left = InfoList.none

  /// Number of all changes of the transaction, so that what changed in two ways is delivered once.
  private var id: UInt64 = 0

  /// Last recorded change of each subject, and of each observation by its serial; `nil` if the
  /// transaction is not traced.
  private(set) var causes = DeliveryProbe.isInstalled ? [AnyHashable: UInt64]() : nil

  /// The transaction of this thread.
  static var current: ObservationTransaction? {
    ThreadActivity.isAnyInTransaction ? ofThread : nil
  }

  /// Not inlined into setters, where it would take registers outside of transactions too.
  @inline(never)
  private static var ofThread: ObservationTransaction? {
    guard let pointer = ThreadContext.current.transaction else { return nil }
    // `run` keeps it alive for as long as the pointer is set.
    return Unmanaged<ObservationTransaction>.fromOpaque(pointer).takeUnretainedValue()
  }

  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    ThreadActivity.begin(ThreadActivity.transaction)
    defer { ThreadActivity.end(ThreadActivity.transaction) }
    let pointer = Unmanaged.passUnretained(self).toOpaque()
    return try ThreadContext.with(\.transaction, pointer) {
      defer { settle() }
      return try body()
    }
  }

  /// - Parameter object: The object of a property, retained until the end.
  func add(_ change: any ChangedInTransaction, of object: AnyObject? = nil) {
    entries.append(
      ObservationTransaction.Entry(
        change: change, holder: object.map { .retained($0) } ?? .released))
  }

  /// Holds back derived properties with the change that they depend on; alone, where that has no
  /// observers, or is an edit of an array.
  func hold(_ derived: DerivedDelivery, of subject: Subject) {
    guard !derived.derived.isEmpty else { return }
    noteCause(cause(of: subject), of: derived.derived)
    for other in derived.derived where other.isFollowed {
      followed.append(other)
      let before = followedValues[ObjectIdentifier(other)] ?? other.derived?.latestValue
      followedValues[ObjectIdentifier(other)] = before
    }
    let isHeld =
      subject.isAtomic && subject.ifDeferred { $0.held?.derived += derived.derived } != nil
    guard !isHeld else { return }
    let index = index(of: subject) ?? entries.count
    if index == entries.count {
      entries.append(Entry(change: subject, isIndexed: subject.takeIndex(in: self)))
    }
    entries[index].held.derived += derived.derived
  }

  /// Has traces know an event as the cause of what subjects are delivered at the end.
  func noteCause(_ event: UInt64, of subjects: [Subject]) {
    guard causes != nil else { return }
    for subject in subjects {
      causes?[ObjectIdentifier(subject)] = event
      subject.latestInfos.visit { causes?[$0.serial] = event }
    }
  }

  /// Event that led to the last change of a property; 0 if it is not known.
  func cause(of subject: Subject) -> UInt64 { causes?[ObjectIdentifier(subject)] ?? 0 }
}

extension ObservationTransaction {
  /// Has paths note their old values before a store, instead of `Subject.willChange`.
  func willChange(_ subject: Subject) -> PendingChange {
    subject.notePaths { paths.insertIfNew($0) }
    return PendingChange(id: Subject.nextChangeID())
  }

  /// Takes over paths that have noted their old values for a change.
  ///
  /// - Parameter id: Number of that change.
  func takeOver(_ changed: InfoList, id: UInt64) {
    changed.visit { info in
      guard !paths.insertIfNew(info) else { return }
      // Two changes are open: this one ends, and the transaction's delivers both.
      info.path?.didChange(info, id: id)
    }
  }

  /// Evaluates everything that depends on the changes. Changes that getters make meanwhile are part
  /// of the transaction too.
  private func settle() {
    id = Subject.nextChangeID()
    AccessTracker.withoutTracking {
      var rounds = 0
      while !unnoted.isEmpty || !paths.isEmpty || !followed.isEmpty,
        rounds < ObservationDispatcher.maximumRounds
      {
        rounds += 1
        // Arrays before the paths that lead to them: a path that leads to another one merges the
        // two.
        noteChanges()
        evaluatePaths()
      }
      // Changes that getters still make after so many rounds.
      for change in unnoted { change.note(id: id) }
      deliverGathered()
    }
  }

  /// Updates live views inside of the transaction, so that their changes are delivered with the
  /// rest.
  private func noteChanges() {
    var rounds = 0
    while !unnoted.isEmpty || !gathering.isEmpty || paths.contains(where: \.isOfView),
      rounds < ObservationDispatcher.maximumRounds
    {
      rounds += 1
      // Before views are noted, whose elements may read views of their own depth.
      updateViewsByPaths()
      deliverGathered()
      // A view after all arrays that it follows, so that it is noted once.
      let depth = unnoted.lazy.map(\.viewDepth).min() ?? 0
      let new = unnoted.filter { $0.viewDepth == depth }
      unnoted.removeAll { $0.viewDepth == depth }
      for change in new { change.note(id: id) }
      for change in new { change.updateViews(id: id, in: self) }
    }
  }

  /// Updates live views of elements that have changed.
  private func deliverGathered() {
    let open = gathering
    gathering = []
    gathering += open.filter { !$0.deliverGathered(id: id) }
  }

  /// Updates live views that follow paths of their elements.
  private func updateViewsByPaths() {
    guard paths.contains(where: \.isOfView) else { return }
    // Not those that lead to an array whose edits have yet to be recorded: they would be recorded
    // by the view once more.
    let open = paths.filter { $0.isOfView && !($0.path?.awaitsEdits ?? false) }
    paths = paths.filter { !open.contains($0) }
    evaluate(open)
    ObservationDispatcher.deliverPaths(open, through: id)
  }

  private func evaluatePaths() {
    let open = paths
    paths = .none
    evaluate(open)
    var derived = DerivedDelivery(derived: followed, id: id)
    let values = followedValues
    (followed, followedValues) = ([], [:])
    derived.evaluatePaths(from: values)
    derived.leftPaths.visit { _ = evaluatedPaths.insertIfNew($0) }
  }

  private func evaluate(_ open: InfoList) {
    open.visit { info in
      info.path?.didChange(info, id: id)
      _ = evaluatedPaths.insertIfNew(info)
    }
  }

  func deliver() {
    AccessTracker.withoutTracking {
      var entries: [ObservationTransaction.Entry] = []
      swap(&entries, &self.entries)
      // All are queued before the first handler runs, whose changes come later.
      let queued = enqueue(&entries)
      // Paths whose getters keep changing what they read: no transaction holds that back any more,
      // so that they detect the cycle themselves.
      evaluatePaths()
      for index in queued { entries[index].change.deliver(&entries[index], id: id) }
      ObservationDispatcher.deliverPaths(evaluatedPaths, through: id)
    }
  }

  /// Leaves paths to the delivery that a change waits for: it reaches them in its turn.
  func leavePaths(among infos: InfoList) {
    infos.visit { if $0.isPath { _ = left.insertIfNew($0) } }
  }

  /// Queues all changes. In a frame of its own: handlers may lead to further transactions.
  ///
  /// - Returns: The indices of those that this transaction delivers.
  private func enqueue(_ entries: inout [ObservationTransaction.Entry]) -> [Int] {
    let queued = entries.indices.filter { index in
      entries[index].change.enqueue(&entries[index], id: id, in: self)
    }
    // All at once: one by one, n paths would take n² steps.
    evaluatedPaths = evaluatedPaths.subtracting(left)
    return queued
  }
}
