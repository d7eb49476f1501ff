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

  /// Infos of an object among which those of a key are.
  ///
  /// - Parameters:
  ///   - key: `nil` where the key path has to be hashed first.
  ///   - others: All infos of the object.
  /// - Returns: `nil` without a key, if there are many.
  /// - Complexity: O(1).
  func infos(of key: @autoclosure () -> Key?, among others: InfoList) -> InfoList? {
    others.isLonger(than: Self.few) ? key().map { lists[$0.hashValue] ?? .none } : others
  }

  /// Adds an info. Adds the other infos of its object too, if they are many from now on.
  ///
  /// - Parameter others: All infos of the object, whose registrations have been hashed if they are
  ///   not few.
  /// - Complexity: O(1) amortised.
  mutating func insert(
    _ info: ObservationInfo, of object: ObjectIdentifier, among others: consuming InfoList
  ) {
    guard others.isLonger(than: Self.few - 1) else { return }
    if !others.isLonger(than: Self.few) { others.visit { add($0, of: object) } }
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
    // Under the lock of the store: hashing this runs no user code.
    guard var key = Key(of: info.registration, object) else { return }
    // One of many is never equal to another info.
    if !info.registration.request.isOneOfMany { body(key.hashValue) }
    key.binding = nil
    body(key.hashValue)
    key.context = nil
    body(key.hashValue)
  }
}

extension InfoIndex.Key {
  /// The key of infos that are equal to those of a registration; `nil` until that has been hashed.
  init?(of registration: ObservationRegistration, _ object: ObjectIdentifier) {
    guard let keyPathHash = registration.keyPathHash else { return nil }
    (self.object, self.keyPathHash) = (object, keyPathHash)
    // Without `.some` the chain's `nil` would stand for infos with any binding.
    (context, binding) = (.some(registration.context), .some(registration.binding?.hash))
  }
}
