/// All observations at one moment as a graph: observers and the properties that they observe,
/// properties that key paths read and bindings set, and references between objects.
///
///     ObservationGraph.setLabel("editor", for: editor)
///     try ObservationGraph().dot.write(toFile: "graph.dot", atomically: true, encoding: .utf8)
///     // dot -Tsvg graph.dot > graph.svg; `mermaid` is what GitHub and many editors draw
///
///     for cycle in ObservationGraph().cycles { print(cycle) }
///
/// A snapshot of text and numbers, which retains none of the objects. Another thread may observe or
/// unobserve meanwhile: an observation that ends before the graph reaches it is left out.
///
/// Objects are read: their stored properties by reflection, which finds out names and references,
/// and the observed key paths as handlers read them. So make a graph where the objects may be read,
/// as on the main actor for view models; or, on any thread, without `readsObjects`. Reading an
/// `unowned` property whose object has been deallocated traps here as it does elsewhere. No handler
/// is called, and no lock is held.
public struct ObservationGraph: Sendable {
  /// The objects, controllers and properties, in the order in which observations lead to them.
  public let nodes: [Node]

  /// The connections between nodes, in the order of registration.
  public let edges: [Edge]

  /// Rings of bindings that set each other, and retain cycles between observers and observed
  /// objects.
  ///
  /// Whether a stored property is `weak` can't be seen from outside: a ring that leads over stored
  /// properties says so, and it is for you to look whether one of them is.
  public let cycles: [Cycle]

  /// The graph of all observations.
  ///
  /// - Parameter readsObjects: Whether to read the objects, on this thread. Otherwise properties
  ///   may be named by their types, and the graph lacks the properties of other objects that a key
  ///   path reads, and cycles by way of stored properties.
  /// - Complexity: O(n log n) in the number of observations, and O(k) for each of a derived value
  ///   in what lies behind that, and for each on a ring in what is on rings with it; to read
  ///   objects, O(m) in their stored values; it stops after 20,000 objects.
  public init(readsObjects: Bool = true) {
    self.init(readsObjects: readsObjects) { _ in true }
  }

  /// The graph of the observations of `object`: of its own key paths, of those that read its
  /// properties, also by way of derived values, of arrays that follow these as an element's, and
  /// bindings that set them.
  ///
  /// - Parameters:
  ///   - object: Not retained.
  ///   - readsObjects: Whether to read the objects, see ``init(readsObjects:)``.
  /// - Complexity: O(n log n) in all observations, as the whole graph, of which this is a part.
  public init(of object: AnyObject, readsObjects: Bool = true) {
    self.init(readsObjects: readsObjects) {
      $0.object === object || $0.target?.object === object || $0.follows(object)
    }
  }

  /// The graph of the observations of one observer.
  ///
  /// - Parameters:
  ///   - observer: Not retained.
  ///   - readsObjects: Whether to read the objects, see ``init(readsObjects:)``.
  /// - Complexity: O(n log n) in all observations, as the whole graph, of which this is a part.
  public init(observedBy observer: AnyObject, readsObjects: Bool = true) {
    self.init(readsObjects: readsObjects) { $0.observer === observer }
  }

  /// The graph of the observations of `keyPath` of `object`.
  ///
  /// - Parameters:
  ///   - object: Not retained.
  ///   - keyPath: The key path that was registered.
  ///   - readsObjects: Whether to read the objects, see ``init(readsObjects:)``.
  /// - Complexity: O(n log n) in all observations, as the whole graph, of which this is a part.
  public init<Object: AnyObject>(
    of object: Object, _ keyPath: PartialKeyPath<Object>, readsObjects: Bool = true
  ) {
    self.init(readsObjects: readsObjects) { $0.object === object && $0.keyPath == keyPath }
  }

  private init(readsObjects: Bool, where isWanted: (ObservedInGraph) -> Bool) {
    Self.removeOldLabels()
    let observed = ObservedInGraph.all.filter(isWanted)
    let objects = StoredObjects(of: readsObjects ? observed.flatMap(\.objects) : [])
    if readsObjects { KeyPathNames.learn(observed, objects) }
    let builder = ObservationGraph.Builder(observed, objects)
    (nodes, edges) = (builder.nodes, builder.edges)
    cycles = builder.cycles
  }
}

extension ObservationGraph {
  /// An object, a controller, or a property of an object.
  public struct Node: Sendable, Identifiable {
    /// The kind of a node.
    public enum Kind: String, Sendable {
      /// An object that observes, is observed or is read; or several of one class.
      case object

      /// A controller, whose name says whether it retains.
      case controller

      /// A property, or a nested or computed path; of the object ``owner``.
      case property

      /// A property marked `@Derived`.
      case derived
    }

    /// The node's index in ``ObservationGraph/nodes``.
    public let id: Int

    /// Whether it is an object, a controller or a property.
    public internal(set) var kind: Kind

    /// Type and label of an object, or type and number where there are several; the key path of a
    /// property.
    public internal(set) var name: String

    /// The object that the property belongs to; `nil` for objects and controllers.
    public let owner: Node.ID?

