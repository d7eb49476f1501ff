import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Foundation
#endif

/// Recording, transaction and event that a thread is in the middle of.
struct ThreadContext {
  /// Recorder of the properties that are read.
  var recorder = Recorder()

  /// Holds back what changes; valid as long as it is set.
  var transaction: UnsafeMutableRawPointer?

  var event = Event()

  /// Whether a cycle is being reported.
  var isReportingCycle = false

  /// Event that a trace has recorded and that leads to others.
  struct Event {
    /// 0 for none, and for one that is not recorded.
    var number: UInt64 = 0

    /// Number of recorded events that the thread is inside of.
    var depth = 0
  }

  /// A tracker, a node, or neither.
  struct Recorder {
    /// Of a key path that is being evaluated; valid as long as it is set.
    var tracker: UnsafeMutableRawPointer?

    /// The node whose getter runs.
    var reader: Node.Reference?
  }

  /// Whether what is read is recorded.
  var isRecording: Bool { recorder.reader != nil || recorder.tracker != nil }
}

extension ThreadContext {
  /// How often in a row a handler or a getter may change what led to it, before that counts as a
  /// cycle.
  static var maximumRounds: Int { 100 }

  /// The context of this thread as it is; an empty one if the thread has never had another.
  static var current: ThreadContext { ThreadCell.existing?.pointee.context ?? ThreadContext() }

  /// Runs `body` while a part of the context of this thread is `value`. Always inlined, so that the
  /// key path is folded.
  @inline(__always)
  static func with<Part, Result>(
    _ part: WritableKeyPath<ThreadContext, Part>, _ value: Part, _ body: () throws -> Result
  ) rethrows -> Result {
    let cell = ThreadCell.own
    let outer = cell.pointee.context[keyPath: part]
    cell.pointee.context[keyPath: part] = value
    defer { cell.pointee.context[keyPath: part] = outer }
    return try body()
  }
}

/// Memory of one thread: its context, and the stacks of marking and settling. One for each thread,
/// at one address until the thread ends.
///
/// Used by its thread alone.
struct ThreadCell: ~Copyable {
  typealias Reference = UnsafeMutablePointer<ThreadCell>

  /// Identity of the thread.
  let thread = ThreadIdentity.current.bits

  var context = ThreadContext()

  /// Nodes that are being settled, each on the way from the one before.
  var walk = RawStack<ThreadCell.WalkEntry>()

  /// Nodes that have been marked, and whose dependents have not.
  var marked = RawStack<Node.Reference>()

  /// Objects to release when no lock is held: values that were taken from nodes; infos of key paths
  /// to end, with the class of the path, which have read an object of their own that is being
  /// deallocated; subjects of other objects that storage held until it was read, where it was
  /// copied from these objects.
  var pendingReleases: [(object: AnyObject, path: DerivedNode.Type?)] = []

  /// Infos of key paths, with the class of the path, which have lost a property of another object
  /// than their own: they have to end if that is being deallocated too.
  var endedLinks: [(info: AnyObject, path: DerivedNode.Type)] = []

  /// Subjects of derived properties and infos of key paths that marking has found, retained until
  /// they are taken.
  var collected = RawStack<Unmanaged<AnyObject>>()

  /// Registrars of Observation that marking has found, to be notified before a store, and after it.
  var announced: [TrackingRegistrar] = []
  var stored: [TrackingRegistrar] = []

  /// How deep in their own handlers it asks hooks: mostly none. `Int.max` after a cycle, until the
  /// outermost question is answered: a handler that asks twice would otherwise be asked 2¹⁰⁰ times.
  var questions: [ObjectIdentifier: Int] = [:]

  /// Accesses in place of atomic properties that the thread is inside of, and that end on it.
  var accesses = 0

  /// Whether `context.transaction` was begun inside of them, and is retained until they have ended.
  var ownsTransaction = false

  /// Access in place by a task, which may be suspended inside of it, or have ended it on another
  /// thread; see `TaskAccess`.
  var taskAccess: AnyObject?

  #if DEBUG
    /// Atomic properties that are locked by `accesses`, the outermost first.
    var lockedProperties: [Unmanaged<AnyObject>] = []

    /// Reports that wait for the end of the accesses.
    var reports: [() -> Void] = []
  #endif

  /// Whether the thread counts among those that track: a state of `ThreadArming`.
  let arming = Atomic(ThreadArming.none)

  /// Getters that have asked for the context in vain since the thread last settled a node, or
  /// looked for idle threads.
  var idleVisits = 0

  fileprivate init() {}

  /// Whether the thread is inside of no access in place.
  var isOutside: Bool { accesses == 0 && taskAccess == nil }

  /// Whether it is inside of one alone, and has changed nothing else.
  var isOutermost: Bool { accesses == 1 && taskAccess == nil }

  /// The cell of this thread.
  static var own: Reference {
    @inline(__always) get { existing ?? make() }
  }

  /// Whether this thread neither records what is read nor is inside of an access in place.
  static var isIdle: Bool {
    guard let cell = existing else { return true }
    let isBusy =
      cell.pointee.context.isRecording || cell.pointee.accesses > 0
      || cell.pointee.taskAccess != nil
    if !isBusy { cell.visitIdly() }
    return !isBusy
  }

