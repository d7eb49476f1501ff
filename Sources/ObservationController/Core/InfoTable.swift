/// The infos of each observed object, by its address.
///
/// The lists stand in the order in which their objects were first observed, which is mostly that of
/// their addresses, and open addressing finds their places. `Dictionary` is no alternative: it
/// hashes addresses with a keyed hash, which is several times slower, takes more memory for each
/// object, and iterates at random, so that ending a million observations waits for memory and
/// releases handlers in an order that differs from run to run.
struct InfoTable {
  private struct Entry {
    /// Only compared; `nil` when the entry has been removed.
    var object: ObjectIdentifier?
    var infos: InfoList
  }

  /// The last one has not been removed.
  private var entries: ContiguousArray<Entry> = []

  /// How many entries have not been removed.
  private(set) var count = 0

  /// For each place the index of an entry plus one, 0 where it is free. A power of two of them;
  /// none while there are few entries, which are compared one by one.
  private var places: ContiguousArray<UInt32> = []

  /// How many places are not free, at most half of them. That of a removed entry stays until the
  /// table is rebuilt: a search has to go on behind it.
  private var usedPlaces = 0

  /// Up to how many entries are compared one by one.
  private static let few = 8
}

extension InfoTable {
  /// - Complexity: O(1).
  subscript(object: ObjectIdentifier) -> InfoList {
    find(object).map { entries[$0].infos } ?? .none
  }

  /// Lists `info` if there is none of the same object.
  ///
  /// - Returns: The infos of the object, if there are.
  /// - Complexity: O(1) amortised.
  @inline(__always)
  mutating func insertFirst(_ info: ObservationInfo, of object: ObjectIdentifier) -> InfoList {
    if let index = find(object) { return entries[index].infos }
    if entries.count >= Self.few, 2 * (usedPlaces + 1) > places.count { rebuild() }
    entries.append(Entry(object: object, infos: .one(info)))
    count += 1
    if !places.isEmpty { setPlace(of: object, to: entries.count - 1) }
    return .none
  }

  /// Lists `info` with others of the same object.
  mutating func insert(_ info: ObservationInfo, of object: ObjectIdentifier) {
    if let index = find(object) { entries[index].infos.insert(info) }
  }

  /// Removes `info`.
  ///
  /// The caller holds `info`; no user object is released here.
  ///
  /// - Complexity: O(1) amortised, plus finding it among the infos of the object.
  mutating func remove(_ info: ObservationInfo, of object: ObjectIdentifier) {
    guard let index = find(object) else { return }
    guard entries[index].infos.isOnly(info) else {
      _ = entries[index].infos.remove(info)
      return
    }
    count -= 1
    if index == entries.count - 1 {
      repeat { entries.removeLast() } while entries.last.map { $0.object == nil } ?? false
    } else {
      entries[index] = Entry(object: nil, infos: .none)
    }
    // Not before as many have been removed as are moved.
    if max(entries.count, places.count / 8) > 2 * (count + Self.few) { rebuild() }
  }

  /// For how many entries and places there is memory.
  var capacity: (entries: Int, places: Int) { (entries.capacity, places.capacity) }

  /// All infos, those of an object in the order of registration.
  var all: some RandomAccessCollection<InfoList> {
    entries.lazy.map(\.infos)
  }
}

// MARK: - Places

extension InfoTable {
  /// The index of the entry for `object`.
  private func find(_ object: ObjectIdentifier) -> Int? {
    guard places.isEmpty else {
      let index = Int(places[place(of: object)]) - 1
      return index < 0 ? nil : index
    }
    // By index, since an entry that is copied is retained.
    for index in entries.indices where entries[index].object == object { return index }
    return nil
  }

  /// The place of the entry for `object`, or the free one where a search for it ends.
  private func place(of object: ObjectIdentifier) -> Int {
    var place = start(of: object)
    while places[place] != 0, self.object(at: place) != object {
      place = (place + 1) & (places.count - 1)
    }
    return place
  }

  /// The object of the entry that has a place or had it; `nil` if the last entries have been
  /// removed up to there.
  private func object(at place: Int) -> ObjectIdentifier? {
    let index = Int(places[place]) - 1
    return index < entries.count ? entries[index].object : nil
  }

