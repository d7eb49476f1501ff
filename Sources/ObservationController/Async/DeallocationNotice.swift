import Observation

/// Ends readers of one object and key path when the object, which they do not retain, has been
/// deallocated.
///
///     object ──▶ notice ┄┄▶ readers, object      strong; weak
///     table, readers ┄┄▶ notice                  weak
///
/// Left at the properties that the key path reads, and released by Observation with the first
/// change of one of them, or with the object. Readers share the one that is there, so that those
/// which have ended leave no more than one. What else the key path captures is not kept.
final class DeallocationNotice: Sendable {
  private let key: Key
  private let object: WeakReference
  private let readers = Locked<[ObjectIdentifier: WeakReference]>([:])

  private init(_ key: Key, of object: AnyObject) {
    (self.key, self.object) = (key, WeakReference(object))
  }

  /// Not a call of its readers: a lock of Observation may be held.
  deinit {
    let (key, identity) = (key, ObjectIdentifier(self))
    Self.table.withLock { if $0[key]?.identity == identity { $0[key] = nil } }
    guard object.object == nil else { return }
    let readers = readers.withLock { Array($0.values) }
    guard !readers.isEmpty else { return }
    Task { for reader in readers { (reader.object as? any NoticeReader)?.endWithObject() } }
  }
}

/// What a notice ends.
protocol NoticeReader: AnyObject, Sendable {
  /// Ends the observation if its object has been deallocated.
  func endWithObject()
}

extension DeallocationNotice {
  /// Two key paths of one hash share a notice, which may miss the deallocation for one of them: the
  /// key path itself would be kept alive.
  private struct Key: Hashable, Sendable {
    let object: ObjectIdentifier
    let keyPathHash: Int
  }

  private static let table = Locked<[Key: WeakReference]>([:])

  /// The notice that waits at an object.
  ///
  /// - Returns: Also whether it is new, and has to be left where the key path is read.
  static func waiting(
    at object: AnyObject, _ keyPath: AnyKeyPath
  ) -> (notice: DeallocationNotice, isNew: Bool) {
    // The hash of subscript indices is the user's: not under the lock.
    let key = Key(object: ObjectIdentifier(object), keyPathHash: keyPath.hashValue)
    // Released outside of the lock, which its deinit takes.
    let waiting = table.withLock { $0[key]?.object } as? DeallocationNotice
    // Another object may have been at this address.
    if let waiting, waiting.object.object === object { return (waiting, false) }
    let new = DeallocationNotice(key, of: object)
    table.withLock { $0[key] = WeakReference(new) }
    return (new, true)
  }

  func add(_ reader: some NoticeReader) {
    let reference = WeakReference(reader)
    readers.withLock { $0[reference.identity] = reference }
  }

  /// - Parameter reader: May be in its `deinit`.
  func remove(_ reader: ObjectIdentifier) {
    _ = readers.withLock { $0.removeValue(forKey: reader) }
  }
}
