extension ObservationGraph {
  /// Builder of a graph's nodes and edges, from which it finds cycles too.
  struct Builder {
    typealias Node = ObservationGraph.Node
    typealias Edge = ObservationGraph.Edge

    let observed: [ObservedInGraph]
    let objects: StoredObjects

    private(set) var nodes: [Node] = []
    private(set) var edges: [Edge] = []

    /// Nodes of objects, the stores of controllers, and classes whose objects share a node, by
    /// their identities; nodes of properties, by their owners and names.
    private var knownNodes: [AnyHashable: Int] = [:]

    /// Objects that have a node, in the order in which observations lead to them.
    private var shown: [AnyObject] = []

    /// Sizes of the groups of objects that share the node of their class: those that have no label,
    /// and are only read, or very many.
    private var groups: [ObjectIdentifier: Int] = [:]

    /// Number of objects of a class that have nodes of their own.
    private static let limit = 24

    init(_ observed: [ObservedInGraph], _ objects: StoredObjects) {
      (self.observed, self.objects) = (observed, objects)
      groupObjects()
      for item in observed { add(item) }
      addStoredProperties()
      numberObjects()
      edges = edges.unique { "\($0.kind) \($0.from) \($0.to) \($0.label) \($0.file ?? "")" }
    }
  }
}

// MARK: - Observations

extension ObservationGraph.Builder {
  private mutating func add(_ item: ObservedInGraph) {
    let controller = controller(of: item)
    let registration = item.registration
    let property = property(Self.name(of: registration), of: node(of: item.object))
    let label = Self.label(of: registration)
    insert(.observes, controller, property, isStrong: item.isRetained, label, of: registration)
    if let (object, keyPath) = item.target {
      let target = self.property(KeyPathNames.text(of: keyPath), of: node(of: object))
      insert(.sets, property, target, of: registration)
    }
    // A stored property is not read by an observation of just that.
    let read = item.subjects.filter { !item.isProperty || objects.properties[$0]?.derived != nil }
    insertReads(of: read, from: property)
    for (keyPath, subjects) in item.elements {
      let element = objects.owner(ofFirstKnown: subjects)
      let kind = type(of: keyPath).rootType
      let owner = element.map { node(of: $0) } ?? node(ObjectIdentifier(kind), .object, "\(kind)")
      insert(.reads, property, self.property(KeyPathNames.text(of: keyPath), of: owner))
    }
  }

  /// Adds edges to the properties of `subjects`, and from those of them that are derived to what
  /// these are computed from.
  private mutating func insertReads(of subjects: [ObjectIdentifier], from property: Int) {
    for (owner, name, derived) in subjects.compactMap({ objects.properties[$0] }) {
      let end = self.property(name, of: node(of: owner))
      insert(.reads, property, end)
      guard let derived else { continue }
      nodes[end].kind = .derived
      insertReads(of: derived.sources, from: end)
    }
  }

  private static func name(of registration: ObservationRegistration) -> String {
    let request = registration.request
    if let name = request.notification { return "notification \(name)" }
    return request.cause == .change
      ? KeyPathNames.text(of: request.keyPath) : request.cause.rawValue
  }

  private static func label(of registration: ObservationRegistration) -> String {
    let isTwoWay = registration.binding?.isTwoWay ?? false
    var parts = [(isTwoWay ? "two-way " : "") + registration.handlerKind.rawValue]
    if !registration.options.isEmpty { parts.append("\(registration.options)") }
    if let context = registration.context, registration.request.notification == nil {
      parts.append("context \(context)")
    }
    let file = registration.file.split(separator: "/").last ?? ""
    return parts.joined(separator: " ") + "\n\(file):\(registration.line)"
  }

  /// Adds edges for references between objects, also by way of objects that have no node.
  private mutating func addStoredProperties() {
    // By nodes: the others of a group lead to the same objects.
    var seen: [Int: Set<ObjectIdentifier>] = [:]
    for start in shown {
      let node = node(of: start)
      var open = [(object: start, way: "")][...]
      while let (object, way) = open.popFirst() {
        for reference in objects.references[ObjectIdentifier(object)] ?? [] {
          let identity = ObjectIdentifier(reference.object)
          let name = way.isEmpty ? reference.name : way + "." + reference.name
          if let end = knownNodes[identity] {
            insert(.stores, node, end, isStrong: true, name)
          } else if seen[node, default: []].insert(identity).inserted {
            open.append((reference.object, name))
          }
        }
      }
    }
  }
}