    /// The number of objects that the node stands for: objects of one class without a label are one
    /// node if they are only read, or very many.
    public internal(set) var count: Int
  }

  /// A connection, strong or weak.
  public struct Edge: Sendable {
    /// The kind of an edge.
    public enum Kind: String, Sendable {
      /// The observer owns the controller; assumed to be strong.
      case owns

      /// The controller knows its observer, weakly.
      case notifies

      /// The controller observes the property; strong if it retains the object.
      case observes

      /// A binding sets the property at the other end.
      case sets

      /// A path reads the property.
      case reads

      /// A stored property refers to the object. Taken to be strong: whether it is `weak` or
      /// `unowned` can't be seen.
      case stores
    }

    /// The relation of the two nodes.
    public let kind: Kind

    /// The node that it begins at.
    public let from: Node.ID

    /// The node that it leads to.
    public let to: Node.ID

    /// Whether it is a strong reference.
    public let isStrong: Bool

    /// The way of observing, with the place of the registration; the stored property; or empty.
    public let label: String

    /// The place of the registration; `nil` where there is none.
    public let file: String?

    /// The line of that place.
    public let line: UInt?

    /// The kind of handler; `nil` for an edge that is no observation.
    public let handlerKind: ObservationDescription.HandlerKind?

    /// The options that were registered.
    public let options: ObservationOptions

    /// The context that was registered.
    public let context: ObservationContext?
  }

  /// A ring of bindings, or of objects that keep each other alive.
  public struct Cycle: Sendable, CustomStringConvertible {
    /// The kind of a ring.
    public enum Kind: String, Sendable {
      /// Bindings that set each other.
      case bindings

      /// Objects that retain each other by way of a controller that retains.
      case retention
    }

    /// Whether it is one of bindings or a retain cycle.
    public let kind: Kind

    /// The registrations that are part of it, as `file:line`.
    public let places: [String]

    /// One sentence that names the parts of the ring, and what to do.
    public let description: String
  }
}

// MARK: - Labels

extension ObservationGraph {
  /// Labels `object` in graphs and traces.
  ///
  ///     ObservationGraph.setLabel("wall clock", for: clock)
  ///
  /// May be called at any time, on any thread.
  ///
  /// - Parameters:
  ///   - label: The text to print after the type; `nil` to remove the label.
  ///   - object: Referenced weakly; its label is removed after its deallocation.
  /// - Complexity: O(1) amortised.
  public static func setLabel(_ label: String?, for object: AnyObject) {
    let reference = WeakReference(object)
    let isDue = objectLabels.withLock { labels in
      labels.all[reference.identity] = label.map { (reference, $0) }
      return labels.all.count > labels.limit
    }
    if isDue { removeOldLabels() }
  }

  /// Names a computed property in graphs, traces, issues and descriptions.
  ///
  ///     ObservationGraph.setLabel("fullName", for: \Person.fullName)
  ///
  /// Names of stored properties are found out; the name of a getter is only known where the system
  /// can look it up, which is not so on Linux.
  ///
  /// - Parameters:
  ///   - label: The text to print for the last property of `keyPath`. Kept until the program ends.
  ///   - keyPath: The key path of a property, not a nested one.
  /// - Complexity: O(1) amortised.
  public static func setLabel(_ label: String, for keyPath: AnyKeyPath) {
    KeyPathNames.learn([label], for: KeyPathNames.printed(keyPath))
  }

  /// The label of `object` in graphs and traces; `nil` if it has none.
  ///
  /// May be called at any time, on any thread.
  ///
  /// - Complexity: O(1).
  public static func label(for object: AnyObject) -> String? {
    let identity = ObjectIdentifier(object)
    guard let labelled = objectLabels.withLock({ $0.all[identity] }) else { return nil }
    // Not under the lock: this may be the last reference to the object.
    return labelled.reference.object === object ? labelled.text : nil
  }

  /// The type of an object and its label, as in `Clock “wall clock”`; `nil` if it has none.
  static func labelledName(of object: AnyObject) -> String? {
    label(for: object).map { "\(type(of: object)) “\($0)”" }
  }

  /// The type of an object and its label or its address.
  static func name(of object: AnyObject) -> String {
    labelledName(of: object) ?? ObservationDescription.name(of: object)
  }

  /// Removes the labels of deallocated objects. Loads the weak references outside of the lock: one
  /// of them may be the last reference to an object for a moment.
  private static func removeOldLabels() {
    let old = objectLabels.withLock { $0.all }.filter { $0.value.reference.object == nil }
    objectLabels.withLock { labels in
      for (identity, label) in old where labels.all[identity]?.reference === label.reference {
        labels.all[identity] = nil
      }
      labels.limit = max(16, 2 * labels.all.count)
    }
  }

  /// The number of labels of objects.
  package static var objectLabelCount: Int { objectLabels.withLock { $0.all.count } }

  /// Labels by the identities of their objects, and the number of labels at which those of
  /// deallocated objects are removed.
  private static let objectLabels = Locked(
    (all: [ObjectIdentifier: (reference: WeakReference, text: String)](), limit: 16))
}
