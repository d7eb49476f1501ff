/// Finds what goes around in a graph.
struct GraphCycles {
  typealias Cycle = ObservationGraph.Cycle

  private let observed: [ObservedInGraph]
  private let objects: StoredObjects
  private let names: GraphBuilder

  init(_ observed: [ObservedInGraph], _ objects: StoredObjects, names: GraphBuilder) {
    (self.observed, self.objects, self.names) = (observed, objects, names)
  }

  var all: [Cycle] { bindings + retentions }

  /// The steps of a search for the shortest way from each of `count` places back to itself.
  ///
  /// - Returns: The rings, each once, beginning with its first place.
  private static func rings(_ count: Int, next: (Int) -> [Int]) -> [[Int]] {
    var rings: [[Int]] = []
    var seen: Set<Set<Int>> = []
    for start in 0..<count {
      var previous: [Int: Int] = [:]
      var open = [start]
      var index = 0
      search: while index < open.count {
        let place = open[index]
        index += 1
        for other in next(place) {
          if other == start {
            var ring = [place]
            while let first = ring.first, first != start, let step = previous[first] {
              ring.insert(step, at: 0)
            }
            if seen.insert(Set(ring)).inserted { rings.append(ring) }
            break search
          }
          if previous[other] == nil {
            previous[other] = place
            open.append(other)
          }
        }
      }
    }
    return rings
  }

  private static func places(of items: [ObservedInGraph]) -> [String] {
    var seen: Set<String> = []
    return items.map(\.place).filter { seen.insert($0).inserted }
  }
}

// MARK: - Bindings

extension GraphCycles {
  private var bindings: [Cycle] {
    let bindings = observed.filter { $0.target != nil && !$0.isFollowed(by: $0) }
    let following = bindings.map { binding in
      bindings.indices.filter { binding.isFollowed(by: bindings[$0]) }
    }
    return Self.rings(bindings.count) { following[$0] }.map { ring in
      let items = ring.map { bindings[$0] }
      let steps = items.map { item in
        let target = item.target!  // those that have one
        return "\(text(item.site.keyPath, item.object)) sets "
          + "\(text(target.keyPath, target.object)) (\(item.place))"
      }
      return Cycle(
        kind: .bindings, places: Self.places(of: items),
        description: "Bindings set each other: \(steps.joined(separator: ", "))"
          + "; use bindTwoWay, or leave one out")
    }
  }

  private func text(_ keyPath: AnyKeyPath, _ object: AnyObject) -> String {
    "\(KeyPathNames.text(of: keyPath)) of \(names.name(of: object))"
  }
}

extension ObservedInGraph {
  /// Whether what this binding sets is what `other` follows, and is not its other half.
  fileprivate func isFollowed(by other: ObservedInGraph) -> Bool {
    guard let target, other.info !== partner else { return false }
    return other.object === target.object && other.site.keyPath == target.keyPath
  }
}

// MARK: - Retention

extension GraphCycles {
  /// An observer that keeps an object alive, by way of a controller that retains.
  private struct Hold {
    let observer: AnyObject
    let object: AnyObject
    let items: [ObservedInGraph]
  }

  private var holds: [Hold] {
    var order: [[ObjectIdentifier]] = []
    var items: [[ObjectIdentifier]: [ObservedInGraph]] = [:]
    for item in observed where item.isRetained {
      let key = [ObjectIdentifier(item.observer), ObjectIdentifier(item.object)]
      if items[key] == nil { order.append(key) }
      items[key, default: []].append(item)
    }
    return order.compactMap { key in
      items[key].map { Hold(observer: $0[0].observer, object: $0[0].object, items: $0) }
    }
  }

  private var retentions: [Cycle] {
    let holds = holds
    let following = holds.map { hold in
      holds.indices.filter { isHeld(holds[$0].observer, by: hold.object) }
    }
    return Self.rings(holds.count) { following[$0] }.map { ring in
      let steps = ring.indices.map { index in
        let hold = holds[ring[index]]
        let next = holds[ring[(index + 1) % ring.count]].observer
        return text(of: hold) + way(from: hold.object, to: next)
      }
      let items = ring.flatMap { holds[$0].items }
      let isByProperties = ring.indices.contains { index in
        holds[ring[index]].object !== holds[ring[(index + 1) % ring.count]].observer
      }
      return Cycle(
        kind: .retention, places: Self.places(of: items),
        description: "Objects keep each other alive: \(steps.joined(separator: ", "))"
          + "; use a controller with retainsObserved: false, or a weak property"
          + (isByProperties
            ? ", unless one of those is weak already, which can't be seen here" : ""))
    }
  }

  private func isHeld(_ observer: AnyObject, by object: AnyObject) -> Bool {
    observer === object || !objects.way(from: object, to: observer).isEmpty
  }

  private func text(of hold: Hold) -> String {
    let keyPaths = hold.items.map { KeyPathNames.text(of: $0.site.keyPath) }
    return "\(names.name(of: hold.observer)) observes \(keyPaths.joined(separator: " and ")) of "
      + "\(names.name(of: hold.object)) and retains it (\(hold.items[0].place))"
  }

  /// By which stored properties one object holds the other, if it is not the same.
  private func way(from object: AnyObject, to observer: AnyObject) -> String {
    guard object !== observer else { return "" }
    let way = objects.way(from: object, to: observer).map(\.name).joined(separator: ".")
    return ", whose \(way) is \(names.name(of: observer))"
  }
}
