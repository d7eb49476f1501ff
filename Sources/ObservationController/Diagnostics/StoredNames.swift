#if !canImport(ObjectiveC)
  @_spi(Reflection) import Swift
#endif

/// Names of the observable properties of an object, for reports and descriptions (C33).
///
/// Lists names, types and offsets of the fields of its class, and reads those alone whose type is
/// one of this library's wrappers, never a property of the user's: that may be `unowned` with its
/// target gone, or guarded by a lock of its own, or being written by another thread.
///
/// Where the system finds the names of getters, as on Apple's platforms, nothing is listed.
enum StoredNames {
  /// A wrapper's field in instances of a class.
  struct Field {
    /// The class and the name of the property, as a key path prints them.
    let text: String

    /// Offset of the reference that the wrapper holds.
    let offset: Int
    let storage: any StoredNames.Storage.Type

    /// The name of the property.
    var name: String { StoredNames.name(in: text) }

    /// The reference, not retained; under the lock for the subjects of the object.
    fileprivate func reference(in object: AnyObject) -> Unmanaged<AnyObject>? {
      (UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) + offset)
        .load(as: Optional<Unmanaged<AnyObject>>.self)
    }
  }

  /// The fields of each class that was asked for; they never change.
  private static let known = Locked<[ObjectIdentifier: [Field]]>([:])

  /// Fields of wrappers in a class and its superclasses. Reads no instance.
  private static func fields(of type: AnyClass) -> [Field] {
    if let fields = known.withLock({ $0[ObjectIdentifier(type)] }) { return fields }
    var fields: [Field] = []
    #if !canImport(ObjectiveC)
      // `.classType` by its value: the constant is a variable to the compiler.
      _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
        label, start, value, _ in
        if let storage = value as? any StoredNames.Storage.Type, let offset = storage.offset {
          let name = String(cString: label).trimmingPrefix("_")
          fields.append(Field(text: "\\\(type).\(name)", offset: start + offset, storage: storage))
        }
        return true
      }
    #endif
    let found = fields
    known.withLock { $0[ObjectIdentifier(type)] = found }
    return found
  }

  /// `name` of `\Person.name`.
  static func name(in text: String) -> String {
    text.split(separator: ".").last.map(String.init) ?? text
  }

  /// Class and name of the property whose storage holds `storage`.
  ///
  /// Safe as `visit`, without retaining anything.
  static func name(of storage: AnyObject, in owner: AnyObject) -> String? {
    if storage === owner { return "\\\(type(of: owner)).wrappedValue" }
    let fields = fields(of: type(of: owner))
    let address = Unmanaged.passUnretained(storage).toOpaque()
    return AccessTracking.withLock(of: owner) {
      fields.first { $0.reference(in: owner)?.toOpaque() == address }?.text
    }
  }

  /// What an atomic property holds that is an object of its own, in a constant.
  private static func constant(_ object: AnyObject) -> Contents? {
    (type(of: object) as? any StoredNames.Storage.Type)?.contents(of: object)
  }

  typealias Contents = (subject: Subject?, derived: DerivedProperty?)

  /// Visits the wrappers that an object stores, with what they hold, which is retained meanwhile.
  ///
  /// Safe: the caller holds the object, whose deinit has not begun. Subjects are created under the
  /// lock that is taken here; nodes and atomic properties are made with the object. Replacing the
  /// storage (`_name = …`) needs isolation from every other use of the object.
  static func visit(_ object: AnyObject, _ body: (Field, Contents) -> Void) {
    for field in fields(of: type(of: object)) {
      let reference = AccessTracking.withLock(of: object) {
        field.reference(in: object)?.takeUnretainedValue()
      }
      if let reference { body(field, field.storage.contents(of: reference)) }
    }
  }

  /// Learns the names of the properties of an object.
  ///
  /// - Parameter keyPaths: Printed key paths of observed properties, by their subjects.
  static func learn(_ object: AnyObject, _ keyPaths: [ObjectIdentifier: String] = [:]) {
    if let constant = constant(object) {
      if let subject = constant.subject {
        PropertyNames.learn("\\\(type(of: object)).wrappedValue", for: subject)
      }
      return
    }
    visit(object) { field, contents in
      if let subject = contents.subject { PropertyNames.learn(field.text, for: subject) }
      if let derived = contents.derived, let keyPath = derived.keyPath {
        KeyPathNames.learn([field.name], for: KeyPathNames.printed(keyPath))
      }
      let identities = [contents.subject as AnyObject?, contents.derived]
      for case let identity? in identities {
        guard let printed = keyPaths[ObjectIdentifier(identity)] else { continue }
        KeyPathNames.learn([field.name], for: printed)
      }
    }
  }

  /// Learns the names of the properties in the key path of an observation.
  static func learn(_ observed: ObservedInGraph) {
    let printed = KeyPathNames.printed(observed.keyPath)
    let isProperty =
      observed.isProperty || observed.registration.isKnownProperty(of: observed.object)
    let keyPaths = isProperty ? observed.subjects.map { ($0, printed) } : []
    learn(observed.object, Dictionary(keyPaths) { first, _ in first })
    if isProperty, observed.object is any AnyObservableArray {
      KeyPathNames.learn(["elements"], for: printed)
    } else if isProperty, constant(observed.object) != nil {
      KeyPathNames.learn(["wrappedValue"], for: printed)
    }
    let getters = observed.registration.getters
    for (keyPath, name) in getters + observed.elementGetters {
      guard let name else { continue }
      KeyPathNames.learn([Self.name(in: name)], for: KeyPathNames.printed(keyPath))
    }
    // A getter has an address for each module that uses it, and in generic code.
    if observed.registration.isChain {
      KeyPathNames.learn(getters.map { $0.name.map(Self.name(in:)) }, for: printed)
    }
  }
}

extension StoredNames {
  /// Storage of a property that can be observed: it holds one reference that tells it apart.
  protocol Storage {
    /// Offset of the reference.
    static var offset: Int? { get }

    /// What the reference leads to; reads no value of the user's.
    static func contents(of reference: AnyObject) -> StoredNames.Contents
  }
}

// Safe: the references in storage have these types.

extension Observed: StoredNames.Storage {
  static var offset: Int? { MemoryLayout<Self>.offset(of: \.subject) }
  static func contents(of reference: AnyObject) -> StoredNames.Contents {
    (unsafeDowncast(reference, to: Subject.self), nil)
  }
}

extension TrackedObserved: StoredNames.Storage {
  static var offset: Int? { MemoryLayout<Self>.offset(of: \.base.subject) }
  static func contents(of reference: AnyObject) -> StoredNames.Contents {
    (unsafeDowncast(reference, to: Subject.self), nil)
  }
}

extension AtomicObserved: StoredNames.Storage {
  static var offset: Int? { 0 }
  static func contents(of reference: AnyObject) -> StoredNames.Contents {
    (unsafeDowncast(reference, to: AtomicObserved.self).subject, nil)
  }
}

extension Derived: StoredNames.Storage {
  static var offset: Int? { MemoryLayout<Self>.offset(of: \.node) }
  static func contents(of reference: AnyObject) -> StoredNames.Contents {
    let node = unsafeDowncast(reference, to: DerivedProperty.self)
    return (node.observedSubject, node)
  }
}
