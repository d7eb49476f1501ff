/// A key path that is nothing but observed properties, each of the object that the one before it
/// refers to, such as `\.friend.name`.
///
/// The value of such a path is that of its last property, so that a change of this one need not
/// evaluate the path: the setter has both values. Known of a key path, not of an object; whether it
/// holds for what the links refer to just now is proven by `PathObservation.prove`.
final class PlainChain {
  /// The classes that declare the properties. A property is only known to be read by its own getter
  /// where it belongs to an object of just this class: a subclass may override that.
  private let classes: [AnyClass]

  /// All properties but the last.
  private let links: [AnyKeyPath]

  /// Copies a value of the last property.
  let box: (UnsafeRawPointer) -> ValueBox

  /// Reads the last property of an object of just the class that declares it.
  private let lastReader: (AnyObject) -> ValueBox

  /// - Parameter accesses: What `keyPath` has read, starting from `root`.
  /// - Returns: `nil` unless `keyPath` equals the key paths of these properties, one appended to the
  ///   other.
  init?(
    _ accesses: PropertyAccesses, at keyPath: AnyKeyPath, of root: AnyObject,
    box: @escaping (UnsafeRawPointer) -> ValueBox
  ) {
    guard type(of: keyPath).rootType == type(of: root), accesses.areOwn(upTo: keyPath) else {
      return nil
    }
    let keyPaths = accesses.all.compactMap(\.keyPath)
    guard var chain = keyPaths.last, keyPaths.count > 1 else { return nil }
    // From behind: appended to one after the other, three or more do not equal the literal.
    for previous in keyPaths.dropLast().reversed() {
      guard let longer = previous.appending(path: chain) else { return nil }
      chain = longer
    }
    guard chain == keyPath else { return nil }
    classes = keyPaths.compactMap { type(of: $0).rootType as? AnyClass }
    guard classes.count == keyPaths.count else { return nil }
    links = keyPaths.dropLast()
    self.box = box
    lastReader = Self.reader(of: keyPaths[keyPaths.count - 1], box)
  }

  var count: Int { classes.count }

  /// Whether it may be the chain of the same key path from another object.
  func isPossible(for accesses: PropertyAccesses, from root: AnyObject) -> Bool {
    isExact(root, at: 0) && accesses.count == count && !accesses.areShared
  }
}

extension PropertyAccesses {
  /// Whether the types of the properties fit into a chain that leads to the value of `keyPath`: most
  /// that are none are told by that.
  fileprivate func areOwn(upTo keyPath: AnyKeyPath) -> Bool {
    var reached: Any.Type? = type(of: keyPath).rootType
    visit { access in
      let isNext = access.keyPath.map { type(of: $0).rootType == reached } ?? false
      reached = isNext && access.lock == nil ? access.keyPath.map { type(of: $0).valueType } : nil
    }
    return reached == type(of: keyPath).valueType
  }
}

extension PlainChain {
  /// The objects that the properties belong to, as long as each is of just the class that declares its
  /// property. Calls no code of a user's: a link is read only by the getter that its class has.
  ///
  /// - Returns: `nil` if one is not.
  func owners(from root: AnyObject) -> [ObjectIdentifier]? {
    var owners = [ObjectIdentifier(root)]
    owners.reserveCapacity(classes.count)
    var object = root
    for (index, link) in links.enumerated() {
      object = Self.read(link, of: object)
      guard isExact(object, at: index + 1) else { return nil }
      owners.append(ObjectIdentifier(object))
    }
    return owners
  }

  /// The object that the last link refers to.
  ///
  /// - Parameter link: Where the value of the link is.
  /// - Returns: `nil` if it is of another class than that which declares the last property.
  func lastOwner(at link: UnsafeRawPointer) -> ObjectIdentifier? {
    // Safe: a reference to an object of a class, as `owners` says.
    let object = link.load(as: Unmanaged<AnyObject>.self)
    return object._withUnsafeGuaranteedRef {
      isExact($0, at: count - 1) ? ObjectIdentifier($0) : nil
    }
  }

  /// The same object, held.
  func lastObject(at link: UnsafeRawPointer) -> AnyObject? {
    // Safe: as `lastOwner`.
    let object = link.load(as: Unmanaged<AnyObject>.self).takeUnretainedValue()
    return isExact(object, at: count - 1) ? object : nil
  }

  /// The value of the last property of an object that `lastObject` has returned. Calls no code of a
  /// user's, as `owners`.
  func readLast(of object: AnyObject) -> ValueBox { lastReader(object) }

  private func isExact(_ object: AnyObject, at index: Int) -> Bool {
    type(of: object) == classes[index]
  }

  private static func reader(
    of last: AnyKeyPath, _ box: @escaping (UnsafeRawPointer) -> ValueBox
  ) -> (AnyObject) -> ValueBox {
    let (rootType, valueType) = (type(of: last).rootType, type(of: last).valueType)
    return reader(of: last, rootType, valueType, box)
  }

  /// Receives the types of the last property, opened once: to open them takes longer than to read it.
  private static func reader<Owner, Value>(
    of last: AnyKeyPath, _ rootType: Owner.Type, _ valueType: Value.Type,
    _ box: @escaping (UnsafeRawPointer) -> ValueBox
  ) -> (AnyObject) -> ValueBox {
    let last = unsafeDowncast(last, to: KeyPath<Owner, Value>.self)
    return { object in
      // Safe: the object is of just this class.
      let owner = unsafeBitCast(object, to: Owner.self)
      return withUnsafePointer(to: owner[keyPath: last]) { box($0) }
    }
  }

  private static func read(_ link: AnyKeyPath, of object: AnyObject) -> AnyObject {
    let (rootType, valueType) = (type(of: link).rootType, type(of: link).valueType)
    return reference(at: link, of: object, rootType, valueType)
  }

  /// Receives the types of the link, opened.
  private static func reference<Owner, Value>(
    at link: AnyKeyPath, of object: AnyObject, _ rootType: Owner.Type, _ valueType: Value.Type
  ) -> AnyObject {
    // Safe: the object is of just this class; the value is a reference to an object of the class that
    // declares the next property, since the key paths could be appended.
    let link = unsafeDowncast(link, to: KeyPath<Owner, Value>.self)
    let owner = unsafeBitCast(object, to: Owner.self)
    return unsafeBitCast(owner[keyPath: link], to: AnyObject.self)
  }
}

/// Immutable; the key paths are of properties alone, and the closures capture nothing but these and types.
extension PlainChain: @unchecked Sendable {}
