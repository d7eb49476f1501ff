import Synchronization

/// Accesses in place of atomic properties inside of which a task may be suspended.
///
/// The thread on which it begins may run other tasks meanwhile, and the task may end it on another
/// thread: it is that task alone whose changes wait for the end. Other accesses are counted in
/// their `ThreadCell`.
///
///     ThreadCell ──▶ TaskAccess ◀── ExclusiveLock     strong, until the access has ended
final class TaskAccess {
  private let task: UnsafeCurrentTask

  /// Number of properties that the task has locked.
  var depth = 1

  /// Holds back what the task changes inside; `nil` until it does.
  fileprivate var transaction: ObservationTransaction?

  private let hasEnded = Atomic(false)

  #if DEBUG
    /// What is locked, the outermost first.
    var locked: [ExclusiveLock] = []

    /// Reports that wait for the end of the access.
    var reports: [() -> Void] = []
  #endif

  private init(of task: UnsafeCurrentTask) {
    self.task = task
  }

  /// Different for each that exists.
  var number: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

  /// Begins an access.
  ///
  /// - Returns: `nil` outside of tasks.
  @inline(never)
  static func begin(in cell: ThreadCell.Reference) -> TaskAccess? {
    withUnsafeCurrentTask { task -> TaskAccess? in
      guard let task else { return nil }
      if let open = ofThread(in: cell) {
        open.depth += 1
        return open
      }
      let new = TaskAccess(of: task)
      cell.pointee.taskAccess = new
      return new
    }
  }

  /// The access that this thread is inside of, if its task has begun that on this thread.
  static func ofThread(in cell: ThreadCell.Reference) -> TaskAccess? {
    guard let object = cell.pointee.taskAccess else { return nil }
    // Safe: nothing else is stored there.
    let access = unsafeDowncast(object, to: TaskAccess.self)
    guard access.hasEnded.load(ordering: .acquiring) else {
      return withUnsafeCurrentTask { $0 == access.task } ? access : nil
    }
    cell.pointee.taskAccess = nil
    return nil
  }

  /// The transaction that holds back what this thread changes inside of accesses in place.
  ///
  /// - Parameter begins: Whether to begin it, if there is none.
  static func transaction(
    in cell: ThreadCell.Reference, begins: Bool
  ) -> ObservationTransaction? {
    // First, since accesses that are counted may be inside of it.
    if let access = ofThread(in: cell), access.depth > 0 {
      if begins, access.transaction == nil { access.transaction = .open() }
      return access.transaction
    }
    guard begins, cell.pointee.accesses > 0 else { return nil }
    let transaction = ObservationTransaction.open()
    cell.pointee.context.transaction = Unmanaged.passRetained(transaction).toOpaque()
    cell.pointee.ownsTransaction = true
    return transaction
  }
}

extension TaskAccess {
  /// Runs `body`, which ends the change of a property, and delivers what was changed elsewhere
  /// inside of the access, if it was the outermost one: with the change as one transaction.
  ///
  /// - Parameter isOpen: Whether infos have acted before the store. Then the change of the
  ///   outermost access is no part of the transaction, which had not begun, and comes before it.
  static func finish(in cell: ThreadCell.Reference, isOpen: Bool, _ body: () -> Void) {
    if isOpen, cell.pointee.accesses == 0, cell.pointee.ownsTransaction {
      // Its handlers may begin another one inside of accesses of their own.
      cell.pointee.ownsTransaction = false
      ThreadContext.with(\.transaction, nil, body)
      cell.pointee.ownsTransaction = true
    } else {
      body()
    }
    endTransaction(in: cell)
  }

  /// Delivers what was changed inside of accesses on this thread, if the last of them has ended.
  @inline(__always)
  static func endTransaction(in cell: ThreadCell.Reference) {
    guard cell.pointee.accesses == 0 else { return }
    if cell.pointee.ownsTransaction { deliverTransaction(in: cell) }
    #if DEBUG
      for report in exchange(&cell.pointee.reports, with: []) { report() }
    #endif
  }

  @inline(never)
  private static func deliverTransaction(in cell: ThreadCell.Reference) {
    guard let pointer = cell.pointee.context.transaction else { return }
    cell.pointee.ownsTransaction = false
    // Retained when it was begun.
    let transaction = Unmanaged<ObservationTransaction>.fromOpaque(pointer).takeRetainedValue()
    transaction.close {
      transaction.settle()
      cell.pointee.context.transaction = nil
    }
  }

  /// As the other `finish`, where a task may have been suspended, on whatever thread it is now.
  func finish(isOpen: Bool, _ body: () -> Void) {
    // First: handlers may begin another access.
    if depth == 0 { hasEnded.store(true, ordering: .releasing) }
    if let transaction, !isOpen || depth > 0 {
      ThreadContext.with(
        \.transaction, Unmanaged.passUnretained(transaction).toOpaque(), body)
    } else {
      body()
    }
    guard depth == 0 else { return }
    #if DEBUG
      defer { for report in exchange(&reports, with: []) { report() } }
    #endif
    guard let transaction = transaction.take() else { return }
    transaction.close {
      ThreadContext.with(\.transaction, Unmanaged.passUnretained(transaction).toOpaque()) {
        transaction.settle()
      }
    }
  }
}

/// Only its task uses it, on one thread after the other; other threads ask for the task and whether
/// it has ended, of which the one is immutable, the other atomic.
extension TaskAccess: @unchecked Sendable {}
