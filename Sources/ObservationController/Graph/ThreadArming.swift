import Synchronization

/// Arming: how a thread has getters ask for its context, see `ThreadActivity`.
///
/// A thread arms itself when it begins to settle nodes, and stays armed afterwards: a counter that
/// two threads change for each computation makes both five times slower. What it changes each time
/// is in its own cell. Whoever calls getters that ask in vain takes the arming off, also that of a
/// thread that sleeps.
enum ThreadArming {
  /// The thread does not count among those that track.
  static var none: UInt8 { 0 }
  /// The thread counts, and settles nothing.
  static var idle: UInt8 { 1 }
  /// As `idle`, and it has settled something since another thread last looked.
  static var recent: UInt8 { 2 }
  /// The thread counts, and settles nodes. Set and left by the thread alone.
  static var inUse: UInt8 { 3 }

  /// Getters that ask in vain before a thread looks for idle ones.
  static var patience: Int { 256 }

  /// The cells of the threads that count. One is listed, and counted, by its own thread, and taken
  /// off by any, under the lock: the cell is not freed before that.
  fileprivate static let cells = Locked<[ThreadCell.Reference]>([])
}

extension UnsafeMutablePointer<ThreadCell> {
  /// Has getters ask for the context, until `rest` at least.
  ///
  /// Called for the outermost node that the thread settles: `walk` is empty before that, and after
  /// `rest`.
  @inline(__always)
  func arm() {
    pointee.idleVisits = 0
    // An exchange, and not a load: another thread may disarm an idle one at this moment.
    let old = pointee.arming.exchange(ThreadArming.inUse, ordering: .relaxed)
    if old == ThreadArming.none { beginTracking() }
  }

  /// Lets other threads disarm this one.
  @inline(__always)
  func rest() { pointee.arming.store(ThreadArming.recent, ordering: .relaxed) }

  @inline(never)
  private func beginTracking() {
    ThreadArming.cells.withLock { cells in
      cells.append(self)
      ThreadActivity.begin(ThreadActivity.tracking)
    }
  }

  /// Called where the thread records nothing.
  @inline(__always)
  func visitIdly() {
    pointee.idleVisits &+= 1
    if pointee.idleVisits > ThreadArming.patience { disarmIdleThreads() }
  }

  /// Disarms this thread, and others that have settled nothing since a thread last looked.
  ///
  /// A thread whose getter is running in an outer frame, or which runs at this moment, continues
  /// recording, and stays armed.
  @inline(never)
  private func disarmIdleThreads() {
    let left = ThreadArming.cells.withLock { cells in
      cells.removeAll { cell in
        if cell == self { return cell.disarm(from: ThreadArming.recent) || cell.disarm() }
        let wasRecent = cell.replaceArming(ThreadArming.recent, by: ThreadArming.idle)
        return !wasRecent && cell.disarm()
      }
      return cells.count
    }
    // What is left to look at costs each getter about as much, however many threads there are.
    pointee.idleVisits = -16 * left
  }

  /// Under the lock of the list.
  private func disarm(from state: UInt8 = ThreadArming.idle) -> Bool {
    guard replaceArming(state, by: ThreadArming.none) else { return false }
    ThreadActivity.end(ThreadActivity.tracking)
    return true
  }

  private func replaceArming(_ old: UInt8, by new: UInt8) -> Bool {
    pointee.arming.compareExchange(expected: old, desired: new, ordering: .relaxed).exchanged
  }

  /// Takes a thread that ends off the list, after which no other one finds its cell.
  func endArming() {
    ThreadArming.cells.withLock { cells in
      guard let index = cells.firstIndex(of: self) else { return }
      cells.remove(at: index)
      ThreadActivity.end(ThreadActivity.tracking)
    }
  }
}
