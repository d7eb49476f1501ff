/// Search for rings of bindings, and for retain cycles.
extension ObservationGraph.Builder {
  typealias Cycle = ObservationGraph.Cycle

  var cycles: [Cycle] { bindings + retentions }

  /// Place on a ring: the index of a link, which is a binding or retains an object for an observer;
  /// or the identity of an object.
  private typealias Place = AnyHashable

  /// A step to another place, by way of a stored property if it has a name.
  private typealias Step = (name: String?, to: Place)
}

// MARK: - Rings

extension ObservationGraph.Builder {
  /// For each of the links the shortest ring that it is part of, each ring once.
  ///
  /// - Returns: The links of each ring, with the stored properties that lead to the next one.
  private func rings<Link>(
    of links: [Link], in steps: [Place: [Step]]
  ) -> [[(link: Link, way: [String])]] {
    let steps = onRings(steps)
    var known: Set<Place> = []
    let rings = links.indices.map { start in
      let ring = known.contains(start) ? [] : shortestRing(over: start, in: steps)
      // If nothing else leads on from its places, it is the ring of all of them.
      if ring.allSatisfy({ steps[$0.to]?.count == 1 }) { known.formUnion(ring.map(\.to)) }
      return ring
    }.filter { !$0.isEmpty }
    return rings.unique { Set($0.compactMap { $0.to as? Int }) }.map { ring in
      // The last step leads to the link that it begins at.
      (ring.suffix(1) + ring.dropLast()).reduce(into: []) { parts, step in
        if let link = step.to as? Int { parts.append((links[link], [])) }
        if let name = step.name { parts[parts.count - 1].way.append(name) }
      }
    }
  }

  /// The steps that are on some ring: between places that lead to each other. Found from the places
  /// that a search leaves last on, against the steps (Kosaraju 1978).
  ///
  /// - Complexity: O(n) in the steps.
  private func onRings(_ steps: [Place: [Step]]) -> [Place: [Step]] {
    var seen: Set<Place> = []
    var left: [Place] = []
    for start in steps.keys where seen.insert(start).inserted {
      var open = [(place: start, next: 0)]
      while let (place, next) = open.last {
        if let to = steps[place]?.dropFirst(next).first?.to {
          open[open.count - 1].next += 1
          if seen.insert(to).inserted { open.append((to, 0)) }
        } else {
          left.append(place)
          open.removeLast()
        }
      }
    }
    var origins: [Place: [Place]] = [:]
    for (place, steps) in steps {
      for step in steps { origins[step.to, default: []].append(place) }
    }
    // For each place one of those that it shares rings with.
    var rings: [Place: Place] = [:]
    for start in left.reversed() where rings[start] == nil {
      rings[start] = start
      var open = [start]
      while let place = open.popLast() {
        for origin in origins[place] ?? [] where rings[origin] == nil {
          rings[origin] = start
          open.append(origin)
        }
      }
    }
    return Dictionary(
      uniqueKeysWithValues: steps.map { place, steps in
        (place, steps.filter { rings[$0.to] == rings[place] })
      })
  }

  /// The steps of a shortest way from a place back to it; none if there is no way.
  private func shortestRing(over start: Place, in steps: [Place: [Step]]) -> [Step] {
    var arrivals: [Place: (from: Place, name: String?)] = [:]
    var open = [start][...]
    while arrivals[start] == nil, let from = open.popFirst() {
      for (name, place) in steps[from] ?? [] where arrivals[place] == nil {
        arrivals[place] = (from, name)
        open.append(place)
      }
    }
    var ring: [Step] = []
    var place = start
    while let (from, name) = arrivals[place], ring.isEmpty || place != start {
      ring.append((name, place))
      place = from
    }
    return ring.reversed()
  }
}

// MARK: - Bindings

extension ObservationGraph.Builder {
  private var bindings: [Cycle] {
    let bindings = observed.filter { $0.registration.binding?.isOfItself == false }
    return rings(of: bindings, in: steps(between: bindings)).map { cycle(of: $0.map(\.link)) }
  }

