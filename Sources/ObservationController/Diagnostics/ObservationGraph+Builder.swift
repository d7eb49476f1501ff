extension ObservationGraph {
  /// Builder of a graph's nodes and edges.
  struct Builder {
    typealias Node = ObservationGraph.Node
    typealias Edge = ObservationGraph.Edge

    private let observed: [ObservedInGraph]
    private let objects: StoredObjects

    private(set) var nodes: [Node] = []
    private(set) var edges: [Edge] = []

    private var knownNodes: [NodeKey: Int] = [:]

    /// Edges by kind, ends and label, of which each stands once.
    private var knownEdges: Set<String> = []

    /// Objects that have a node, in the order in which observations lead to them.
    private var shown: [AnyObject] = []

    /// Objects that share a node, by their class: those that have no label, and are only read, or
    /// very many.
    private var groups: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]

    /// Number of objects of a class that have nodes of their own.
    private static let limit = 24

    private enum NodeKey: Hashable {
      /// Of an object, the store of a controller, or a class whose objects share a node.
      case identity(ObjectIdentifier)

      case property(String, owner: Int)
    }

    init(_ observed: [ObservedInGraph], _ objects: StoredObjects) {
      (self.observed, self.objects) = (observed, objects)
      groupObjects()
      for item in observed { add(item) }
      addStoredProperties()
      numberObjects()
    }
  }
}

// MARK: - Observations

extension ObservationGraph.Builder {
  private mutating func add(_ item: ObservedInGraph) {
    let controller = controller(of: item)
    let property = property(name(of: item), of: node(of: item.object))
    let label = Self.label(of: item)
    insert(.observes, controller, property, isStrong: item.isRetained, label, of: item)
    if let target = item.target {
      let end = self.property(
        KeyPathNames.text(of: target.keyPath), of: node(of: target.object))
      insert(.sets, property, end, of: item)
    }
    addReads(of: item, at: property)
    for (keyPath, subjects) in item.elements {
      let element = objects.owner(ofFirstKnown: subjects)
      let owner = element.map { node(of: $0) } ?? node(ofClass: type(of: keyPath).rootType)
      insert(.reads, property, self.property(KeyPathNames.text(of: keyPath), of: owner))
    }
  }

  private mutating func addReads(of item: ObservedInGraph, at property: Int) {
    var direct = item.subjects
    for read in objects.derived(readBy: item) {
      let end = self.property(read.property.name, of: node(of: read.property.owner), .derived)
      insert(.reads, property, end)
      for subject in read.sources { insertRead(of: subject, from: end) }
      direct.removeAll { read.sources.contains($0) }
    }
    for subject in direct where !item.isProperty { insertRead(of: subject, from: property) }
  }

  private mutating func insertRead(of subject: ObjectIdentifier, from property: Int) {
    guard let read = objects.properties[subject] else { return }
    insert(.reads, property, self.property(read.name, of: node(of: read.owner)))
  }

  private func name(of item: ObservedInGraph) -> String {
    let request = item.registration.request
    return switch request.cause {
    case .change: KeyPathNames.text(of: item.keyPath)
    case .event, .question: request.cause.rawValue
    case .notification: "notification \(request.context.map { "\($0)" } ?? "")"
    }
  }

  private static func label(of item: ObservedInGraph) -> String {
    let registration = item.registration
    let isTwoWay = registration.binding?.isTwoWay ?? false
    var parts = [(isTwoWay ? "two-way " : "") + registration.handlerKind.rawValue]
    if !registration.options.isEmpty { parts.append("\(registration.options)") }
    if let context = registration.context, registration.request.cause != .notification {
      parts.append("context \(context)")
    }
    let file = registration.file.split(separator: "/").last.map(String.init) ?? registration.file
    return parts.joined(separator: " ") + "\n\(file):\(registration.line)"
  }

