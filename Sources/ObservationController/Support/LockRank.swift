#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The order in which locks nest: inside of a lock only those are taken that stand below it, and
/// none of its own kind. User code runs inside of none but that of an atomic property.
///
/// Debug builds trap where a thread does otherwise, before it can wait for itself or for another
/// thread that waits for it.
enum LockRank: UInt {
  /// `ExclusiveLock`: the value of an atomic property, while it is read, changed or mutated in
  /// place. User code may run inside, as its name announces, and several may be locked, of which
  /// `LockOrder` knows. May be given back on another thread.
  case property

  /// `AccessTracking`: the subjects of an object's properties, which its getters create, and the
  /// reading of which they record.
  case storage

  /// `TwoWayBinding`: which of its ends is being set.
  case binding

  /// `ObservationDispatcher.stores`: all tables.
  case tables

  /// `ObservationStore`: the table of a controller, and the roots of its infos. What observes and
  /// what ends goes through it.
  case store

  /// `QueuedDeliveries`: changes on their way to a queue.
  case queue

  /// `ArraySink`: the elements that an observation of an array follows, and its changes.
  case sink

  /// `DerivedTurn`: the values of a derived property that were delivered last.
  case turn

  /// `GraphLock`: the edges and states of a connected component of the graph.
  case graph

  /// The second of two components that are being joined; the first has the lower address.
  case joinedGraph

  /// `PathObservation`: the value that a path has read last, and its changes.
  case path

  /// `Subject`: who is notified of a property, and the changes that wait for its turn.
  case subject

  /// Tables, caches and lists that take no other lock.
  case leaf
}

#if DEBUG && (canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android))
  extension LockRank {
    /// Called before a thread locks.
    func willLock() {
      guard self != .property else { return }
      let held = Self.held
      // Of two bits the higher one stands for the lock that has to be taken last.
      guard held >> rawValue != 0 else { return }
      let inner = Self(rawValue: UInt(UInt.bitWidth - 1 - held.leadingZeroBitCount))
      fatalError("The lock of \(self) was taken inside of that of \(inner!); see LockRank")
    }

    func didLock() {
      guard self != .property else { return }
      Self.held |= 1 << rawValue
    }

    func didUnlock() {
      guard self != .property else { return }
      Self.held &= ~(1 << rawValue)
    }

    /// Traps where user code is about to be run under a lock.
    static func assertNoneIsHeld() {
      guard held != 0 else { return }
      let inner = Self(rawValue: UInt(UInt.bitWidth - 1 - held.leadingZeroBitCount))
      fatalError("User code was called under the lock of \(inner!)")
    }

    /// A bit for each lock that this thread holds.
    private static var held: UInt {
      get { UInt(bitPattern: pthread_getspecific(key)) }
      set {
        let error = pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue))
        precondition(error == 0, "No thread-local storage: pthread_setspecific returned \(error)")
      }
    }

    private static let key = {
      var key = pthread_key_t()
      let error = pthread_key_create(&key, nil)
      precondition(error == 0, "No thread-local storage: pthread_key_create returned \(error)")
      return key
    }()
  }
#else
  extension LockRank {
    @inline(__always) func willLock() {}
    @inline(__always) func didLock() {}
    @inline(__always) func didUnlock() {}
    @inline(__always) static func assertNoneIsHeld() {}
  }
#endif
