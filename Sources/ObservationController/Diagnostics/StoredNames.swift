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
    /// The name of the property.
    let name: String
    let offset: Int
    let storage: any StoredNames.Storage.Type
  }

  /// Fields of wrappers in a class and its superclasses. Reads no instance.
  static func fields(of type: AnyClass) -> [Field] {
    var fields: [Field] = []
    #if !canImport(ObjectiveC)
      // `.classType` by its value: the constant is a variable to the compiler.
      _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
        name, offset, type, _ in
        if let storage = type as? any StoredNames.Storage.Type {
          let name = String(cString: name).trimmingPrefix("_")
          fields.append(Field(name: String(name), offset: offset, storage: storage))
        }
        return true
      }
    #endif
    return fields
  }

  typealias Contents = (subject: Subject?, derived: DerivedProperty?)

  /// Visits the wrappers that an object stores, with what they hold, which is retained meanwhile.
  ///
  /// Safe: the caller holds the object, whose deinit has not begun. Subjects are created under the
  /// lock that is taken here; nodes and atomic properties are made with the object. Replacing the
  /// storage (`_name = …`) needs isolation from every other use of the object.
  static func visit(_ object: AnyObject, _ body: (Field, Contents) -> Void) {
    let start = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    for field in fields(of: type(of: object)) {
      let contents = AccessTracking.withLock(of: object) {
        field.storage.contents(at: start + field.offset)
      }
      body(field, contents)
    }
  }

  /// Learns the names of the properties of an object.
  ///
  /// - Parameter keyPaths: Printed key paths of observed properties, by their subjects.
  static func learn(_ object: AnyObject, _ keyPaths: [ObjectIdentifier: String] = [:]) {
    visit(object) { field, contents in
      if let subject = contents.subject {
        PropertyNames.learn("\\\(type(of: object)).\(field.name)", for: subject)
      }
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
    if !isProperty { learnSteps(of: printed, observed) }
  }

  /// Learns the names of the steps of a path that are properties: by the getters that it has run,
  /// whose key paths have the class of each, with one field of the step's type, or one that the
  /// object shows to be read.
  private static func learnSteps(of printed: String, _ observed: ObservedInGraph) {
    let getters = observed.registration.getters
    let computed = KeyPathNames.computed(in: printed)
    guard !getters.isEmpty, !computed.isEmpty else { return }
    let steps = Dictionary(
      getters.map { (KeyPathNames.computed(in: KeyPathNames.printed($0)), $0) }
    ) { first, _ in first }
    var read: Set<Int> = []
    visit(observed.object) { field, contents in
      let identities = [contents.subject as AnyObject?, contents.derived]
      let isRead = identities.contains {
        $0.map { observed.subjects.contains(ObjectIdentifier($0)) } ?? false
      }
      if isRead { read.insert(field.offset) }
    }
    let names = computed.map { step -> String? in
      guard let owner = steps[[step]].flatMap({ type(of: $0).rootType as? AnyClass }) else {
        return nil
      }
      let fields = fields(of: owner).filter {
        KeyPathNames.isComputed(step, of: $0.storage.valueType)
      }
      let likely =
        fields.count > 1
          && sequence(first: type(of: observed.object) as AnyClass, next: { _getSuperclass($0) })
            .contains { $0 == owner }
        ? fields.filter { read.contains($0.offset) } : fields
      return likely.count == 1 ? likely[0].name : nil
    }
    KeyPathNames.learn(names, for: printed)
  }
}

extension StoredNames {
  /// Storage of a property that can be observed.
  protocol Storage {
    /// Type of the property's value.
    static var valueType: Any.Type { get }

    /// What storage of this type holds; reads no value of the user's.
    static func contents(at address: UnsafeRawPointer) -> StoredNames.Contents
  }
}

extension StoredNames.Storage {
  /// The reference in storage, at the offset of a field, without touching the fields beside it.
  fileprivate static func load<Object: AnyObject>(
    _ type: Object.Type, at address: UnsafeRawPointer, _ offset: Int?
  ) -> Object? {
    offset.flatMap { (address + $0).load(as: Optional<Unmanaged<Object>>.self) }?
      .takeUnretainedValue()
  }
}

extension Observed: StoredNames.Storage {
  static var valueType: Any.Type { Value.self }
  static func contents(at address: UnsafeRawPointer) -> StoredNames.Contents {
    (load(Subject.self, at: address, MemoryLayout<Self>.offset(of: \.subject)), nil)
  }
}

extension TrackedObserved: StoredNames.Storage {
  static var valueType: Any.Type { Value.self }
  static func contents(at address: UnsafeRawPointer) -> StoredNames.Contents {
    (load(Subject.self, at: address, MemoryLayout<Self>.offset(of: \.base.subject)), nil)
  }
}

extension AtomicObserved: StoredNames.Storage {
  static var valueType: Any.Type { Value.self }
  static func contents(at address: UnsafeRawPointer) -> StoredNames.Contents {
    (load(AtomicObserved.self, at: address, 0)?.subject, nil)
  }
}

extension Derived: StoredNames.Storage {
  static var valueType: Any.Type { Value.self }
  static func contents(at address: UnsafeRawPointer) -> StoredNames.Contents {
    let node = load(DerivedProperty.self, at: address, MemoryLayout<Self>.offset(of: \.node))
    return (node?.observedSubject, node)
  }
}
