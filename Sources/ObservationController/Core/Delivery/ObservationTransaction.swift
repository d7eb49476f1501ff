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
/// end too, before the change. What it changes in an ``ObservableArray``, edits and followed
/// properties of elements, is delivered as one ``ArrayChange/Kind/batch``; so it is in an
/// ``ObservableDictionary`` or an ``ObservableSet``.
///
/// Properties are delivered in the order in which they were first changed, to the observations of
/// each in the order of registration. Changes that handlers make then are delivered as usual. An
/// observation that begins inside of the transaction is notified of later changes.
///
/// A transaction inside another one is part of it. One inside of ``AtomicObserved/withLock(_:)``,
/// or of an in-place mutation of an ``AtomicObserved`` property, is delivered after that. One that
/// throws delivers the changes that were stored. Events, hooks and notifications do not wait.
///
/// - Parameter body: Runs on this thread, at once. Changes by other threads are delivered as usual
///   meanwhile, except for what this transaction has changed before: changes of an
///   ``AtomicObserved`` property become part of it, and a path or derived value that depends on
///   both changes is delivered at its end.
/// - Returns: The result of `body`.
/// - Complexity: That of `body` and of the deliveries.
public func withObservationTransaction<Result>(_ body: () throws -> Result) rethrows -> Result {
  guard ObservationTransaction.current == nil else { return try body() }
  return try DeliveryProbe.record(.transaction) {
    let transaction = ObservationTransaction()
    defer { transaction.deliver() }
    ThreadActivity.begin(ThreadActivity.transaction)
    defer { ThreadActivity.end(ThreadActivity.transaction) }
    // Alive, and with that valid as a pointer, until it has delivered.
    return try ThreadContext.with(\.transaction, Unmanaged.passUnretained(transaction).toOpaque()) {
      defer { transaction.settle() }
      return try body()
    }
  }
}

/// Changes of a transaction that are delivered at its end. Used only by the thread that runs it.
final class ObservationTransaction {
  /// Changed properties and arrays, in the order of their first change.
  ///
  /// Edits run no user code, and release no object of the user's: no two accesses overlap, and a
  /// check of exclusivity would find none.
  @exclusivity(unchecked) private(set) var changes: [HeldChange] = []

  /// Those to which `Subject.heldIndex` did not lead when they were added.
  @exclusivity(unchecked) private var unindexed: [ObjectIdentifier: HeldChange] = [:]

  /// Changes that have to be noted, see `noteChanges`: of arrays, and of what live views follow.
  var unnoted: [HeldChange] = []

  /// Changes of elements of arrays, to be joined.
  var joins = ElementJoins()

  /// Paths that depend on a change, held until they are evaluated.
  private(set) var paths = InfoList.none
  /// Paths that have been evaluated again, and that no other delivery reaches.
  private var evaluatedPaths = InfoList.none

  /// Number of all changes of the transaction, so that what changed in two ways is delivered once;
  /// 0 until its body has returned.
  private(set) var id: UInt64 = 0

  /// Last recorded change of each subject, and of each observation by its serial; `nil` if the
  /// transaction is not traced.
  @exclusivity(unchecked)
  private(set) var causes = DeliveryProbe.isInstalled ? [AnyHashable: UInt64]() : nil

  /// The transaction of this thread; inside of the access in place of an atomic property, it is
  /// begun when it is first asked for.
  static var current: ObservationTransaction? {
    ThreadActivity.isAnyInTransaction ? ofThread : nil
  }

  /// Not inlined into setters, where it would take registers outside of transactions too.
  @inline(never)
  private static var ofThread: ObservationTransaction? {
    ofThread(begins: true)
  }

