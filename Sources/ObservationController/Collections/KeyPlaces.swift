/// The keys of a dictionary, or elements of a set, that key paths and derived values have read:
/// each is a place of its own, which is marked when its item changes. Also keys that have no item.
///
///     dictionary ─▶ places ─▶ subject of each key      strong
///
/// Several threads may read at once, and take the lock for the subjects of the collection's
/// properties. None reads during an edit, as with any stored property; that takes no lock. Neither
/// `==` nor `hash(into:)` runs under the lock: places are found by the hash value, then compared
/// outside of it.
///
/// Inlinable as far as reading and setting one key need it, as a `KeyedTable`.
@usableFromInline
final class KeyPlaces<Key: Hashable> {
  @usableFromInline
  struct Place {
    @usableFromInline let key: Key
    @usableFromInline let subject: Subject

    @inlinable
    init(_ key: Key, _ subject: Subject) { (self.key, self.subject) = (key, subject) }
  }

  /// By hash value.
  @exclusivity(unchecked) @usableFromInline var buckets: [Int: [Place]] = [:]

  @exclusivity(unchecked) @usableFromInline var count = 0

  /// How many places may be there before those are looked for that nothing reads any more.
  @exclusivity(unchecked) @usableFromInline var limit = 64

  @inlinable
  init() {}
}

extension KeyPlaces {
  /// The place of a key; `nil` if nothing has read it. In an edit.
  @inlinable
  func subject(for key: Key) -> Subject? {
    buckets[key.hashValue].flatMap { Self.subject(for: key, in: $0) }
  }

  @inlinable
  static func subject(for key: Key, in bucket: [Place]) -> Subject? {
    // No copy of a place, which would count references.
    bucket.indices.first { bucket[$0].key == key }.map { bucket[$0].subject }
  }

  /// The place of a key, which is made by its first reader.
  ///
  /// - Parameter owner: The dictionary or set.
  @inlinable
  func subject(for key: Key, readBy owner: AnyObject) -> Subject {
    let hash = key.hashValue
    while true {
      AccessTracking.lockPlaces(of: owner)
      let known = buckets[hash]
      AccessTracking.unlockPlaces(of: owner)
      if let found = known.flatMap({ Self.subject(for: key, in: $0) }) { return found }
      let new = AccessTracking.makePlace(of: owner)
      AccessTracking.lockPlaces(of: owner)
      // Not if another thread has added one meanwhile, which may be this.
      let isFirst = buckets[hash]?.count ?? 0 == known?.count ?? 0
      if isFirst {
        buckets[hash, default: []].append(Place(key, new))
        count += 1
      }
      AccessTracking.unlockPlaces(of: owner)
      if isFirst { return new }
    }
  }

  /// Places of keys, or all. In an edit.
  ///
  /// - Parameter keys: `nil` for all.
  func subjects(for keys: [Key]?) -> [Subject] {
    guard let keys else { return buckets.values.flatMap { $0.map { $0.subject } } }
    return keys.compactMap { subject(for: $0) }
  }

  /// Forgets places that nothing reads any more, when there are twice as many as there were after
  /// the last time. In an edit.
  ///
  /// - Complexity: O(1) amortised.
  @inlinable
  func sweep() {
    if count > limit { removeUnread() }
  }

  @usableFromInline
  func removeUnread() {
    var kept: [Int: [Place]] = [:]
    count = 0
    for (hash, places) in buckets {
      let read = places.filter { $0.subject.hasReaders }
      if !read.isEmpty { kept[hash] = read }
      count += read.count
    }
    // Keys are released when nothing is accessed any more.
    let removed = exchange(&buckets, with: kept)
    limit = Swift.max(64, count * 2)
    withExtendedLifetime(removed) {}
  }
}

extension Subject {
  /// Whether a derived value or a key path depends on it.
  fileprivate var hasReaders: Bool {
    guard let vertex, let lock = vertex.lockGraph() else { return false }
    defer { lock.unlock() }
    return vertex.dependents.count > 0
  }
}

extension AccessTracking {
  /// Takes the lock for the subjects of an object's properties, which `unlockPlaces` gives back.
  @usableFromInline
  static func lockPlaces(of owner: AnyObject) { lock(of: owner).pointee.lock(as: .storage) }

  @usableFromInline
  static func unlockPlaces(of owner: AnyObject) { lock(of: owner).pointee.unlock(as: .storage) }

  @usableFromInline
  static func makePlace(of owner: AnyObject) -> Subject { Subject(owner: owner) }

  /// Whether this thread records what it reads.
  @usableFromInline static var isRecording: Bool { ThreadCell.recording != nil }
}
