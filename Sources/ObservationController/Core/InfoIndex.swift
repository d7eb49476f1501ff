/// Lists of infos, none of which is empty.
extension SortedMap where Value == InfoList {
  /// Removes an info from the list of a key, if it is there.
  ///
  /// The caller holds `info`; no user object is released here.
  mutating func remove(_ info: ObservationInfo, of key: Key) {
    let place = place(of: key)
    guard place.isTaken else { return }
    if self[place].isOnly(info) { remove(at: place) } else { _ = self[place].remove(info) }
  }
}

/// Index of the infos of objects with many of them: by key path, by context, and by everything that
/// identifies an observation.
///
/// Infos of objects with few are not indexed, but compared one by one. A hash may lead to other
/// infos as well, so that callers compare what they find.
struct InfoIndex {
  /// Not sorted: the hashes come in no order.
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
      // Without `.some` the chain's `nil` would stand for infos with any binding.
      self[
        Key(
          object: object, keyPathHash: $0, context: registration.context,
          binding: .some(registration.binding?.hash))]
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