  private static func ofThread(begins: Bool) -> ObservationTransaction? {
    guard let cell = ThreadCell.existing else { return nil }
    guard let pointer = cell.pointee.context.transaction else {
      return TaskAccess.transaction(in: cell, begins: begins)
    }
    // Alive for as long as the pointer is set.
    return Unmanaged<ObservationTransaction>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// The transaction of this thread, unless it would have to be begun.
  static var begun: ObservationTransaction? {
    ThreadActivity.isAnyInTransaction ? ofThread(begins: false) : nil
  }

  /// Begins one that `close` ends.
  static func open() -> ObservationTransaction {
    ThreadActivity.begin(ThreadActivity.transaction)
    return ObservationTransaction()
  }

  /// Ends one that was opened, and delivers it.
  func close(settling settle: () -> Void) {
    settle()
    ThreadActivity.end(ThreadActivity.transaction)
    deliver()
  }

  /// Holds back a change. `Subject.heldIndex` leads to it, unless a transaction of another thread
  /// holds back one of the property too.
  @discardableResult
  func add(_ change: HeldChange) -> HeldChange {
    changes.append(change)
    if let subject = change.subject {
      let isIndexed = subject.heldIndex.compareExchange(
        expected: 0, desired: UInt32(changes.count), ordering: .relaxed
      ).exchanged
      if !isIndexed { unindexed[ObjectIdentifier(subject)] = change }
    } else {
      unnoted.append(change)
    }
    return change
  }

  /// The change of a property; `nil` if this transaction does not hold one back.
  func change(of subject: Subject) -> HeldChange? {
    let index = Int(subject.heldIndex.load(ordering: .relaxed))
    if index > 0, index <= changes.count, changes[index - 1].subject === subject {
      return changes[index - 1]
    }
    return unindexed[ObjectIdentifier(subject)]
  }

  /// Whether `Subject.heldIndex` is the index of the change of a property.
  func hasIndexed(_ subject: Subject) -> Bool { unindexed[ObjectIdentifier(subject)] == nil }

  /// Holds back derived properties and paths with the change that they depend on; alone, where that
  /// has no observers.
  func hold(_ dependents: Dependents, of subject: Subject, of object: AnyObject) {
    guard !dependents.isEmpty else { return }
    noteCause(cause(of: subject), of: dependents)
    hold(dependents.paths)
    if subject.isAtomic, subject.ifDeferred({ $0.held?.hold(dependents) }) != nil { return }
    let change = change(of: subject) ?? add(HeldChange(of: subject))
    change.hold(dependents)
    // A subject must not be deallocated during its delivery, whose turn paths wait for.
    if case .released = change.holder, !dependents.paths.isEmpty {
      change.holder = subject.holder(of: object, among: dependents.paths) ?? .released
    }
  }

  /// Holds back paths until everything is evaluated at the end.
  func hold(_ dependents: InfoList) {
    dependents.visit { info in
      guard paths.insertIfNew(info) else { return }
      info.path?.hold()
    }
  }

  /// Has traces know an event as the cause of what is delivered at the end.
  func noteCause(_ event: UInt64, of dependents: Dependents) {
    guard causes != nil else { return }
    for subject in dependents.derived {
      causes?[ObjectIdentifier(subject)] = event
      subject.latestInfos.visit { causes?[$0.serial] = event }
    }
    dependents.paths.visit { causes?[$0.serial] = event }
  }

  /// Event that led to the last change of a property; 0 if it is not known.
  func cause(of subject: Subject) -> UInt64 { causes?[ObjectIdentifier(subject)] ?? 0 }
}

extension ObservationTransaction {
  /// Evaluates everything that depends on the changes. Changes that getters make meanwhile are part
  /// of the transaction too.
  func settle() {
    id = Subject.nextChangeID()
    AccessTracker.withoutTracking {
      for _ in 0..<ThreadContext.maximumRounds {
        guard !unnoted.isEmpty || !paths.isEmpty else { break }
        // Arrays before the paths that lead to them: a path that leads to another one merges the
        // two.
        noteChanges()
        evaluate(exchange(&paths, with: .none))
      }
      // Changes that getters still make after so many rounds.
      for change in unnoted { change.note(id: id) }
    }
  }

  /// Updates live views inside of the transaction, so that their changes are delivered with the
  /// rest.
  private func noteChanges() {
    for _ in 0..<ThreadContext.maximumRounds {
      // First those that follow paths of their elements. Not where these lead to an array whose
      // edits have yet to be recorded: they would be recorded by the view once more.
      let open = paths.filter { $0.isOfView && !($0.path?.awaitsEdits ?? false) }
      guard !unnoted.isEmpty || !open.isEmpty else { break }
      paths = paths.subtracting(open)
      evaluate(open)
      ObservationDispatcher.deliverPaths(open, through: id)
      // A view after all arrays that it follows, so that it is noted once.
      let depth = unnoted.lazy.map(\.viewDepth).min() ?? 0
      let new = unnoted.filter { $0.viewDepth == depth }
      unnoted.removeAll { $0.viewDepth == depth }
      for change in new { change.note(id: id) }
      for change in new { change.updateViews(id: id) }
    }
  }

  private func evaluate(_ open: InfoList) {
    open.visit { info in
      info.path?.endHold()
      info.path?.didChange(info, id: id)
      _ = evaluatedPaths.insertIfNew(info)
      if info.isPart { joins.add(info) }
    }
  }

  func deliver() {
    AccessTracker.withoutTracking {
      exchange(&changes, with: []).withUnsafeBufferPointer { changes in
        // All are queued before the first handler runs, whose changes come later.
        changes.visit { $0.isDue = $0.enqueue(in: self) }
        // Paths whose getters keep changing what they read: no transaction holds that back any
        // more, so that they detect the cycle themselves.
        evaluate(exchange(&paths, with: .none))
        joins.perform(id: id)
        changes.visit { if $0.isDue { $0.deliver() } }
      }
      ObservationDispatcher.deliverPaths(evaluatedPaths, through: id)
    }
  }

  /// Leaves paths to the delivery that a change waits for: it reaches them in its turn.
  func leave(_ paths: InfoList) {
    paths.visit { _ = evaluatedPaths.remove($0) }
  }
}
