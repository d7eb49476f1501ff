import Foundation

/// Makes nodes and edges of observations.
struct GraphBuilder {
  typealias Node = ObservationGraph.Node
  typealias Edge = ObservationGraph.Edge

  private let observed: [ObservedInGraph]
  private let objects: StoredObjects
  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []

  private var objectNodes: [ObjectIdentifier: Int] = [:]
  private var propertyNodes: [PropertyKey: Int] = [:]
  private var controllerNodes: [ObjectIdentifier: Int] = [:]
  private var known: Set<EdgeKey> = []

  /// The objects that have a node, in the order in which they came up.
  private var shown: [AnyObject] = []

  /// The nodes of classes whose objects share one.
  private var groups: [ObjectIdentifier: Int] = [:]
  private let grouping: GraphGrouping

  private struct PropertyKey: Hashable {
    let owner: Int
    let name: String
  }

  private struct EdgeKey: Hashable {
    let kind: Edge.Kind
    let from: Int
    let to: Int
    let label: String
  }

  init(_ observed: [ObservedInGraph], _ objects: StoredObjects, readsObjects: Bool) {
    (self.observed, self.objects) = (observed, objects)
    if readsObjects { KeyPathNames.learn(observed, objects) }
    grouping = GraphGrouping(observed, objects)
  }

  mutating func build() {
    for item in observed { add(item) }
    addStoredProperties()
    numberObjects()
  }
}

// MARK: - Observations

extension GraphBuilder {
  private mutating func add(_ item: ObservedInGraph) {
    let controller = controller(of: item)
    let name = name(of: item)
    let property = property(name, of: node(of: item.object))
    let label = Self.label(of: item)
    insert(.observes, controller, property, isStrong: item.isRetained, label, of: item)
    if let target = item.target {
      let end = self.property(
        KeyPathNames.text(of: target.keyPath), of: node(of: target.object))
      insert(.sets, property, end, isStrong: false, "", of: item)
    }
    addReads(of: item, named: name, at: property)
    for (keyPath, subjects) in item.elements {
      let element = subjects.first { objects.properties[$0] != nil }
      let owner =
        element.flatMap { objects.properties[$0]?.owner }
        .map { node(of: $0) } ?? node(ofClass: type(of: keyPath).rootType)
      insert(.reads, property, self.property(KeyPathNames.text(of: keyPath), of: owner))
    }
  }

  private mutating func addReads(of item: ObservedInGraph, named name: String, at property: Int) {
    var direct = item.subjects
    let steps = Set(name.split { ".?!".contains($0) }.map(String.init))
    let subjects = Set(direct)
    for derived in objects.derived where steps.contains(derived.name) {
      let read = derived.node.sources.map { ObjectIdentifier($0.subject) }
      let own = derived.node.observedSubject.map { ObjectIdentifier($0) }
      let isOwn = own.map { subjects.contains($0) } ?? false
      guard !read.isEmpty, isOwn || subjects.isSuperset(of: read) else { continue }
      let owner = node(of: derived.owner)
      let end = self.property(derived.name, of: owner, .derived)
      if end != property { insert(.reads, property, end) }
      for subject in read { insertRead(of: subject, from: end) }
      direct.removeAll { read.contains($0) || $0 == own }
    }
    if item.isProperty { return }
    for subject in direct { insertRead(of: subject, from: property) }
  }

  private mutating func insertRead(of subject: ObjectIdentifier, from property: Int) {
    guard let read = objects.properties[subject] else { return }
    let end = self.property(read.name, of: node(of: read.owner))
    if end != property { insert(.reads, property, end) }
  }

  private func name(of item: ObservedInGraph) -> String {
    if item.site.keyPath is KeyPath<Notification, Notification> {
      return "notification \(item.site.context.map { "\($0)" } ?? "")"
    }
    if let source = item.object as? any CyclicSource { return source.graphName }
    return KeyPathNames.text(of: item.site.keyPath)
  }

  private static func label(of item: ObservedInGraph) -> String {
    let site = item.site
    let isTwoWay = site.purpose.target?.isTwoWay ?? false
    var parts = [(isTwoWay ? "two-way " : "") + site.handlerKind.rawValue]
    if !site.options.isEmpty { parts.append("\(site.options)") }
    if let context = site.context, !(site.keyPath is KeyPath<Notification, Notification>) {
      parts.append("context \(context)")
    }
    let file = site.file.split(separator: "/").last.map(String.init) ?? site.file
    return parts.joined(separator: " ") + "\n\(file):\(site.line)"
  }

  /// What objects hold of each other, by way of objects that are not shown.
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
            let (from, to) = (node(of: start), node(of: reference.object))
            if from != to { insert(.stores, from, to, isStrong: true, name) }
          } else if seen.insert(identity).inserted {
            open.append((reference.object, name))
          }
        }
      }
    }
  }
}

// MARK: - Nodes and edges

