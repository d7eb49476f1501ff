/// Finds infos of an object with many of them by key path, by context, and by everything that tells
/// observations apart.
///
/// An object with few infos has none of them here: they are compared one by one. A hash may lead to infos
/// of something else, so that whoever looks them up compares them.
struct InfoIndex {
  private var lists: [Int: InfoList] = [:]

  /// Up to how many infos of an object are compared one by one.
  static let few = 8

  /// With how many infos left an object is taken out; fewer than `few`, so that one that comes and goes
  /// at the limit costs little.
  private static let tooFew = 4
}

extension InfoIndex {
  /// What infos are found by.
  enum Key {
    case keyPath
    case context(ObservationContext?)
    case all(of: ObservationRegistration)
  }

  /// - Parameter keyPathHash: Of a registration, or of a key path by `ObservationRegistration.hash(of:)`.
  subscript(key: Key, keyPathHash: Int, object: ObjectIdentifier) -> InfoList {
    lists[Self.hash(key, keyPathHash, object)] ?? .none
  }

  /// The infos that `info` may be the same as; `nil` where its registration has to be hashed first.
  ///
  /// - Parameter others: All infos of the object.
  /// - Complexity: O(1).
  func infos(like info: ObservationInfo, of object: ObjectIdentifier, among others: InfoList)
    -> InfoList?
  {
    guard others.count > Self.few else { return others }
    return info.registration.keyPathHash.map { self[.all(of: info.registration), $0, object] }
  }

  /// Adds an info. Where it makes the infos of its object many, adds the others too.
  ///
  /// - Parameter others: All infos of the object, whose registrations have been hashed if they are not few.
  /// - Complexity: O(1) amortised.
  mutating func insert(
    _ info: ObservationInfo, of object: ObjectIdentifier, among others: consuming InfoList
  ) {
    guard others.count >= Self.few else { return }
    if others.count == Self.few { others.visit { add($0, of: object) } }
    add(info, of: object)
  }

  /// Takes an info out.
  ///
  /// - Parameter others: What is left of the infos of the object, looked up where there are such objects.
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

  /// Static, since a copy of this would have the table copied when it is edited.
  private static func visitHashes(
    of info: ObservationInfo, _ object: ObjectIdentifier, _ body: (Int) -> Void
  ) {
    let registration = info.registration
    guard let keyPathHash = registration.keyPathHash else { return }
    body(hash(.keyPath, keyPathHash, object))
    body(hash(.context(registration.context), keyPathHash, object))
    // One of many is never the same as another one.
    if !registration.purpose.isOneOfMany { body(hash(.all(of: registration), keyPathHash, object)) }
  }

  /// Under the lock of the store: nothing of a user's is hashed here.
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
      hasher.combine(registration.elementKeyPaths != nil)
      hasher.combine(registration.purpose.target?.hash)
    }
    return hasher.finalize()
  }
}
