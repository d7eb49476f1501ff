/// The infos of each observed object, by its address.
///
/// The lists stand in the order in which their objects were first observed, which is mostly that of
/// their addresses; open addressing finds their places. A standard dictionary hashes with keys that
/// can't be guessed, where a multiplication does for addresses; it takes more memory for each
/// object; and it visits them in random order, so that ending many observations mostly waits for
/// memory.
struct InfoTable {
  private struct Entry {
    /// Address of the object, which is only compared; 0 when the entry has been removed.
    var key: UInt
    var infos: InfoList
  }

  /// The last entry has not been removed.
  private var entries: ContiguousArray<Entry> = []

  /// Number of entries that have not been removed.
  private(set) var count = 0

  /// Places in `entries`, see `Place`; empty while there are few, which are compared one by one.
  /// Its size is a power of two.
  private var places: ContiguousArray<Place> = []

  /// Number of places that are not free.
  private var placesInUse = 0

  private enum Limit {
    /// Number of entries up to which they are compared one by one.
    static let few = 8
  }

  /// A place in `entries`, in half the memory of an optional integer.
  private struct Place: Equatable {
    static let free = Place(bits: 0)
    static let removed = Place(bits: 1)

    let bits: UInt32

    init(_ index: Int) { bits = UInt32(index + 2) }

    private init(bits: UInt32) { self.bits = bits }

    /// `nil` where there is no entry.
    var index: Int? { bits < 2 ? nil : Int(bits - 2) }
  }
}

extension InfoTable {
  /// - Complexity: O(1).
  subscript(object: ObjectIdentifier) -> InfoList {
    find(Self.key(object)).map { entries[$0].infos } ?? .none
  }

  /// Lists `info` if there is none of its object.
  ///
  /// - Returns: The infos of the object, if there are.
  /// - Complexity: O(1) amortised.
  @inline(__always)
  mutating func insertFirst(_ info: ObservationInfo, of object: ObjectIdentifier) -> InfoList {
    let key = Self.key(object)
    if let index = find(key) { return entries[index].infos }
    if entries.count >= Limit.few, needsPlaces { rebuild() }
    if !places.isEmpty { occupy(key, Place(entries.count)) }
    entries.append(Entry(key: key, infos: .one(info)))
    count += 1
    return .none
  }

  /// Lists `info` with others of the same object.
  mutating func insert(_ info: ObservationInfo, of object: ObjectIdentifier) {
    if let index = find(Self.key(object)) { entries[index].infos.insert(info) }
  }

  /// Removes `info`.
  ///
  /// The caller retains `info`, so that this runs no deinit of the user's.
  ///
  /// - Complexity: O(1) amortised, plus finding it among the infos of the object.
  mutating func remove(_ info: ObservationInfo, of object: ObjectIdentifier) {
    let key = Self.key(object)
    // Of few entries, mostly the last one is removed.
    if places.isEmpty, isLast(key), entries[entries.count - 1].infos.isOnly(info) {
      count -= 1
      return removeLast()
    }
    guard let index = find(key) else { return }
    if entries[index].infos.isOnly(info) {
      remove(at: index, key)
    } else {
      _ = entries[index].infos.remove(info)
    }
  }

  /// Number of entries and places for which memory is allocated.
  var capacity: (entries: Int, places: Int) { (entries.capacity, places.capacity) }

  /// All infos, those of an object in the order of registration.
  var all: some RandomAccessCollection<InfoList> {
    entries.lazy.map(\.infos)
  }
}

extension InfoTable {
  private static func key(_ object: ObjectIdentifier) -> UInt { UInt(bitPattern: object) }

  /// Place at which a search for `key` begins. The high bits of the product depend on all bits of
  /// the address; neighbours get places far from each other (Knuth, The Art of Computer Programming
  /// 3, 6.4).
  private func start(of key: UInt) -> Int {
    let product = UInt64(key) &* 0x9E37_79B9_7F4A_7C15
    return Int(product >> UInt64(64 - places.count.trailingZeroBitCount))
  }

  private func find(_ key: UInt) -> Int? {
    guard places.isEmpty else { return findPlace(of: key).flatMap { places[$0].index } }
    // By index, since an entry that is copied is retained.
    for index in entries.indices where entries[index].key == key { return index }
    return nil
  }

  /// Ends at a free place, of which there always is one.
  private func findPlace(of key: UInt) -> Int? {
    var place = start(of: key)
    while places[place] != .free {
      if let index = places[place].index, entries[index].key == key { return place }
      place = next(place)
    }
    return nil
  }

  private func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

  /// Whether more than three quarters of the places would be in use, or there are none yet.
  private var needsPlaces: Bool { 4 * (placesInUse + 1) > 3 * places.count }

  /// Gives a new entry its place.
  private mutating func occupy(_ key: UInt, _ new: Place) {
    var place = start(of: key)
    while places[place].index != nil { place = next(place) }
    if places[place] == .free { placesInUse += 1 }
    places[place] = new
  }

  private mutating func remove(at index: Int, _ key: UInt) {
    if !places.isEmpty, let place = findPlace(of: key) {
      places[place] = .removed
      freeRemoved(upTo: place)
    }
    count -= 1
    if index == entries.count - 1 {
      removeLast()
    } else {
      entries[index] = Entry(key: 0, infos: .none)
    }
    // Not before as many have been removed as are moved.
    if max(entries.count, places.count / 8) > 2 * (count + Limit.few) { rebuild() }
  }

  private func isLast(_ key: UInt) -> Bool {
    !entries.isEmpty && entries[entries.count - 1].key == key
  }

  /// Drops the last entry, and those before it that have been removed.
  @inline(__always)
  private mutating func removeLast() {
    repeat { entries.removeLast() } while isLast(0)
  }

  /// Frees removed places after which every search ends anyway, so that adding and removing objects
  /// in turn does not fill the table.
  private mutating func freeRemoved(upTo last: Int) {
    var place = last
    while places[place] == .removed, places[next(place)] == .free {
      places[place] = .free
      placesInUse -= 1
      place = (place - 1) & (places.count - 1)
    }
  }

  /// Drops removed entries, and reserves places for as many entries again.
  private mutating func rebuild() {
    entries.removeAll { $0.key == 0 }
    guard count >= Limit.few else {
      (places, placesInUse) = ([], 0)
      return
    }
    var size = 16
    while 4 * (count + 1) > 2 * size { size *= 2 }
    places = ContiguousArray(repeating: .free, count: size)
    placesInUse = 0
    for (index, entry) in entries.enumerated() { occupy(entry.key, Place(index)) }
  }
}