  private mutating func setPlace(of object: ObjectIdentifier, to index: Int) {
    let place = self.place(of: object)
    if places[place] == 0 { usedPlaces += 1 }
    places[place] = UInt32(index + 1)
  }

  /// Place at which a search for `object` begins. The high bits of the product depend on all bits
  /// of the address; neighbours get places far from each other (Knuth, The Art of Computer
  /// Programming 3, 6.4).
  private func start(of object: ObjectIdentifier) -> Int {
    let product = UInt64(UInt(bitPattern: object)) &* 0x9E37_79B9_7F4A_7C15
    return Int(product >> UInt64(64 - places.count.trailingZeroBitCount))
  }

  /// Drops the removed entries, and makes room for as many again.
  private mutating func rebuild() {
    entries.removeAll { $0.object == nil }
    (places, usedPlaces) = ([], 0)
    guard count >= Self.few else { return }
    var size = 16
    while size < 4 * count { size *= 2 }
    places = ContiguousArray(repeating: 0, count: size)
    for index in entries.indices {
      if let object = entries[index].object { setPlace(of: object, to: index) }
    }
  }
}

/// Index of the infos of objects with many of them: by key path, by context, and by everything that
/// identifies an observation.
///
/// Infos of objects with few are not indexed, but compared one by one. A hash may lead to other
/// infos as well, so that callers compare what they find.
struct InfoIndex {
  private var lists: [Int: InfoList] = [:]

  /// Number of infos of an object up to which they are compared one by one.
  static let few = 8
}

extension InfoIndex {
  /// Properties of the infos to find, by whose hash they are listed.
  struct Key: Hashable {
    let object: ObjectIdentifier

    /// Of a registration, or of a key path by `ObservationRegistration.hash(of:)`.
    let keyPathHash: Int

    /// `nil` for infos with any.
    var context: ObservationContext??

    /// Hash of the binding; `nil` for infos with any, or without one.
    var binding: Int??
  }

  subscript(key: Key) -> InfoList { lists[key.hashValue] ?? .none }

  /// Infos that may be equal to `info`; `nil` where its registration has to be hashed first.
  ///
  /// - Parameter others: All infos of the object.
  /// - Complexity: O(1).
  func infos(like info: ObservationInfo, of object: ObjectIdentifier, among others: InfoList)
    -> InfoList?
  {
    guard others.count > Self.few else { return others }
    let registration = info.registration
    return registration.keyPathHash.map {
      self[
        Key(
          object: object, keyPathHash: $0, context: registration.context,
          binding: registration.binding?.hash)]
    }
  }

  /// Adds an info. Adds the other infos of its object too, if they are many from now on.
  ///
  /// - Parameter others: All infos of the object, whose registrations have been hashed if they are
  ///   not few.
  /// - Complexity: O(1) amortised.
  mutating func insert(
    _ info: ObservationInfo, of object: ObjectIdentifier, among others: consuming InfoList
  ) {
    guard others.count >= Self.few else { return }
    if others.count == Self.few { others.visit { add($0, of: object) } }
    add(info, of: object)
  }

  /// Removes an info, if it is there. Others of its object stay, also when they are few.
  mutating func remove(_ info: ObservationInfo, of object: ObjectIdentifier) {
    guard !lists.isEmpty else { return }
    Self.visitHashes(of: info, object) { hash in
      guard let index = lists.index(forKey: hash) else { return }
      _ = lists.values[index].remove(info)
      if lists.values[index].isEmpty { lists.remove(at: index) }
    }
  }

  private mutating func add(_ info: ObservationInfo, of object: ObjectIdentifier) {
    Self.visitHashes(of: info, object) { _ = lists[$0, default: .none].insertIfNew(info) }
  }

  /// Static, since a copy of the index would make an edit copy its table.
  private static func visitHashes(
    of info: ObservationInfo, _ object: ObjectIdentifier, _ body: (Int) -> Void
  ) {
    let registration = info.registration
    guard let keyPathHash = registration.keyPathHash else { return }
    // Under the lock of the store: hashing these runs no user code.
    var key = Key(object: object, keyPathHash: keyPathHash)
    body(key.hashValue)
    key.context = .some(registration.context)
    body(key.hashValue)
    key.binding = .some(registration.binding?.hash)
    // One of many is never equal to another info.
    if !registration.request.isOneOfMany { body(key.hashValue) }
  }
}
