/// What objects hold in their stored properties, and what the subjects of their properties are called.
///
/// Found by reflection, which reads the properties without calling their getters, so that nobody is
/// told. Holds the objects for as long as the graph is being made.
struct StoredObjects {
  /// A property that can be observed, as its object holds it.
  struct Property {
    let owner: AnyObject
    let name: String
  }

  /// A derived property that has been read.
  struct DerivedProperty {
    let owner: AnyObject
    let name: String
    let node: DerivedNode
  }

  /// An object that another one holds, and by which property.
  struct Reference {
    let name: String
    let object: AnyObject
  }

  private(set) var properties: [ObjectIdentifier: Property] = [:]
  private(set) var derived: [DerivedProperty] = []
  private(set) var references: [ObjectIdentifier: [Reference]] = [:]

  /// How many objects are looked into: enough for any picture, and not for ever.
  private static let limit = 20_000

  /// How many elements of one collection are.
  private static let elementLimit = 1_000

  init(of objects: [AnyObject]) {
    var open = objects
    var next = 0
    while next < open.count, references.count < Self.limit {
      let object = open[next]
      next += 1
      let identity = ObjectIdentifier(object)
      guard references[identity] == nil else { continue }
      references[identity] = []
      for reference in contents(of: object) {
        references[identity, default: []].append(reference)
        open.append(reference.object)
      }
    }
  }

  private mutating func contents(of object: AnyObject) -> [Reference] {
    var found: [Reference] = []
    if object is any UnseenInGraph { return [] }
    if let array = object as? any GraphArray {
      if let subject = array.graphSubject {
        properties[ObjectIdentifier(subject)] = Property(owner: object, name: "elements")
      }
      if let link = array.link { found.append(Reference(name: "view", object: link)) }
      for element in array.graphElements.prefix(Self.elementLimit) {
        visit(element, "[…]", of: object, &found, depth: 0)
      }
      return found
    }
    if let storage = object as? any GraphStorage {
      // An atomic property in a constant of its own, whose key path ends in its value.
      note(storage, "wrappedValue", of: object)
      visit(storage.graphValue, "wrappedValue", of: object, &found, depth: 0)
      return found
    }
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror, !Self.isOfSystem(current.subjectType) {
      for child in current.children {
        // An atomic property in a constant is an object of its own.
        visit(
          child.value, Self.name(of: child.label), of: object, &found, depth: 0,
          isWrapper: child.label?.hasPrefix("_") ?? false)
      }
      mirror = current.superclassMirror
    }
    return found
  }

  /// Whether it is a class that has locks of its own, which reflection does not take.
  private static func isOfSystem(_ type: Any.Type) -> Bool {
    let module = String(reflecting: type).prefix { $0 != "." }
    return ["Foundation", "FoundationEssentials", "Dispatch", "Swift", "__C"].contains(module)
      || module.hasPrefix("_")
  }

  /// Finds the objects in a value.
  private mutating func visit(
    _ value: Any, _ name: String, of owner: AnyObject, _ found: inout [Reference], depth: Int,
    isWrapper: Bool = false
  ) {
    guard depth < 8, !(value is any GraphLeaf) else { return }
    if let storage = value as? any GraphStorage, !(type(of: value) is AnyClass) || isWrapper {
      note(storage, name, of: owner)
      return visit(storage.graphValue, name, of: owner, &found, depth: depth + 1)
    }
    let mirror = Mirror(reflecting: value)
    if type(of: value) is AnyClass {
      return found.append(Reference(name: name, object: value as AnyObject))
    }
    switch mirror.displayStyle {
    case .collection, .set, .dictionary:
      for child in mirror.children.prefix(Self.elementLimit) {
        visit(child.value, name + "[…]", of: owner, &found, depth: depth + 1)
      }
    case .optional, .enum:
      for child in mirror.children {
        visit(child.value, name, of: owner, &found, depth: depth + 1)
      }
    default:
      for child in mirror.children {
        let inner = Self.name(of: child.label)
        visit(child.value, "\(name).\(inner)", of: owner, &found, depth: depth + 1)
      }
    }
  }

  private mutating func note(_ storage: any GraphStorage, _ name: String, of owner: AnyObject) {
    if let subject = storage.graphSubject {
      properties[ObjectIdentifier(subject)] = Property(owner: owner, name: name)
      PropertyNames.learn(name, of: owner, for: subject)
    }
    if let node = storage.graphDerived {
      derived.append(DerivedProperty(owner: owner, name: name, node: node))
    }
  }

  /// The name of a property by that of its storage.
  private static func name(of label: String?) -> String {
    guard let label else { return "…" }
    if let range = label.range(of: "$__lazy_storage_$_") {
      return String(label[range.upperBound...])
    }
    return label.hasPrefix("_") ? String(label.dropFirst()) : label
  }
}

extension StoredObjects {
  /// The shortest way from one object to another one by stored properties; empty if there is none.
  func way(
    from start: AnyObject, to end: AnyObject, avoiding: Set<ObjectIdentifier> = []
  ) -> [(owner: AnyObject, name: String)] {
    var previous: [ObjectIdentifier: (owner: AnyObject, name: String)] = [:]
    var open = [start]
    var next = 0
    while next < open.count {
      let object = open[next]
      next += 1
      for reference in references[ObjectIdentifier(object)] ?? [] {
        let identity = ObjectIdentifier(reference.object)
        guard previous[identity] == nil, reference.object !== start else { continue }
        previous[identity] = (object, reference.name)
        if reference.object === end {
          var way: [(owner: AnyObject, name: String)] = []
          var object = end
          while object !== start, let step = previous[ObjectIdentifier(object)] {
            way.append(step)
            object = step.owner
          }
          return way.reversed()
        }
        if !avoiding.contains(identity) { open.append(reference.object) }
      }
    }
    return []
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
extension ObservationSite: UnseenInGraph {}
extension ObservationRegistry: UnseenInGraph {}
extension Subject: UnseenInGraph {}

/// The storage of a property that can be observed.
protocol GraphStorage {
  /// Its subject, if there is one.
  var graphSubject: Subject? { get }

  /// The node of a derived property.
  var graphDerived: DerivedNode? { get }

  var graphValue: Any { get }
}

extension Observed: GraphStorage {
  var graphSubject: Subject? { subject }
  var graphDerived: DerivedNode? { nil }
  var graphValue: Any { value }
}

extension AtomicObserved: GraphStorage {
  var graphSubject: Subject? { subject }
  var graphDerived: DerivedNode? { nil }
  var graphValue: Any { AccessTracker.withoutTracking { wrappedValue } }
}

extension Derived: GraphStorage {
  var graphSubject: Subject? { node.observedSubject }
  var graphDerived: DerivedNode? { node }
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
