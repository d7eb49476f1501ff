/// Index of the infos of objects with many of them: by key path, by context, and by everything that
/// identifies an observation.
///
/// Infos of objects with few are not indexed, but compared one by one. A hash may lead to other
/// infos as well, so that callers compare what they find.
struct InfoIndex {
  private var lists: [Int: InfoList] = [:]

  /// Number of infos of an object up to which they are compared one by one.
  static let few = 8

  /// Number of infos at which an object is removed from the index; smaller than `few`, so that
  /// adding and removing one info in turn costs little.
  private static let tooFew = 4
}

extension InfoIndex {
  /// Properties of the infos to find.
  enum Key {
    case keyPath
    case context(ObservationContext?)
    case all(of: ObservationRegistration)
  }

  /// - Parameter keyPathHash: Of a registration, or of a key path by
  ///   `ObservationRegistration.hash(of:)`.
  subscript(key: Key, keyPathHash: Int, object: ObjectIdentifier) -> InfoList {
    lists[Self.hash(key, keyPathHash, object)] ?? .none
  }

  /// Infos that may be equal to `info`; `nil` where its registration has to be hashed first.
  ///
  /// - Parameter others: All infos of the object.
  /// - Complexity: O(1).
  func infos(like info: ObservationInfo, of object: ObjectIdentifier, among others: InfoList)
    -> InfoList?
  {
    guard others.count > Self.few else { return others }
    return info.registration.keyPathHash.map { self[.all(of: info.registration), $0, object] }
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

  /// Removes an info.
  ///
  /// - Parameter others: The other infos of the object; only called if the index is not empty.
  mutating func remove(
    _ info: ObservationInfo, of object: ObjectIdentifier, leaving others: () -> InfoList
  ) {
    guard !lists.isEmpty else { return }
    let others = others()
    guard others.count >= Self.tooFew else { return }
    drop(info, of: object)
    if others.count == Self.tooFew { others.visit { drop($0, of: object) } }
  }

  private mutating func add(_ info: ObservationInfo, of object: ObjectIdentifier) {
    Self.visitHashes(of: info, object) { _ = lists[$0, default: .none].insertIfNew(info) }
  }

  private mutating func drop(_ info: ObservationInfo, of object: ObjectIdentifier) {
    Self.visitHashes(of: info, object) { hash in
      guard let index = lists.index(forKey: hash) else { return }
      _ = lists.values[index].remove(info)
      if lists.values[index].isEmpty { lists.remove(at: index) }
    }
  }

  /// Static, since a copy of the index would make an edit copy its table.
  private static func visitHashes(
    of info: ObservationInfo, _ object: ObjectIdentifier, _ body: (Int) -> Void
  ) {
    let registration = info.registration
    guard let keyPathHash = registration.keyPathHash else { return }
    body(hash(.keyPath, keyPathHash, object))
    body(hash(.context(registration.context), keyPathHash, object))
    // One of many is never equal to another info.
    if !registration.request.isOneOfMany { body(hash(.all(of: registration), keyPathHash, object)) }
  }

  /// Under the lock of the store: no user code runs here.
  private static func hash(_ key: Key, _ keyPathHash: Int, _ object: ObjectIdentifier) -> Int {
    var hasher = Hasher()
    hasher.combine(object)
    hasher.combine(keyPathHash)
    switch key {
    case .keyPath:
      break
    case .context(let context):
      hasher.combine(context)
    case .all(let registration):
      hasher.combine(registration.context)
      hasher.combine(registration.request.isOfArray)
      hasher.combine(registration.binding?.hash)
    }
    return hasher.finalize()
  }
}