extension GraphBuilder {
  private mutating func controller(of item: ObservedInGraph) -> Int {
    let registry = item.site.registry
    if let node = controllerNodes[ObjectIdentifier(registry)] { return node }
    let observer = node(of: item.observer)
    let name = registry.retainsObserved ? "controller, retains" : "controller"
    let node = append(.controller, name)
    controllerNodes[ObjectIdentifier(registry)] = node
    insert(.owns, observer, node, isStrong: true)
    insert(.tells, node, observer)
    return node
  }

  private mutating func node(of object: AnyObject) -> Int {
    let identity = ObjectIdentifier(object)
    if let node = objectNodes[identity] { return node }
    let kind = ObjectIdentifier(type(of: object))
    let node: Int
    if grouping.isGrouped(object) {
      node = self.node(ofClass: type(of: object))
      nodes[node].count = grouping.counts[kind] ?? 1
    } else {
      let label = ObservationGraph.label(of: object)
      node = append(.object, "\(type(of: object))" + (label.map { " “\($0)”" } ?? ""))
    }
    objectNodes[identity] = node
    shown.append(object)
    return node
  }

  private mutating func node(ofClass kind: Any.Type) -> Int {
    let identity = ObjectIdentifier(kind)
    if let node = groups[identity] { return node }
    let node = append(.object, "\(kind)")
    nodes[node].count = 0
    groups[identity] = node
    return node
  }

  private mutating func property(
    _ name: String, of owner: Int, _ kind: Node.Kind = .property
  ) -> Int {
    let key = PropertyKey(owner: owner, name: name)
    if let node = propertyNodes[key] {
      if kind == .derived, nodes[node].kind != kind {
        nodes[node] = Node(id: node, kind: kind, name: name, owner: owner, count: 1)
      }
      return node
    }
    let node = append(kind, name, of: owner)
    propertyNodes[key] = node
    return node
  }

  private mutating func append(_ kind: Node.Kind, _ name: String, of owner: Int? = nil) -> Int {
    nodes.append(Node(id: nodes.count, kind: kind, name: name, owner: owner, count: 1))
    return nodes.count - 1
  }

  private mutating func insert(
    _ kind: Edge.Kind, _ from: Int, _ to: Int, isStrong: Bool = false, _ label: String = "",
    of item: ObservedInGraph? = nil
  ) {
    let key = EdgeKey(kind: kind, from: from, to: to, label: label)
    guard known.insert(key).inserted else { return }
    let site = item?.site
    edges.append(
      Edge(
        kind: kind, from: from, to: to, isStrong: isStrong, label: label, file: site?.file,
        line: site?.line, handlerKind: site?.handlerKind, options: site?.options ?? [],
        context: site?.context))
  }

  /// Tells objects of one class apart, where they have no labels.
  private mutating func numberObjects() {
    let alike = Dictionary(
      grouping: nodes.filter { $0.kind == .object && $0.count == 1 }, by: \.name
    ).filter { $0.value.count > 1 }
    for group in alike.values {
      for (index, node) in group.enumerated() {
        nodes[node.id] = Node(
          id: node.id, kind: node.kind, name: "\(node.name) \(index + 1)", owner: nil, count: 1)
      }
    }
    for index in nodes.indices where nodes[index].kind == .object && nodes[index].count != 1 {
      let node = nodes[index]
      let suffix = node.count == 0 ? ", none yet" : " × \(node.count)"
      nodes[index] = Node(
        id: node.id, kind: node.kind, name: node.name + suffix, owner: nil, count: node.count)
    }
  }

  /// What an object is called in the graph.
  func name(of object: AnyObject) -> String {
    objectNodes[ObjectIdentifier(object)].map { nodes[$0].name } ?? "\(type(of: object))"
  }
}

/// Which objects share a node: those of one class that have no label, and are only read, or very many.
struct GraphGrouping {
  /// How many objects there are of each class that share a node.
  private(set) var counts: [ObjectIdentifier: Int] = [:]
  private var grouped: Set<ObjectIdentifier> = []

  /// How many objects of a class are shown one by one.
  private static let limit = 24

  init(_ observed: [ObservedInGraph], _ objects: StoredObjects) {
    var main: [ObjectIdentifier: AnyObject] = [:]
    for object in observed.flatMap(\.objects) { main[ObjectIdentifier(object)] = object }
    var read: [ObjectIdentifier: AnyObject] = [:]
    let subjects = observed.flatMap { $0.subjects + $0.elements.flatMap(\.subjects) }
    for property in subjects.lazy.compactMap({ objects.properties[$0] }) {
      let identity = ObjectIdentifier(property.owner)
      if main[identity] == nil { read[identity] = property.owner }
    }
    group(read.values, over: 1)
    group(main.values, over: Self.limit)
  }

  private mutating func group(_ objects: some Collection<AnyObject>, over limit: Int) {
    let unlabelled = objects.filter { ObservationGraph.label(of: $0) == nil }
    let classes = Dictionary(grouping: unlabelled) { ObjectIdentifier(type(of: $0)) }
    for (kind, members) in classes where members.count > limit {
      counts[kind, default: 0] += members.count
      grouped.formUnion(members.map { ObjectIdentifier($0) })
    }
  }

  func isGrouped(_ object: AnyObject) -> Bool {
    grouped.contains(ObjectIdentifier(object))
  }
}
