/// One observation, with its objects retained while a graph is being made.
struct ObservedInGraph {
  let info: ObservationInfo
  let observer: AnyObject
  let object: AnyObject

  /// The property that a binding sets.
  let target: (object: AnyObject, keyPath: AnyKeyPath)?

  let links: Links

  /// - Returns: `nil` if it has ended, or one of its objects has been deallocated.
  init?(_ info: ObservationInfo) {
    links = Links(of: info)
    guard let observer = info.registration.store.observer, let object = links.root.object else {
      return nil
    }
    (self.info, self.observer, self.object) = (info, observer, object)
    let target = info.registration.binding
    self.target = target.flatMap { target in target.object.map { ($0, target.keyPath) } }
    if target != nil, self.target == nil { return nil }
  }

  var registration: ObservationRegistration { info.registration }
  var objects: [AnyObject] { [observer, object] + (target.map { [$0.object] } ?? []) }
  var place: String { "\(registration.file):\(registration.line)" }

  var isRetained: Bool { links.root.isRetained }

  /// Whether it follows properties of `object`: on the way of its key path, or as an element of its
  /// array.
  func follows(_ object: AnyObject) -> Bool {
    links.owners.contains(ObjectIdentifier(object))
      || !links.elements.isEmpty
        && registration.store.state.withLock { _ in
          info.arraySink?.state.withLock { $0.elements.contains(object) } ?? false
        }
  }
}

extension ObservedInGraph {
  /// Subjects that an info is listed by, and their owners: addresses, which are only compared.
  struct Links {
    var root: ObservationInfo.Root

    /// The other half of a two-way binding.
    var partner: ObservationInfo?

    /// The subjects, in the order in which they are read.
    var subjects: [ObjectIdentifier] = []

    /// The owners of the subjects that know theirs.
    var owners: Set<ObjectIdentifier> = []

    /// Whether the key path is that of a property of the object.
    var isProperty = false

    /// The key paths of observed elements, with the subjects of the elements' properties.
    var elements: [(keyPath: AnyKeyPath, subjects: [ObjectIdentifier])] = []
  }
}

extension ObservedInGraph.Links {
  /// Under the lock of the store, and that of an array's sink.
  fileprivate init(of info: ObservationInfo) {
    self = info.registration.store.state.withLock { _ in
      var links = Self(root: info.root, partner: info.registration.binding?.partner)
      if let link = info.link {
        links.isProperty = true
        links.insert(link)
      }
      for dependency in info.path?.dependencies ?? [] { links.insert(dependency.link) }
      info.arraySink?.state.withLock { state in
        for dependency in state.path?.path?.dependencies ?? [] { links.insert(dependency.link) }
        if let link = state.link { links.insert(link) }
        for (index, property) in state.elements.properties.enumerated() {
          links.elements.append(
            (property.property.registration.keyPath, state.elements.subjects(at: index)))
        }
      }
      return links
    }
  }

  private mutating func insert(_ link: Subject.Link) {
    subjects.append(link.identity)
    if let owner = link.with({ $0.owner }) { owners.insert(owner) }
  }
}
