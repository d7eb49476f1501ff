/// The keys of a dictionary, or elements of a set, that key paths and derived values have read:
/// each is a place of its own, which is marked when its item changes. Also keys that have no item.
///
///     dictionary ─▶ places ─▶ subject of each key      strong
///
/// Several threads may read, while nothing is edited. Neither `==` nor `hash(into:)` runs under the
/// lock: places are found by the hash value, then compared outside of it.
@usableFromInline
final class KeyPlaces<Key: Hashable> {
  private struct Place {
    let key: Key
    let subject: Subject
  }

  private struct State {
    /// By hash value.
    var buckets: [Int: [Place]] = [:]

    var count = 0
  }

  private let state = Locked(State())

  /// How many places may be there before those are looked for that nothing reads any more.
  private var limit = 64
}

extension KeyPlaces {
  /// The place of a key; `nil` if nothing has read it.
  func subject(for key: Key) -> Subject? {
    bucket(key.hashValue)?.first { $0.key == key }?.subject
  }

  /// The place of a key, which is made by its first reader.
  ///
  /// - Parameter owner: The dictionary or set.
  func subject(for key: Key, of owner: AnyObject) -> Subject {
    let hash = key.hashValue
    let new = Place(key: key, subject: Subject(owner: owner))
    while true {
      let known = bucket(hash) ?? []
      if let found = known.first(where: { $0.key == key }) { return found.subject }
      let isAdded = state.withLock { state in
        // Not if another thread has added one meanwhile, which may be this.
        guard state.buckets[hash]?.count ?? 0 == known.count else { return false }
        state.buckets[hash, default: []].append(new)
        state.count += 1
        return true
      }
      if isAdded { return new.subject }
    }
  }

  private func bucket(_ hash: Int) -> [Place]? { state.withLock { $0.buckets[hash] } }

  /// All places.
  var subjects: [Subject] {
    state.withLock { $0.buckets.values.flatMap { $0.map(\.subject) } }
  }

  /// Forgets places that nothing reads any more, when there are twice as many as there were after
  /// the last time. In an edit, while no other thread reads.
  ///
  /// - Complexity: O(1) amortised.
  func sweep() {
    let buckets = state.withLock { $0.count > limit ? $0.buckets : [:] }
    guard !buckets.isEmpty else { return }
    var kept: [Int: [Place]] = [:]
    var count = 0
    for (hash, places) in buckets {
      let read = places.filter { $0.subject.hasReaders }
      if !read.isEmpty { kept[hash] = read }
      count += read.count
    }
    state.withLock { $0 = State(buckets: kept, count: count) }
    limit = Swift.max(64, count * 2)
    // Keys are released here, outside of the lock.
    withExtendedLifetime(buckets) {}
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
