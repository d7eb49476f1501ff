/// Runs `body`, and tells of what it changes when it has returned: each observation once, with the
/// values before and after.
///
///     withObservationTransaction {
///       rectangle.width = 20
///       rectangle.height = 10
///     }   // an observer of the computed `area` is told once, and never sees 20 × the old height
///
/// Values are stored at once, and read as usual; only telling waits. `oldValue` is the value before
/// the transaction. With ``ObservationOptions/distinct`` an observation is not told if its value is
/// back where it began; ``ObservationOptions/prior`` is delivered at the end too, before the change.
/// The edits of an ``ObservableArray`` are told as one ``ArrayChange/Kind/batch``.
///
/// Properties are told in the order in which they were first changed, the observations of each in the
/// order of registration. What handlers change then is told as usual. An observation that begins
/// inside of the transaction is told of what changes after that.
///
/// A transaction inside another one is part of it. One that throws tells what was stored. Events,
/// hooks and notifications do not wait.
///
/// - Parameter body: Runs on this thread, at once. What other threads change meanwhile is told as
///   usual, but for an ``AtomicObserved`` property that this transaction has changed before: such
///   changes become part of it.
/// - Returns: What `body` returns.
/// - Complexity: That of `body`, plus what it costs to tell.
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
  /// How many arrays a live view follows, one by the other; 0 for everything else.
  var viewDepth: Int { get }

  /// Has those record the change who do so as soon as it is stored.
  func note(id: UInt64)

  /// Has live views follow, when everything that they follow has been recorded.
  func updateViews(id: UInt64, in transaction: ObservationTransaction)

  /// Queues what is to be delivered, behind what is already being delivered.
  ///
  /// - Returns: Whether to deliver it; `false` if somebody else will.
  func enqueue(_ entry: inout HeldEntry, id: UInt64) -> Bool

  /// Delivers what has been queued.
  func deliver(_ entry: inout HeldEntry, id: UInt64)
}

extension ChangedInTransaction {
  var viewDepth: Int { 0 }

  func note(id: UInt64) {}

  func updateViews(id: UInt64, in transaction: ObservationTransaction) {}
}

/// What the changes of a transaction leave to be delivered at its end.
///
/// Used by the thread that runs it alone.
final class ObservationTransaction {
  /// What was changed, in the order of the first change.
  private(set) var entries: [HeldEntry] = []

  /// Those of them that have to be noted, see `noteChanges`.
  var unnoted: [any ChangedInTransaction] = []

  /// Derived properties that have been marked and that paths follow.
  private var followed: [Subject] = []

  /// What derives from properties that nobody else observes, by their subjects.
  private var groups: [ObjectIdentifier: DerivedGroup] = [:]

  /// The live views that have changes of elements to follow.
  var gathering: [any Sink] = []

  /// The paths that have noted their old values.
  private(set) var paths = InfoList.none

  /// The same, evaluated again.
  private var evaluatedPaths = InfoList.none

  /// Numbers all changes that come of it, so that what changed in two ways is delivered once.
  private var id: UInt64 = 0

  /// The transaction of this thread.
  static var current: ObservationTransaction? {
    ThreadActivity.isAnyInTransaction ? ofThread : nil
  }

  /// Not inlined into setters, where it would take registers from those who are in no transaction.
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
    edit {
      $0.append(HeldEntry(change: change, holder: object.map { .retained($0) } ?? .released))
    }
  }

  /// Edits the entries, which are moved out and back, so that no access to them needs a check of
  /// exclusivity.
  ///
  /// - Parameter body: Runs no code of a user's, and frees nothing of one: what that changes would be lost.
  @inline(__always)
  func edit<Result>(_ body: (inout [HeldEntry]) -> Result) -> Result {
    var entries: [HeldEntry] = []
    swap(&entries, &self.entries)
    defer { swap(&entries, &self.entries) }
    return body(&entries)
  }

  /// Holds back what derives from a property that was changed: delivered with it, if it is held back too.
  func hold(_ derived: DerivedDelivery, of subject: Subject) {
    guard !derived.derived.isEmpty else { return }
    DeliveryProbe.noteInTransaction(derived.derived, from: subject)
    followed += derived.derived.filter(\.isFollowed)
    guard !subject.hold(derived.derived, in: self) else { return }
    if let group = groups[ObjectIdentifier(subject)] { return group.append(derived.derived) }
    let group = DerivedGroup(derived)
    groups[ObjectIdentifier(subject)] = group
    add(group)
  }
}

