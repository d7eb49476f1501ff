extension ObservationGraph {
  /// Finder of rings of bindings, and of retain cycles.
  struct CycleSearch {
    typealias Cycle = ObservationGraph.Cycle

    let observed: [ObservedInGraph]
    let objects: StoredObjects
    let names: ObservationGraph.Builder

    var all: [Cycle] { bindings + retentions }

    /// The shortest ways from an item back to itself, each once, beginning with its first item.
    private static func rings<Item>(
      of items: [Item], isFollowed: (Item, Item) -> Bool
    ) -> [[Item]] {
      let following = items.map { item in items.indices.filter { isFollowed(item, items[$0]) } }
      var seen: Set<Set<Int>> = []
      return items.indices
        .map { start in
          shortestWay(from: start, to: start) { place in following[place].map { (place, $0) } }
        }
        .filter { !$0.isEmpty && seen.insert(Set($0)).inserted }
        .map { ring in ring.map { items[$0] } }
    }

    /// The steps of a shortest way of at least one step; none if there is no way.
    private static func shortestWay<Place: Hashable, Step>(
      from start: Place, to end: Place, steps: (Place) -> [(step: Step, to: Place)]
    ) -> [Step] {
      var arrivals: [Place: (step: Step, from: Place)] = [:]
      var open = [start]
      var next = 0
      while arrivals[end] == nil, next < open.count {
        for (step, place) in steps(open[next]) where arrivals[place] == nil {
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

    private static func places(of items: [ObservedInGraph]) -> [String] {
      var seen: Set<String> = []
      return items.map(\.place).filter { seen.insert($0).inserted }
    }
  }
}

// MARK: - Bindings

extension ObservationGraph.CycleSearch {
  private var bindings: [Cycle] {
    let bindings = observed.filter { $0.target != nil && !$0.isFollowed(by: $0) }
    return Self.rings(of: bindings) { $0.isFollowed(by: $1) }.map { items in
      let steps = items.map { item in
        let target = item.target!  // filtered above
        return "\(text(item.registration.keyPath, item.object)) sets "
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
  /// Whether `other` observes the property that this binding sets, and is not its other half.
  fileprivate func isFollowed(by other: ObservedInGraph) -> Bool {
    guard let target, other.info !== links.partner else { return false }
    return other.object === target.object && other.registration.keyPath == target.keyPath
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

  private var retentions: [Cycle] {
    Self.rings(of: holds) { way(from: $0[0].object, to: $1[0].observer) != nil }.map { ring in
      let links = zip(ring, ring.dropFirst() + ring.prefix(1))
      let steps = links.map { hold, next in
        text(of: hold) + (way(from: hold[0].object, to: next[0].observer) ?? "")
      }
      let isByProperties = links.contains { hold, next in hold[0].object !== next[0].observer }
      return Cycle(
        kind: .retention, places: Self.places(of: ring.flatMap { $0 }),
        description: "Objects keep each other alive: \(steps.joined(separator: ", "))"
          + "; use a controller with retainsObserved: false, or a weak property"
          + (isByProperties
            ? ", unless one of those is weak already, which can't be seen here" : ""))
    }
  }

  private func text(of hold: Hold) -> String {
    let keyPaths = hold.map { KeyPathNames.text(of: $0.registration.keyPath) }
    return "\(names.name(of: hold[0].observer)) observes \(keyPaths.joined(separator: " and ")) of "
      + "\(names.name(of: hold[0].object)) and retains it (\(hold[0].place))"
  }

  /// The stored properties by which one object refers to another one, in words; `nil` if none do,
  /// and empty for an object and itself.
  private func way(from object: AnyObject, to observer: AnyObject) -> String? {
    if object === observer { return "" }
    let way = Self.shortestWay(from: ObjectIdentifier(object), to: ObjectIdentifier(observer)) {
      objects.references[$0, default: []].map { ($0.name, ObjectIdentifier($0.object)) }
    }
    if way.isEmpty { return nil }
    return ", whose \(way.joined(separator: ".")) is \(names.name(of: observer))"
  }
}
