/// The infos of each observed object, by its address.
///
/// The lists stand in the order in which their objects were first observed, which is mostly that of
/// their addresses, and open addressing finds their places. `Dictionary` is no alternative: it
/// hashes addresses with a keyed hash, which is several times slower, takes more memory for each
/// object, and iterates at random, so that ending a million observations waits for memory and
/// releases handlers in an order that differs from run to run.
struct InfoTable {
  private struct Entry {
    /// The address of the object, which is only compared; 0 when the entry has been removed.
    var key: UInt
    var infos: InfoList
  }

  /// The last one has not been removed.
  private var entries: ContiguousArray<Entry> = []

  /// How many entries have not been removed.
  private(set) var count = 0

  /// For each place the index of an entry plus one, 0 where it is free. A power of two of them, at
  /// most half of them in use; none while there are few entries, which are compared one by one.
  private var places: ContiguousArray<UInt32> = []

  /// Up to how many entries are compared one by one.
  private static let few = 8
}

extension InfoTable {
  /// - Complexity: O(1).
  subscript(object: ObjectIdentifier) -> InfoList {
    find(Self.key(object)).map { entries[$0].infos } ?? .none
  }

  /// Lists `info` if there is none of the same object.
  ///
  /// - Returns: The infos of the object, if there are.
  /// - Complexity: O(1) amortised.
  @inline(__always)
  mutating func insertFirst(_ info: ObservationInfo, of object: ObjectIdentifier) -> InfoList {
    let key = Self.key(object)
    if let index = find(key) { return entries[index].infos }
    if entries.count >= Self.few, 2 * (count + 1) > places.count { rebuild() }
    entries.append(Entry(key: key, infos: .one(info)))
    count += 1
    if !places.isEmpty { places[place(of: key)] = UInt32(entries.count) }
    return .none
  }

  /// Lists `info` with others of the same object.
  mutating func insert(_ info: ObservationInfo, of object: ObjectIdentifier) {
    if let index = find(Self.key(object)) { entries[index].infos.insert(info) }
  }

  /// Removes `info`.
  ///
  /// The caller holds `info`; no user object is released here.
  ///
  /// - Complexity: O(1) amortised, plus finding it among the infos of the object.
  mutating func remove(_ info: ObservationInfo, of object: ObjectIdentifier) {
    let key = Self.key(object)
    guard let index = find(key) else { return }
    guard entries[index].infos.isOnly(info) else {
      _ = entries[index].infos.remove(info)
      return
    }
    if !places.isEmpty { free(place(of: key)) }
    count -= 1
    if index == entries.count - 1 {
      repeat { entries.removeLast() } while entries.last?.key == 0
    } else {
      entries[index] = Entry(key: 0, infos: .none)
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
  private static func key(_ object: ObjectIdentifier) -> UInt { UInt(bitPattern: object) }

  /// The index of the entry for `key`.
  private func find(_ key: UInt) -> Int? {
    guard places.isEmpty else {
      let index = Int(places[place(of: key)]) - 1
      return index < 0 ? nil : index
    }
    // By index, since an entry that is copied is retained.
    for index in entries.indices where entries[index].key == key { return index }
    return nil
  }

  /// The place of the entry for `key`, or the free one where a search for it ends.
  private func place(of key: UInt) -> Int {
    var place = start(of: key)
    while places[place] != 0, self.key(at: place) != key { place = next(place) }
    return place
  }

  private func key(at place: Int) -> UInt { entries[Int(places[place]) - 1].key }

  /// Place at which a search for `key` begins. The high bits of the product depend on all bits of
  /// the address; neighbours get places far from each other (Knuth, The Art of Computer Programming
  /// 3, 6.4).
  private func start(of key: UInt) -> Int {
    let product = UInt64(key) &* 0x9E37_79B9_7F4A_7C15
    return Int(product >> UInt64(64 - places.count.trailingZeroBitCount))
  }

  private func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

  /// Frees a place, and moves up the entries behind it that a search would not reach any more.
  private mutating func free(_ place: Int) {
    var (gap, place) = (place, next(place))
    let mask = places.count - 1
    while places[place] != 0 {
      let distance = (place - start(of: key(at: place))) & mask
      if distance >= (place - gap) & mask {
        places[gap] = places[place]
        gap = place
      }
      place = next(place)
    }
    places[gap] = 0
  }

  /// Drops the removed entries, and makes room for as many again.
  private mutating func rebuild() {
    entries.removeAll { $0.key == 0 }
    places = []
    guard count >= Self.few else { return }
    var size = 16
    while size < 4 * (count + 1) { size *= 2 }
    places = ContiguousArray(repeating: 0, count: size)
    for index in entries.indices { places[place(of: entries[index].key)] = UInt32(index + 1) }
  }
}
