/// Everything that is observed at one moment, to be looked at: who observes what, what a key path reads,
/// what sets what, and who keeps whom alive.
///
///     ObservationGraph.setLabel("editor", for: editor)
///     try ObservationGraph().dot.write(toFile: "graph.dot", atomically: true, encoding: .utf8)
///     // dot -Tsvg graph.dot > graph.svg; `mermaid` is what GitHub and many editors draw
///
///     for cycle in ObservationGraph().cycles { print(cycle) }
///
/// A snapshot of text and numbers, which keeps none of the objects alive. Another thread may observe or
/// unobserve meanwhile: what has gone by the time it is looked at is left out.
///
/// Objects are read: their stored properties by reflection, which finds out what they are called and
/// hold, and the observed key paths as handlers read them. So make it where the objects may be read, as
/// on the main actor for view models; or, on any thread, without `readsObjects`. Reading an `unowned`
/// property whose object has gone stops the program here as it does elsewhere. Handlers are not called
/// for it, and no lock is held.
public struct ObservationGraph: Sendable {
  /// The objects, controllers and properties, in the order in which they came up.
  public let nodes: [Node]

  /// What connects them, in the order of registration.
  public let edges: [Edge]

  /// Bindings that set each other in a ring, and observers that keep alive what keeps them alive.
  ///
  /// Whether a stored property is `weak` can't be seen from outside: where a ring leads over stored
  /// properties, it says so, and it is for you to look whether one of them is.
  public let cycles: [Cycle]

  /// The graph of all observations.
  ///
  /// - Parameter readsObjects: Whether to read the objects, on this thread. Without that properties may
  ///   go by their types, what other objects a key path reads is left out, and so are cycles by way of
  ///   stored properties.
  /// - Complexity: O(n log n) in the number of observations, and, to read them, O(m) in what the objects
  ///   hold; it stops after 20,000 objects.
  public init(readsObjects: Bool = true) {
    self.init(readsObjects: readsObjects) { _ in true }
  }

  /// The graph of what is observed of `object`: by its own key paths, by those that read its
  /// properties, and by bindings that set them.
  ///
  /// - Parameters:
  ///   - object: Not kept alive.
  ///   - readsObjects: As without a filter.
  /// - Complexity: O(n log n) in all observations, as the whole graph, of which this is a part.
  public init(of object: AnyObject, readsObjects: Bool = true) {
    let identity = ObjectIdentifier(object)
    self.init(readsObjects: readsObjects) { observed in
      observed.object === object || observed.target?.object === object
        || observed.links.owners.contains(identity)
    }
  }

  /// The graph of what `observer` observes.
  ///
  /// - Parameters:
  ///   - observer: Not kept alive.
  ///   - readsObjects: As without a filter.
  /// - Complexity: O(n log n) in all observations, as the whole graph, of which this is a part.
  public init(observedBy observer: AnyObject, readsObjects: Bool = true) {
    self.init(readsObjects: readsObjects) { $0.observer === observer }
  }

  /// The graph of who observes `keyPath` of `object`.
  ///
  /// - Parameters:
  ///   - object: Not kept alive.
  ///   - keyPath: As it was registered.
  ///   - readsObjects: As without a filter.
  /// - Complexity: O(n log n) in all observations, as the whole graph, of which this is a part.
  public init<Object: AnyObject>(
    of object: Object, _ keyPath: PartialKeyPath<Object>, readsObjects: Bool = true
  ) {
    self.init(readsObjects: readsObjects) { observed in
      observed.object === object && observed.info.registration.keyPath == keyPath
    }
  }

  private init(readsObjects: Bool, where isWanted: (ObservedInGraph) -> Bool) {
    Self.removeLabelsOfGone()
    let observed = ObservationDispatcher.shared.allInfos
      .compactMap { ObservedInGraph($0) }.filter(isWanted)
    let objects = AccessTracker.withoutTracking {
      readsObjects ? StoredObjects(of: observed.flatMap(\.objects)) : StoredObjects(of: [])
    }
    var builder = GraphBuilder(observed, objects, readsObjects: readsObjects)
    builder.build()
    (nodes, edges) = (builder.nodes, builder.edges)
    cycles = GraphCycles(observed: observed, objects: objects, names: builder).all
  }
}

extension ObservationGraph {
  /// An object, a controller, or a property of an object.
  public struct Node: Sendable, Identifiable {
    /// What a node is.
    public enum Kind: String, Sendable {
      /// An object that observes, is observed or is read; several that are read alike.
      case object

      /// A controller, named by whether it retains.
      case controller

      /// A property, or a nested or computed path; of the object ``owner``.
      case property

      /// A property that is kept until what it reads changes, marked `@Derived`.
      case derived
    }

    /// Where the node stands in ``ObservationGraph/nodes``.
    public let id: Int

    /// What it is.
    public internal(set) var kind: Kind

    /// Type and label of an object, or type and number where there are several; the key path of a
    /// property.
    public internal(set) var name: String

    /// The object that the property belongs to; `nil` for objects and controllers.
    public let owner: Node.ID?

    /// How many objects it stands for: those of one class without a label that are only read, or are
    /// elements of an array, are one node.
    public internal(set) var count: Int
  }

  /// A connection, strong or weak.
  public struct Edge: Sendable {
    /// What an edge says.
    public enum Kind: String, Sendable {
      /// The observer owns the controller; assumed to be strong.
      case owns

      /// The controller knows its observer, weakly.
      case tells

      /// The controller observes the property; strong if it keeps the object alive.
      case observes

      /// A binding sets the property at the other end.
      case sets

      /// A path reads the property.
      case reads

      /// A stored property refers to the object. Said to be strong: whether it is `weak` or
      /// `unowned` can't be seen.
      case stores
    }

    /// What it says.
    public let kind: Kind

    /// Where it begins.
    public let from: Node.ID

    /// Where it leads to.
    public let to: Node.ID

    /// Whether it keeps alive what it leads to.
    public let isStrong: Bool

    /// How it is observed, with the place of the registration; the stored property; or nothing.
    public let label: String

    /// The place of the registration; `nil` where there is none.
    public let file: String?

    /// The line of that place.
    public let line: UInt?

    /// How the observer is told; `nil` where nobody is.
    public let handlerKind: ObservationDescription.HandlerKind?

    /// What is delivered, and when.
    public let options: ObservationOptions

    /// The context that was registered.
    public let context: ObservationContext?
  }

  /// A ring of bindings, or of objects that keep each other alive.
  public struct Cycle: Sendable, CustomStringConvertible {
    /// What goes around.
    public enum Kind: String, Sendable {
      /// Bindings that set each other.
      case bindings

      /// Objects that keep each other alive by way of a controller that retains.
      case retention
    }

    /// What goes around.
    public let kind: Kind

    /// The registrations that are part of it, as `file:line`.
    public let places: [String]

    /// One sentence that names what goes around, and what to do.
    public let description: String
  }
}