  /// Steps from each binding to those that read what it sets, also by way of a derived value.
  private func steps(between bindings: [ObservedInGraph]) -> [Place: [Step]] {
    // By names, and by the key paths of properties whose names are not known.
    func property(_ owner: AnyObject, _ name: AnyHashable) -> [AnyHashable] {
      [ObjectIdentifier(owner), name]
    }
    var readers: [[AnyHashable]: Set<Int>] = [:]
    for (index, item) in bindings.enumerated() {
      readers[property(item.object, item.keyPath), default: []].insert(index)
      let behind = item.subjects.compactMap { objects.properties[$0]?.derived }.flatMap(\.sources)
      for read in (item.subjects + behind).compactMap({ objects.properties[$0] }) {
        readers[property(read.owner, read.name), default: []].insert(index)
      }
    }
    var steps: [Place: [Step]] = [:]
    for (index, item) in bindings.enumerated() {
      guard let (object, keyPath) = item.target else { continue }
      let names: [AnyHashable] = [keyPath, KeyPathNames.text(of: keyPath)]
      let found = Set(names.flatMap { readers[property(object, $0)] ?? [] })
      let partner = item.info.partner
      let followers = found.filter { $0 != index && bindings[$0].info !== partner }
      steps[index] = followers.sorted().map { (nil, $0) }
    }
    return steps
  }

  private func cycle(of bindings: [ObservedInGraph]) -> Cycle {
    let steps = bindings.map { item in
      let target = item.target!  // a binding
      return """
        \(text(item.keyPath, item.object)) sets \
        \(text(target.keyPath, target.object)) (\(item.place))
        """
    }
    return Cycle(
      kind: .bindings, places: bindings.map(\.place).unique(by: \.self),
      description: """
        Bindings set each other: \(steps.joined(separator: ", ")); use bindTwoWay, or leave one out
        """)
  }

  private func text(_ keyPath: AnyKeyPath, _ object: AnyObject) -> String {
    "\(KeyPathNames.text(of: keyPath)) of \(name(of: object))"
  }
}

// MARK: - Retention

extension ObservationGraph.Builder {
  /// Observations by which one observer retains one object.
  private typealias Hold = [ObservedInGraph]

  private var retentions: [Cycle] {
    let holds: [Hold] = Dictionary(grouping: observed.filter(\.isRetained)) {
      [ObjectIdentifier($0.observer), ObjectIdentifier($0.object)]
    }
    .values.sorted { $0[0].info.serial < $1[0].info.serial }
    var steps = [Place: [Step]](
      uniqueKeysWithValues: objects.references.map { object, references in
        (object, references.map { ($0.name, ObjectIdentifier($0.object)) })
      })
    for (index, hold) in holds.enumerated() {
      steps[ObjectIdentifier(hold[0].observer), default: []].append((nil, index))
      steps[index] = [(nil, ObjectIdentifier(hold[0].object))]
    }
    return rings(of: holds, in: steps).map(cycle)
  }

  private func cycle(of ring: [(link: Hold, way: [String])]) -> Cycle {
    let observers = (ring.dropFirst() + ring.prefix(1)).map(\.link[0].observer)
    let parts = zip(ring, observers).map { part, observer in
      let way = part.way.joined(separator: ".")
      return text(of: part.link) + (way.isEmpty ? "" : ", whose \(way) is \(name(of: observer))")
    }
    let caveat =
      ring.allSatisfy(\.way.isEmpty)
      ? "" : ", unless one of those is weak already, which can't be seen here"
    return Cycle(
      kind: .retention, places: ring.flatMap(\.link).map(\.place).unique(by: \.self),
      description: """
        Objects keep each other alive: \(parts.joined(separator: ", ")); use a controller with \
        retainsObserved: false, or a weak property\(caveat)
        """)
  }

  private func text(of hold: Hold) -> String {
    let keyPaths = hold.map { KeyPathNames.text(of: $0.keyPath) }
    return """
      \(name(of: hold[0].observer)) observes \(keyPaths.joined(separator: " and ")) of \
      \(name(of: hold[0].object)) and retains it (\(hold[0].place))
      """
  }
}
