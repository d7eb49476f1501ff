extension ObservationGraph {
  /// Finder of rings of bindings, and of retain cycles.
  struct CycleSearch {
    typealias Cycle = ObservationGraph.Cycle

    let observed: [ObservedInGraph]
    let objects: StoredObjects
    let names: ObservationGraph.Builder

    var all: [Cycle] { bindings + retentions }

    private static func places(of items: [ObservedInGraph]) -> [String] {
      var seen: Set<String> = []
      return items.map(\.place).filter { seen.insert($0).inserted }
    }
  }
}

// MARK: - Ways

extension ObservationGraph.CycleSearch {
  /// Steps from places to others, without those that are on no ring.
  private struct Steps<Place: Hashable, Step> {
    private let all: [Place: [(step: Step, to: Place)]]

    /// - Complexity: O(n) in the steps.
    init(_ all: [Place: [(step: Step, to: Place)]]) {
      var backward: [Place: [Place]] = [:]
      for (from, steps) in all {
        for (_, to) in steps { backward[to, default: []].append(from) }
      }
      let onRings = Self.leftOver(all.mapValues { $0.map(\.to) })
        .intersection(Self.leftOver(backward))
      self.all = all.filter { onRings.contains($0.key) }
        .mapValues { $0.filter { onRings.contains($0.to) } }
    }

    /// The places that are left when those that nothing leads to are taken away, again and again.
    private static func leftOver(_ next: [Place: [Place]]) -> Set<Place> {
      var arrivals: [Place: Int] = [:]
      for place in next.values.joined() { arrivals[place, default: 0] += 1 }
      var open = next.keys.filter { arrivals[$0] == nil }
      while let place = open.popLast() {
        for following in next[place] ?? [] {
          arrivals[following]! -= 1  // counted above
          if arrivals[following] == 0 {
            arrivals[following] = nil
            open.append(following)
          }
        }
      }
      return Set(arrivals.keys)
    }

    /// The steps of a shortest way of at least one step; none if there is no way.
    func shortestWay(from start: Place, to end: Place) -> [Step] {
      var arrivals: [Place: (step: Step, from: Place)] = [:]
      var open = [start]
      var next = 0
      while arrivals[end] == nil, next < open.count {
        for (step, place) in all[open[next]] ?? [] where arrivals[place] == nil {
          arrivals[place] = (step, open[next])
          open.append(place)
        }
        next += 1
      }
      var way: [Step] = []
      var place = end
      while let last = arrivals[place], way.isEmpty || place != start {
        way.append(last.step)
        place = last.from
      }
      return way.reversed()
    }
  }
}

// MARK: - Bindings

extension ObservationGraph.CycleSearch {
  private var bindings: [Cycle] {
    let bindings = observed.filter { $0.target != nil && !$0.isFollowed(by: $0) }
    let followers = followers(of: bindings)
    var steps: [Int: [(step: Int, to: Int)]] = [:]
    for index in bindings.indices { steps[index] = followers[index].map { (index, $0) } }
    let ways = Steps(steps)
    var seen: Set<Set<Int>> = []
    return bindings.indices.compactMap { index in
      let ring = ways.shortestWay(from: index, to: index)
      guard !ring.isEmpty, seen.insert(Set(ring)).inserted else { return nil }
      return cycle(of: ring.map { bindings[$0] })
    }
  }

  /// For each binding those that read what it sets, also by way of a derived value.
  private func followers(of bindings: [ObservedInGraph]) -> [[Int]] {
    var properties: [ObjectIdentifier: [String: ObjectIdentifier]] = [:]
    for (subject, property) in objects.properties {
      properties[ObjectIdentifier(property.owner), default: [:]][property.name] = subject
    }
    let observing = Dictionary(grouping: bindings.indices) {
      ObjectIdentifier(bindings[$0].object)
    }
    var reading: [ObjectIdentifier: Set<Int>] = [:]
    for (index, item) in bindings.enumerated() {
      let behind = names.derived.read(by: item.subjects).flatMap(\.subjects)
      for subject in item.subjects + behind {
        reading[subject, default: []].insert(index)
      }
    }
    return bindings.enumerated().map { index, item in
      guard let target = item.target else { return [] }
      let owner = ObjectIdentifier(target.object)
      // Also where the name of the property is not known.
      let same = (observing[owner] ?? []).filter { item.isFollowed(by: bindings[$0]) }
      let set = properties[owner]?[KeyPathNames.text(of: target.keyPath)]
      let readers = set.flatMap { reading[$0] } ?? []
      return readers.union(same).sorted().filter {
        $0 != index && bindings[$0].info !== item.partner
      }
    }
  }