  /// The cell of this thread, if it records what is read.
  static var recording: Reference? {
    @inline(__always) get {
      // Made for a thread that has none, which counts its visits there.
      let cell = own
      if cell.pointee.context.isRecording { return cell }
      cell.visitIdly()
      return nil
    }
  }
}

// MARK: - Activity of all threads

/// Counts of threads whose state makes accessors take their slow way.
///
/// Getters and setters pay one relaxed load for all of them.
@usableFromInline
enum ThreadActivity {
  /// A thread records which properties it reads.
  static var tracking: UInt64 { 1 }

  /// A thread runs a transaction.
  static var transaction: UInt64 { 1 << 32 }

  /// There are atomic properties. Stays: a thread inside of the access of one begins a transaction
  /// when it changes something else. Counting these threads here would have each access write
  /// memory that all threads read.
  @inlinable static var atomics: UInt64 { 1 << 55 }

  /// A trace records. Higher than the count of transactions, so that a test for transactions finds
  /// traces too.
  static var tracing: UInt64 { 1 << 56 }

  @inline(__always)
  static var isAnyTracing: Bool { threadActivity.load(ordering: .relaxed) >= tracing }

  @inlinable
  static var isNone: Bool {
    @inline(__always) get { threadActivity.load(ordering: .relaxed) == 0 }
  }

  /// One relaxed load, all that most getters ever do.
  @inlinable
  static var isAnyTracking: Bool {
    @inline(__always) get {
      UInt32(truncatingIfNeeded: threadActivity.load(ordering: .relaxed)) != 0
    }
  }

  /// Whether a thread may be in a transaction.
  @inlinable
  static var isAnyInTransaction: Bool {
    @inline(__always) get { threadActivity.load(ordering: .relaxed) >> 32 != 0 }
  }

  /// Whether a thread is in a transaction, other than one that it would have to begin.
  @inlinable
  static var hasTransactions: Bool {
    @inline(__always) get { (threadActivity.load(ordering: .relaxed) & ~atomics) >> 32 != 0 }
  }

  /// Whether there is nothing but atomic properties.
  static var isNoneButAtomics: Bool {
    @inline(__always) get { threadActivity.load(ordering: .relaxed) & ~atomics == 0 }
  }

  static func noteAtomics() {
    guard threadActivity.load(ordering: .relaxed) & atomics == 0 else { return }
    threadActivity.bitwiseOr(atomics, ordering: .relaxed)
  }

  static func begin(_ activity: UInt64) {
    threadActivity.wrappingAdd(activity, ordering: .relaxed)
  }

  static func end(_ activity: UInt64) {
    threadActivity.wrappingSubtract(activity, ordering: .relaxed)
  }
}

/// Threads that track in the lower half, threads in a transaction in the upper half, below the bit
/// of atomic properties and traces.
///
/// A global rather than a static property of a type: a global atomic needs no check for its
/// initialisation at each access.
@usableFromInline let threadActivity = Atomic<UInt64>(0)

// MARK: - Storage

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  extension ThreadCell {
    /// The cell of this thread, `nil` if it has not needed one yet.
    static var existing: Reference? {
      @inline(__always) get {
        let key = storedKey.load(ordering: .relaxed)
        guard key != 0 else { return nil }
        // Set by `make` alone, and freed when the thread ends.
        return pthread_getspecific(pthread_key_t(truncatingIfNeeded: key &- 1))?
          .assumingMemoryBound(to: ThreadCell.self)
      }
    }

    @inline(never)
    private static func make() -> Reference {
      let cell = Reference.allocate(capacity: 1)
      cell.initialize(to: ThreadCell())
      let error = pthread_setspecific(key, cell)
      precondition(error == 0, "No thread-local storage: pthread_setspecific returned \(error)")
      return cell
    }

    /// Made by the first thread that needs a cell, and never given back.
    private static let key = {
      var key = pthread_key_t()
      let error = pthread_key_create(&key) { ThreadCell.end($0) }
      precondition(error == 0, "No thread-local storage: pthread_key_create returned \(error)")
      storedKey.store(UInt(key) + 1, ordering: .relaxed)
      return key
    }()

    private static func end(_ cell: UnsafeMutableRawPointer?) {
      guard let cell = cell?.assumingMemoryBound(to: ThreadCell.self) else { return }
      cell.endArming()
      cell.deinitialize(count: 1)
      cell.deallocate()
    }
  }

  /// One more than the key; 0 until there is one. A global, which needs no check for its
  /// initialisation.
  private let storedKey = Atomic<UInt>(0)
#else
  extension ThreadCell {
    /// Owns the cell of one thread, in the dictionary of which it stands.
    private final class Holder {
      let cell = Reference.allocate(capacity: 1)

      init() { cell.initialize(to: ThreadCell()) }

      deinit {
        cell.endArming()
        cell.deinitialize(count: 1)
        cell.deallocate()
      }
    }

    private static var key: String { "ObservationController.ThreadCell" }

    /// The cell of this thread, `nil` if it has not needed one yet.
    static var existing: Reference? {
      (Thread.current.threadDictionary[key] as? Holder)?.cell
    }

    private static func make() -> Reference {
      let holder = Holder()
      Thread.current.threadDictionary[key] = holder
      return holder.cell
    }
  }
#endif