extension ObservationTransaction {
  /// What comes before a store, in the place of `Subject.willChange`.
  func willChange(_ subject: Subject) -> Subject.Transition {
    var owesPrior = false
    AccessTracker.withoutTracking {
      subject.latestInfos.visit { info in
        guard let path = info.pathSink, path.actsBeforeStore else {
          owesPrior = owesPrior || info.traits.contains(.prior)
          return
        }
        if paths.insertIfNew(info) { path.noteBefore(info) }
      }
    }
    return Subject.Transition(id: 0, isDelivering: false, isHeld: true, owesPrior: owesPrior)
  }

  /// Holds back what these paths have noted already.
  ///
  /// - Parameter id: The change that they have noted it for.
  func takeOver(_ changed: InfoList, id: UInt64) {
    changed.visit { info in
      guard !paths.insertIfNew(info) else { return }
      // Two changes are open: this one ends, and the transaction's delivers both.
      info.sink?.didChange(info, id: id)
    }
  }

  /// Evaluates everything that depends on what was changed. What getters change meanwhile is part of
  /// the transaction too.
  private func settle() {
    id = Subject.nextChangeID()
    AccessTracker.withoutTracking {
      var rounds = 0
      while !unnoted.isEmpty || !paths.isEmpty || !followed.isEmpty,
        rounds < ObservationDispatcher.maximumRounds
      {
        rounds += 1
        // Arrays before the paths that lead to them: a path that leads to another one merges the two.
        noteChanges()
        evaluatePaths()
      }
      // What getters go on changing after so many rounds.
      for change in unnoted { change.note(id: id) }
      deliverGathered()
    }
  }

  /// Has live views follow as well, inside of the transaction: what they change is delivered with the rest.
  private func noteChanges() {
    var rounds = 0
    while !unnoted.isEmpty || paths.contains(where: \.isOfView),
      rounds < ObservationDispatcher.maximumRounds
    {
      rounds += 1
      // A view after all that it follows, so that it is noted once.
      let depth = unnoted.lazy.map(\.viewDepth).min() ?? 0
      let new = unnoted.filter { $0.viewDepth == depth }
      unnoted.removeAll { $0.viewDepth == depth }
      for change in new { change.note(id: id) }
      updateViewsByPaths()
      for change in new { change.updateViews(id: id, in: self) }
      deliverGathered()
    }
  }

  /// Has live views follow the elements that have changed.
  private func deliverGathered() {
    let open = gathering
    gathering = []
    gathering += open.filter { !$0.deliverGathered(id: id) }
  }

  /// Has live views follow the paths of their elements.
  private func updateViewsByPaths() {
    guard paths.contains(where: \.isOfView) else { return }
    let open = paths.filter(\.isOfView)
    paths = paths.filter { !$0.isOfView }
    evaluate(open)
    ObservationDispatcher.deliverPaths(open, through: id)
  }

  private func evaluatePaths() {
    let open = paths
    paths = .none
    evaluate(open)
    let derived = DerivedDelivery(derived: followed, id: id)
    followed = []
    derived.evaluatePaths()
  }

  private func evaluate(_ open: InfoList) {
    open.visit { info in
      info.sink?.didChange(info, id: id)
      _ = evaluatedPaths.insertIfNew(info)
    }
  }

  func deliver() {
    AccessTracker.withoutTracking {
      var entries: [HeldEntry] = []
      swap(&entries, &self.entries)
      // All are queued before the first handler runs: what that changes comes after.
      for index in entries.indices {
        entries[index].isQueued = entries[index].change.enqueue(&entries[index], id: id)
      }
      // Those whose getters have changed what they read time and again: no transaction holds that
      // back any more, so that they notice the cycle themselves, report it, and end.
      evaluatePaths()
      for index in entries.indices where entries[index].isQueued {
        entries[index].change.deliver(&entries[index], id: id)
      }
      ObservationDispatcher.deliverPaths(evaluatedPaths, through: id)
    }
  }
}