  private func cycle(of bindings: [ObservedInGraph]) -> Cycle {
    let steps = bindings.map { item in
      let target = item.target!  // a binding
      return "\(text(item.keyPath, item.object)) sets "
        + "\(text(target.keyPath, target.object)) (\(item.place))"
    }
    return Cycle(
      kind: .bindings, places: Self.places(of: bindings),
      description: "Bindings set each other: \(steps.joined(separator: ", "))"
        + "; use bindTwoWay, or leave one out")
  }

  private func text(_ keyPath: AnyKeyPath, _ object: AnyObject) -> String {
    "\(KeyPathNames.text(of: keyPath)) of \(names.name(of: object))"
  }
}

extension ObservedInGraph {
  /// Whether `other` observes the property that this binding sets, and is not its other half.
  fileprivate func isFollowed(by other: ObservedInGraph) -> Bool {
    guard let target, other.info !== partner else { return false }
    return other.object === target.object && other.keyPath == target.keyPath
  }
}

// MARK: - Retention

extension ObservationGraph.CycleSearch {
  /// Observations by which one observer retains one object.
  private typealias Hold = [ObservedInGraph]

  private var holds: [Hold] {
    Dictionary(grouping: observed.filter(\.isRetained)) {
      [ObjectIdentifier($0.observer), ObjectIdentifier($0.object)]
    }
    .values.sorted { $0[0].info.serial < $1[0].info.serial }
  }

  /// One object keeps another one alive.
  private enum Step {
    /// By observing it: an index in `holds`.
    case hold(Int)

    /// By a stored property.
    case property(String)
  }

  private var retentions: [Cycle] {
    let holds = holds
    var steps: [ObjectIdentifier: [(step: Step, to: ObjectIdentifier)]] = [:]
    for (index, hold) in holds.enumerated() {
      steps[ObjectIdentifier(hold[0].observer), default: []]
        .append((.hold(index), ObjectIdentifier(hold[0].object)))
    }
    for (object, references) in objects.references {
      steps[object, default: []] += references.map {
        (.property($0.name), ObjectIdentifier($0.object))
      }
    }
    let ways = Steps(steps)
    var seen: Set<Set<Int>> = []
    return holds.indices.compactMap { index in
      let hold = holds[index][0]
      let way = ways.shortestWay(
        from: ObjectIdentifier(hold.object), to: ObjectIdentifier(hold.observer))
      guard !way.isEmpty else { return nil }
      var links: [(hold: Int, way: [String])] = [(index, [])]
      for step in way {
        switch step {
        case .hold(let next): links.append((next, []))
        case .property(let name): links[links.count - 1].way.append(name)
        }
      }
      guard seen.insert(Set(links.map(\.hold))).inserted else { return nil }
      return cycle(of: links.map { (holds[$0.hold], $0.way) })
    }
  }

  private func cycle(of links: [(hold: Hold, way: [String])]) -> Cycle {
    let steps = zip(links, links.dropFirst() + links.prefix(1)).map { link, next in
      text(of: link.hold)
        + (link.way.isEmpty
          ? ""
          : ", whose \(link.way.joined(separator: ".")) is "
            + names.name(of: next.hold[0].observer))
    }
    let isByProperties = links.contains { !$0.way.isEmpty }
    return Cycle(
      kind: .retention, places: Self.places(of: links.flatMap(\.hold)),
      description: "Objects keep each other alive: \(steps.joined(separator: ", "))"
        + "; use a controller with retainsObserved: false, or a weak property"
        + (isByProperties
          ? ", unless one of those is weak already, which can't be seen here" : ""))
  }

  private func text(of hold: Hold) -> String {
    let keyPaths = hold.map { KeyPathNames.text(of: $0.keyPath) }
    return "\(names.name(of: hold[0].observer)) observes \(keyPaths.joined(separator: " and ")) of "
      + "\(names.name(of: hold[0].object)) and retains it (\(hold[0].place))"
  }
}