// MARK: - Nodes and edges

extension ObservationGraph.Builder {
  private mutating func controller(of item: ObservedInGraph) -> Int {
    let store = item.registration.store
    let observer = node(of: item.observer)
    let name = store.retainsObserved ? "controller, retains" : "controller"
    let controller = node(ObjectIdentifier(store), .controller, name)
    insert(.owns, observer, controller, isStrong: true)
    insert(.notifies, controller, observer)
    return controller
  }

  private mutating func node(of object: AnyObject) -> Int {
    let key = ObjectIdentifier(object)
    if let node = knownNodes[key] { return node }
    shown.append(object)
    let count = groups[key]
    let name = ObservationGraph.labelledName(of: object) ?? "\(type(of: object))"
    let node = node(count == nil ? key : ObjectIdentifier(type(of: object)), .object, name)
    nodes[node].count = count ?? 1
    knownNodes[key] = node
    return node
  }

  private mutating func property(_ name: String, of owner: Int) -> Int {
    node("\(owner).\(name)", .property, name, of: owner)
  }

  /// The node of `key`, added if there is none yet; that of a class stands for no object then.
  private mutating func node(
    _ key: AnyHashable, _ kind: Node.Kind, _ name: String, of owner: Int? = nil
  ) -> Int {
    if let node = knownNodes[key] { return node }
    let count = kind == .object ? 0 : 1
    let node = Node(id: nodes.count, kind: kind, name: name, owner: owner, count: count)
    nodes.append(node)
    knownNodes[key] = node.id
    return node.id
  }

  private mutating func insert(
    _ kind: Edge.Kind, _ from: Int, _ to: Int, isStrong: Bool = false, _ label: String = "",
    of registration: ObservationRegistration? = nil
  ) {
    // A path that ends in a property reads it, and objects that share a node may refer to each
    // other.
    if from == to, kind == .reads || kind == .stores { return }
    edges.append(
      Edge(
        kind: kind, from: from, to: to, isStrong: isStrong, label: label, file: registration?.file,
        line: registration?.line, handlerKind: registration?.handlerKind,
        options: registration?.options ?? [], context: registration?.context))
  }

  private mutating func groupObjects() {
    let main = observed.flatMap(\.objects)
    let subjects = observed.flatMap { $0.subjects + $0.elements.flatMap(\.subjects) }
    let all = main + subjects.compactMap { objects.properties[$0]?.owner }
    let unlabelled = all.filter { ObservationGraph.labelledName(of: $0) == nil }
    let mainIdentities = Set(main.map { ObjectIdentifier($0) })
    for members in Dictionary(grouping: unlabelled, by: { ObjectIdentifier(type(of: $0)) }).values {
      let identities = Set(members.map { ObjectIdentifier($0) })
      let group = Dictionary(grouping: identities, by: mainIdentities.contains)
        .filter { isMain, members in members.count > (isMain ? Self.limit : 1) }.values.joined()
      for identity in group { groups[identity] = group.count }
    }
  }

  /// Numbers the objects of one class that have no labels.
  private mutating func numberObjects() {
    let single = nodes.filter { $0.kind == .object && $0.count == 1 }
    for group in Dictionary(grouping: single, by: \.name).values where group.count > 1 {
      for (index, node) in group.enumerated() {
        nodes[node.id].name += " \(index + 1)"
      }
    }
    for node in nodes where node.kind == .object && node.count != 1 {
      nodes[node.id].name += node.count == 0 ? ", none yet" : " × \(node.count)"
    }
  }

  /// Name of an object in the graph.
  func name(of object: AnyObject) -> String {
    knownNodes[ObjectIdentifier(object)].map { nodes[$0].name } ?? "\(type(of: object))"
  }
}
