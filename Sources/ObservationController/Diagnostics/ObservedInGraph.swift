/// One observation, with its objects retained while a graph is being made, and the subjects that it
/// is listed by. These and their owners are addresses, which are only compared.
struct ObservedInGraph {
  let info: ObservationInfo
  let observer: AnyObject
  let object: AnyObject

  /// The property that a binding sets.
  let target: (object: AnyObject, keyPath: AnyKeyPath)?

  /// Properties that it depends on, in the order in which they are read.
  private(set) var dependencies: [PathObservation.Dependency] = []

  /// Whether the key path is that of a property of the object, or of the elements of an array.
  private(set) var isProperty = true

  /// The key paths of observed elements, with the subjects of the elements' properties.
  private(set) var elements: [(keyPath: AnyKeyPath, subjects: [ObjectIdentifier])] = []

  /// What the key paths of observed elements have read first.
  private(set) var elementGetters: [ObservationRegistration.Getter] = []

  /// - Returns: `nil` if it has ended, or one of its objects has been deallocated.
  init?(_ info: ObservationInfo) {
    let binding = info.registration.binding
    guard let observer = info.registration.store.observer, let object = info.object else {
      return nil
    }
    (self.info, self.observer, self.object) = (info, observer, object)
    target = binding.flatMap { binding in binding.object.map { ($0, binding.keyPath) } }
    if binding != nil, target == nil { return nil }
    // The lock of the store first, then that of an array's sink or of a path.
    info.withStoreLock {
      insert(info.path, info.link)
      info.arraySink?.state.withLock { state in
        insert(state.path?.path, state.link)
        elements = state.elements.properties.enumerated().map { index, property in
          (property.property.registration.keyPath, state.elements.subjects(at: index))
        }
        elementGetters = state.elements.properties.flatMap { $0.property.registration.getters }
      }
    }
  }

  private mutating func insert(_ path: PathObservation?, _ link: SubjectReference?) {
    if path != nil { isProperty = false }
    dependencies += path?.dependencies ?? []
    if let link { dependencies.append(link.dependency) }
  }

  /// All observations, in the order of registration.
  static var all: [ObservedInGraph] {
    ObservationDispatcher.shared.allInfos.compactMap { ObservedInGraph($0) }
  }

  var registration: ObservationRegistration { info.registration }
  var keyPath: AnyKeyPath { registration.keyPath }
  var objects: [AnyObject] { [observer, object, target?.object].compactMap(\.self) }
  var place: String { registration.place }
  var isRetained: Bool { info.traits.contains(.retaining) }

  /// The subjects, of derived properties their storage.
  var subjects: [ObjectIdentifier] { dependencies.map(\.identity) }

  /// Whether it follows properties of `object`: on the way of its key path, also by way of derived
  /// values, or as an element of its array.
  func follows(_ object: AnyObject) -> Bool {
    let owner = ObjectIdentifier(object)
    return dependencies.contains { $0.owner == owner }
      || info.withStoreLock {
        if let sink = info.arraySink {
          return sink.state.withLock { state in
            state.elements.contains(object)
              || state.path?.path?.node.hasRead(propertyOf: owner) ?? false
          }
        }
        let node = info.path?.node ?? info.link?.derivedNode
        return node?.hasRead(propertyOf: owner) ?? false
      }
  }
}
