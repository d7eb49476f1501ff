/// What objects hold in their stored properties, and what the subjects of their properties are called.
///
/// Found by reflection, which reads the properties without calling their getters, so that nobody is
/// told. Holds the objects for as long as the graph is being made.
struct StoredObjects {
  /// A property as its object holds it.
  typealias Property = (owner: AnyObject, name: String)

  /// Those that can be observed, by their subjects.
  private(set) var properties: [ObjectIdentifier: Property] = [:]

  /// Derived properties that have been read, with what computes them.
  private(set) var derived: [(property: Property, node: DerivedProperty)] = []

  /// The objects that an object holds, and by which property.
  private(set) var references: [ObjectIdentifier: [(name: String, object: AnyObject)]] = [:]

  /// How many objects are looked into: enough for any picture, and not for ever.
  private static let limit = 20_000

  /// How many elements of one collection are.
  private static let elementLimit = 1_000

  /// The objects that have been found, in the order in which they are looked into.
  private var found: [AnyObject]

  /// - Parameter identities: The objects that are looked into beside `objects`; `nil` for all that are found.
  init(of objects: [AnyObject], within identities: Set<ObjectIdentifier>? = nil) {
    found = objects
    var next = 0
    while next < found.count, references.count < Self.limit {
      let object = found[next]
      next += 1
      guard references[ObjectIdentifier(object)] == nil,
        next <= objects.count || identities?.contains(ObjectIdentifier(object)) ?? true
      else { continue }
      references[ObjectIdentifier(object)] = []
      lookInto(object)
    }
  }

  /// The owner of the first of these subjects that was come across.
  func owner(ofFirstKnown subjects: [ObjectIdentifier]) -> AnyObject? {
    subjects.lazy.compactMap { properties[$0]?.owner }.first
  }

  private mutating func lookInto(_ object: AnyObject) {
    if object is any UnseenInGraph { return }
    if let array = object as? any GraphArray {
      if let subject = array.graphSubject {
        properties[ObjectIdentifier(subject)] = (object, "elements")
      }
      if let link = array.link { add(link, named: "view", to: object) }
      for element in array.graphElements.prefix(Self.elementLimit) {
        visit(element, "[…]", of: object)
      }
      return
    }
    if let storage = object as? any GraphStorage {
      // An atomic property in a constant of its own, whose key path ends in its value.
      note(storage, "wrappedValue", of: object)
      return visit(storage.graphValue, "wrappedValue", of: object)
    }
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror, !Self.isOfSystem(current.subjectType) {
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

  /// Whether it is a class that has locks of its own, which reflection does not take.
  private static func isOfSystem(_ type: Any.Type) -> Bool {
    let module = String(reflecting: type).prefix { $0 != "." }
    return ["Foundation", "FoundationEssentials", "Dispatch", "Swift", "__C"].contains(module)
      || module.hasPrefix("_")
  }

  /// Finds the objects in a value.
  private mutating func visit(
    _ value: Any, _ name: String, of owner: AnyObject, depth: Int = 0, isWrapper: Bool = false
  ) {
    guard depth < 8, !(value is any GraphLeaf) else { return }
    if let storage = value as? any GraphStorage, !(type(of: value) is AnyClass) || isWrapper {
      note(storage, name, of: owner)
      return visit(storage.graphValue, name, of: owner, depth: depth + 1)
    }
    if type(of: value) is AnyClass { return add(value as AnyObject, named: name, to: owner) }
    let mirror = Mirror(reflecting: value)
    let isCollection = [.collection, .set, .dictionary].contains(mirror.displayStyle)
    for child in mirror.children.prefix(isCollection ? Self.elementLimit : .max) {
      let inner =
        switch mirror.displayStyle {
        case .collection, .set, .dictionary: name + "[…]"
        case .optional, .enum: name
        default: "\(name).\(Self.name(of: child.label))"
        }
      visit(child.value, inner, of: owner, depth: depth + 1)
    }
  }

  private mutating func note(_ storage: any GraphStorage, _ name: String, of owner: AnyObject) {
    if let subject = storage.graphSubject {
      properties[ObjectIdentifier(subject)] = (owner, name)
      PropertyNames.learn(name, of: owner, for: subject)
    }
    if let node = storage.graphDerived {
      derived.append(((owner, name), node))
    }
  }

  /// The name of a property by that of its storage.
  private static func name(of label: String?) -> String {
    guard let label else { return "…" }
    if let range = label.firstRange(of: "$__lazy_storage_$_") {
      return String(label[range.upperBound...])
    }
    return label.hasPrefix("_") ? String(label.dropFirst()) : label
  }
}

/// What holds no object that a graph could show, and may be large.
protocol GraphLeaf {}

extension String: GraphLeaf {}
extension Substring: GraphLeaf {}
extension Character: GraphLeaf {}
extension Int: GraphLeaf {}
extension Double: GraphLeaf {}
extension Bool: GraphLeaf {}

extension [UInt8]: GraphLeaf {}

/// An object of the library that is not looked into: other edges tell what it holds, or it is guarded by
/// a lock, which reflection does not take.
protocol UnseenInGraph: AnyObject {}

extension ObservationController: UnseenInGraph {}
extension ObservationToken: UnseenInGraph {}
extension ObservableEvent: UnseenInGraph {}
extension ObservableHook: UnseenInGraph {}
extension ObservationRegistration: UnseenInGraph {}
extension ObservationStore: UnseenInGraph {}
extension Subject: UnseenInGraph {}

/// The storage of a property that can be observed.
protocol GraphStorage {
  /// Its subject, if there is one.
  var graphSubject: Subject? { get }

  /// The node of a derived property.
  var graphDerived: DerivedProperty? { get }

  var graphValue: Any { get }
}

extension Observed: GraphStorage {
  var graphSubject: Subject? { subject }
  var graphDerived: DerivedProperty? { nil }
  var graphValue: Any { value }
}

extension AtomicObserved: GraphStorage {
  var graphSubject: Subject? { subject }
  var graphDerived: DerivedProperty? { nil }
  var graphValue: Any { AccessTracker.withoutTracking { wrappedValue } }
}

extension Derived: GraphStorage {
  var graphSubject: Subject? { node.observedSubject }
  var graphDerived: DerivedProperty? { node }
  var graphValue: Any { () }
}

/// An array that can be observed, without the type of its elements.
protocol GraphArray: AnyObject {
  var graphSubject: Subject? { get }
  var graphElements: any Collection { get }
  var link: ArrayViewLink? { get }
}

extension ObservableArray: GraphArray {
  var graphSubject: Subject? { subject }
  var graphElements: any Collection { storage }
}
