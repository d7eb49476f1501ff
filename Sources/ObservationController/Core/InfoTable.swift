/// The infos of each observed object, by its address.
///
/// The lists stand in the order in which their objects were first observed, which is mostly that of
/// their addresses, and open addressing finds their places. A standard dictionary hashes with keys
/// that nobody can guess, which takes 190 instructions where a multiplication does for addresses; it
/// takes 34 bytes for each of a million objects in place of 25; and it goes through them at random,
/// so that ending a million observations waits for memory most of the time.
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

  /// Places in `entries`, see `Place`; empty while there are few, which are compared one by one. Its
  /// size is a power of two.
  private var places: ContiguousArray<Place> = []

  /// How many places are not free.
  private var placesInUse = 0

  private enum Limit {
    /// Up to how many entries are compared one by one.
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

  /// Lists `info` if there is none of the same object.
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

  /// Takes `info` out.
  ///
  /// The caller holds `info`; nothing of a user's is freed here.
  ///
  /// - Complexity: O(1) amortised, plus finding it among the infos of the object.
  mutating func remove(_ info: ObservationInfo, of object: ObjectIdentifier) {
    let key = Self.key(object)
    // Where few come and go, mostly the last one goes.
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

  /// For how many entries and places there is memory.
  var capacity: (entries: Int, places: Int) { (entries.capacity, places.capacity) }

  /// All infos, those of an object in the order of registration.
  var all: some RandomAccessCollection<InfoList> {
    entries.lazy.map(\.infos)
  }
}

extension InfoTable {
  private static func key(_ object: ObjectIdentifier) -> UInt { UInt(bitPattern: object) }

  /// Where a search for `key` begins. The high bits of the product depend on all bits of the address;
  /// neighbours get places far from each other (Knuth, The Art of Computer Programming 3, 6.4).
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

  /// There always is a free place, where this ends.
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

  /// Frees removed places behind which every search ends anyway, so that objects that come and go leave
  /// nothing behind.
  private mutating func freeRemoved(upTo last: Int) {
    var place = last
    while places[place] == .removed, places[next(place)] == .free {
      places[place] = .free
      placesInUse -= 1
      place = (place - 1) & (places.count - 1)
    }
  }

  /// Drops what has been removed, and makes room for as many again.
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
