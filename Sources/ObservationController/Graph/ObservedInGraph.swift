/// One observation, with the objects that it is about held for as long as the graph is being made.
struct ObservedInGraph {
  let info: ObservationInfo
  let observer: AnyObject
  let object: AnyObject
  let isRetained: Bool

  /// What a binding sets.
  let target: (object: AnyObject, keyPath: AnyKeyPath)?

  /// The other half of a two-way binding.
  let partner: ObservationInfo?

  /// The subjects that it hangs on, in the order in which they are read.
  let subjects: [ObjectIdentifier]

  /// The objects that these are properties of, where they know.
  let owners: Set<ObjectIdentifier>

  /// Whether it is a property of the object and nothing more.
  let isProperty: Bool

  /// Whether it is one observed property after the other, in the order of its subjects.
  let isChain: Bool

  /// The key paths of elements that are followed, with the subjects of their properties.
  let elements: [(keyPath: AnyKeyPath, subjects: [ObjectIdentifier])]

  /// - Returns: `nil` if it has ended, or one of its objects has gone.
  init?(_ info: ObservationInfo) {
    let registry = info.site.registry
    let links = registry.links(of: info)
    guard let observer = registry.observer, let object = links.root.object else { return nil }
    self.info = info
    self.observer = observer
    self.object = object
    if case .retained = links.root { isRetained = true } else { isRetained = false }
    if let target = info.site.purpose.target {
      guard let object = target.object else { return nil }
      self.target = (object, target.keyPath)
    } else {
      target = nil
    }
    partner = links.partner
    subjects = links.subjects
    owners = links.owners
    isProperty = links.isProperty
    isChain = info.path?.chain != nil
    elements = links.elements
  }

  var site: ObservationSite { info.site }

  var objects: [AnyObject] { [observer, object] + (target.map { [$0.object] } ?? []) }

  var place: String { "\(site.file):\(site.line)" }
}

/// What an info hangs on: addresses, which are only compared.
struct GraphLinks {
  var root: ObservationInfo.Root
  var partner: ObservationInfo?
  var subjects: [ObjectIdentifier] = []
  var owners: Set<ObjectIdentifier> = []
  var isProperty = false
  var elements: [(keyPath: AnyKeyPath, subjects: [ObjectIdentifier])] = []

  fileprivate mutating func insert(_ link: SubjectLink) {
    subjects.append(link.identity)
    if let owner = link.owner { owners.insert(owner) }
  }
}

extension ObservationRegistry {
  func links(of info: ObservationInfo) -> GraphLinks {
    state.withLock { _ in
      var links = GraphLinks(root: info.root)
      links.partner = info.site.purpose.target?.partnerLocked
      if let link = info.link {
        links.isProperty = true
        links.insert(link)
      }
      for dependency in info.path?.dependencies ?? [] { links.insert(dependency.link) }
      (info.sink as? ArrayFollower)?.insertLinksLocked(into: &links)
      return links
    }
  }
}

extension ArrayFollower {
  /// Under the lock of the registry.
  fileprivate func insertLinksLocked(into links: inout GraphLinks) {
    state.withLock { state in
      for dependency in state.path?.path?.dependencies ?? [] { links.insert(dependency.link) }
      if let link = state.link { links.insert(link) }
      let width = state.properties.count
      for (index, property) in state.properties.enumerated() {
        let hooks = stride(from: index, to: state.hooks.count, by: width).prefix(1_000)
        let subjects = hooks.compactMap { hook -> ObjectIdentifier? in
          if case .subject(let link) = state.hooks[hook] { link.identity } else { nil }
        }
        links.elements.append((property.property.keyPath, subjects))
      }
    }
  }
}
