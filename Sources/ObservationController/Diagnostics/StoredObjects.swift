/// Stored properties of objects: the objects in them, and the names of the properties that subjects
/// belong to.
///
/// Found by reflection, which reads stored properties of the user's without calling their getters,
/// so that no read is reported: no other thread may be writing them, and no `unowned` one may have
/// lost its target. For graphs alone; see `StoredNames` for reports and descriptions (C33).
/// Retains the objects while a graph is being made.
struct StoredObjects {
  /// A property that can be observed, with its storage if it is derived.
  typealias Property = (owner: AnyObject, name: String, derived: DerivedProperty?)

  /// Properties by their subjects, derived ones by their storage too.
  private(set) var properties: [ObjectIdentifier: Property] = [:]

  /// The objects that an object refers to, with the names of the properties.
  private(set) var references: [ObjectIdentifier: [(name: String, object: AnyObject)]] = [:]

  /// The number of objects that are reflected: enough for any picture.
  private static let limit = 20_000

  /// The number of elements of a collection, or of other parts of a value, that are reflected.
  private static let elementLimit = 1_000

  /// The objects that have been found, in the order in which they are reflected.
  private var found: ArraySlice<AnyObject>

  /// - Parameter objects: Where to begin.
  init(of objects: [AnyObject]) {
    found = objects[...]
    // A mirror of the user's own may read properties.
    AccessTracker.withoutTracking {
      while references.count < Self.limit, let object = found.popFirst() {
        let identity = ObjectIdentifier(object)
        guard references[identity] == nil else { continue }
        references[identity] = []
        reflect(object)
      }
    }
  }

  /// The owner of the first of these subjects that was found.
  func owner(ofFirstKnown subjects: [ObjectIdentifier]) -> AnyObject? {
    subjects.lazy.compactMap { properties[$0]?.owner }.first
  }

  private mutating func reflect(_ object: AnyObject) {
    if let array = object as? any AnyObservableArray {
      if let subject = array.subject {
        properties[ObjectIdentifier(subject)] = (object, "elements", nil)
      }
      if let link = array.link { add(link, named: "view", to: object) }
      for element in array.prefix(Self.elementLimit) {
        visit(element, "[…]", of: object)
      }
      return
    }
    if object is any StoredObjects.Storage {
      // An atomic property in a constant, whose key path ends in its value.
      return visit(object, "wrappedValue", of: object, isWrapper: true)
    }

    var mirror = Self.isOpaque(type(of: object)) ? nil : Mirror(reflecting: object)
    while let current = mirror, !Self.isOpaque(current.subjectType) {
      for child in current.children {
        // An atomic property in a constant is an object of its own.
        visit(
          child.value, Self.name(of: child.label), of: object,
          isWrapper: child.label?.hasPrefix("_") ?? false)
      }
      mirror = current.superclassMirror
    }
  }

  private mutating func add(_ object: AnyObject, named name: String, to owner: AnyObject) {
    references[ObjectIdentifier(owner)]?.append((name, object))
    found.append(object)
  }

  /// Whether a class may have locks, which reflection does not take: one of the system, or of this
  /// library, whose references other edges show.
  private static func isOpaque(_ type: Any.Type) -> Bool {
    let module = String(reflecting: type).prefix { $0 != "." }
    let opaque = [
      "Foundation", "FoundationEssentials", "Dispatch", "Swift", "__C", "ObservationController",
    ]
    return opaque.contains(String(module)) || module.hasPrefix("_")
  }

  /// Finds the objects in a value.
  private mutating func visit(
    _ value: Any, _ name: String, of owner: AnyObject, depth: Int = 0, isWrapper: Bool = false
  ) {
    guard depth < 8 else { return }
    if let storage = value as? any StoredObjects.Storage,
      !(type(of: value) is AnyClass) || isWrapper
    {
      let (subject, derived, stored) = storage.graphed
      let sources = [subject as AnyObject?, derived].compactMap { $0.map(ObjectIdentifier.init) }
      for source in sources { properties[source] = (owner, name, derived) }
      if let subject { PropertyNames.learn("\\\(type(of: owner)).\(name)", for: subject) }
      if let keyPath = derived?.keyPath {
        KeyPathNames.learn([name], for: KeyPathNames.printed(keyPath))
      }
      return visit(stored(), name, of: owner, depth: depth + 1)
    }
    if type(of: value) is AnyClass { return add(value as AnyObject, named: name, to: owner) }
    let mirror = Mirror(reflecting: value)
    for child in mirror.children.prefix(Self.elementLimit) {
      let inner =
        switch mirror.displayStyle {
        case .collection, .set, .dictionary: name + "[…]"
        case .optional, .enum: name
        default: "\(name).\(Self.name(of: child.label))"
        }
      visit(child.value, inner, of: owner, depth: depth + 1)
    }
  }

  /// The name of a property, from that of its storage.
  private static func name(of label: String?) -> String {
    guard let label else { return "…" }
    return String(label.trimmingPrefix("$__lazy_storage_$").trimmingPrefix("_"))
  }
}

extension StoredObjects {
  /// Storage of a property that can be observed.
  protocol Storage {
    /// The property's subject, if there is one, the node of a derived property, and what reads the
    /// value of a stored one.
    var graphed: StoredObjects.Contents { get }
  }

  typealias Contents = (subject: Subject?, derived: DerivedProperty?, value: () -> Any)
}

extension Observed: StoredObjects.Storage {
  var graphed: StoredObjects.Contents { (subject, nil, { value }) }
}

extension TrackedObserved: StoredObjects.Storage {
  var graphed: StoredObjects.Contents { base.graphed }
}

extension AtomicObserved: StoredObjects.Storage {
  var graphed: StoredObjects.Contents {
    (subject, nil, { self.wrappedValue })
  }
}

extension Derived: StoredObjects.Storage {
  var graphed: StoredObjects.Contents { (node.observedSubject, node, { () }) }
}