  /// Adds edges for references between objects, also by way of objects that have no node.
  private mutating func addStoredProperties() {
    let identities = Set(shown.map { ObjectIdentifier($0) })
    for start in shown {
      var seen: Set<ObjectIdentifier> = [ObjectIdentifier(start)]
      var open: [(object: AnyObject, way: String)] = [(start, "")]
      var next = 0
      while next < open.count {
        let (object, way) = open[next]
        next += 1
        for reference in objects.references[ObjectIdentifier(object)] ?? [] {
          let identity = ObjectIdentifier(reference.object)
          let name = way.isEmpty ? reference.name : way + "." + reference.name
          if identities.contains(identity) {
            insert(.stores, node(of: start), node(of: reference.object), isStrong: true, name)
          } else if seen.insert(identity).inserted {
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
    let controller = node(.identity(ObjectIdentifier(store)), .controller, name)
    insert(.owns, observer, controller, isStrong: true)
    insert(.tells, controller, observer)
    return controller
  }

  private mutating func node(of object: AnyObject) -> Int {
    let key = NodeKey.identity(ObjectIdentifier(object))
    if let node = knownNodes[key] { return node }
    shown.append(object)
    guard let group = groups[ObjectIdentifier(type(of: object))],
      group.contains(ObjectIdentifier(object))
    else {
      let label = ObservationGraph.label(of: object)
      return node(key, .object, "\(type(of: object))" + (label.map { " “\($0)”" } ?? ""))
    }
    let node = node(ofClass: type(of: object))
    nodes[node].count = group.count
    knownNodes[key] = node
    return node
  }

  private mutating func node(ofClass kind: Any.Type) -> Int {
    node(.identity(ObjectIdentifier(kind)), .object, "\(kind)", count: 0)
  }

  private mutating func property(
    _ name: String, of owner: Int, _ kind: Node.Kind = .property
  ) -> Int {
    let property = node(.property(name, owner: owner), kind, name, of: owner)
    if kind == .derived { nodes[property].kind = kind }
    return property
  }

  /// The node of `key`, added if there is none yet.
  private mutating func node(
    _ key: NodeKey, _ kind: Node.Kind, _ name: @autoclosure () -> String, of owner: Int? = nil,
    count: Int = 1
  ) -> Int {
    if let node = knownNodes[key] { return node }
    let node = Node(id: nodes.count, kind: kind, name: name(), owner: owner, count: count)
    nodes.append(node)
    knownNodes[key] = node.id
    return node.id
  }

  private mutating func insert(
    _ kind: Edge.Kind, _ from: Int, _ to: Int, isStrong: Bool = false, _ label: String = "",
    of item: ObservedInGraph? = nil
  ) {
    // A path that ends in a property reads it, and objects that share a node may refer to each
    // other.
    if from == to, kind == .reads || kind == .stores { return }
    guard knownEdges.insert("\(kind) \(from) \(to) \(label)").inserted else { return }
    let registration = item?.registration
    edges.append(
      Edge(
        kind: kind, from: from, to: to, isStrong: isStrong, label: label, file: registration?.file,
        line: registration?.line, handlerKind: registration?.handlerKind,
        options: registration?.options ?? [], context: registration?.context))
  }

  private mutating func groupObjects() {
    let main = observed.flatMap(\.objects)
    let identities = Set(main.map { ObjectIdentifier($0) })
    let subjects = observed.flatMap { $0.subjects + $0.elements.flatMap(\.subjects) }
    let owners = subjects.compactMap { objects.properties[$0]?.owner }
    group(owners.filter { !identities.contains(ObjectIdentifier($0)) }, over: 1)
    group(main, over: Self.limit)
  }

  private mutating func group(_ objects: [AnyObject], over limit: Int) {
    let unlabelled = objects.filter { ObservationGraph.label(of: $0) == nil }
    for (kind, members) in Dictionary(grouping: unlabelled, by: { ObjectIdentifier(type(of: $0)) })
    {
      let identities = Set(members.map { ObjectIdentifier($0) })
      if identities.count > limit { groups[kind, default: []].formUnion(identities) }
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
    knownNodes[.identity(ObjectIdentifier(object))].map { nodes[$0].name } ?? "\(type(of: object))"
  }
}
