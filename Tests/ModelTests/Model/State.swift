/// A property of one node, or the content of one array.
struct Place: Hashable {
  /// The number of the node, or of the array.
  let node: Int
  let property: Property
}

struct NodeState {
  /// By property.
  var values: [Value] = [.int(0), .int(0), .ints([]), .int(0), .nothing, .nothing]

  /// The controllers that it retains.
  var owned: [Int] = []
}

struct ControllerState {
  let observer: Int
  let retains: Bool
}

/// One observation, as `observe` or `bind` made it.
final class Registration {
  let controller: Int
  let object: Int
  let path: Path
  let options: Set<Option>
  let context: Int?
  /// `nil` for a binding.
  let kind: HandlerKind?
  let array: Following?
  let binding: (target: Int, property: Property, transforms: Bool)?

  /// The number of the program's call that its handler is from.
  var call: Int

  /// Where in the source that call stands; the same for calls of one kind.
  let isOfEach: Bool

  /// Counts registrations.
  let serial: Int
  var isActive = true

  /// The dependencies of the path at its last evaluation.
  var dependencies: [Place]

  // For a nested or computed path.

  /// The number of dependency changes that have begun and not ended.
  var openChanges = 0

  /// Its value before the first of them.
  var old: Value?
  var owesPrior = false

  /// Changes of its value, or of the array, that have not been delivered.
  var queue: [QueuedChange] = [] {
    didSet { if queue.count > oldValue.count { additions += 1 } }
  }

  /// The number of changes ever queued.
  private(set) var additions = 0
  var reached = 0
  var isDelivering = false

  init(
    controller: Int, object: Int, path: Path, options: Set<Option>, context: Int? = nil,
    kind: HandlerKind? = nil, call: Int, isOfEach: Bool = false, serial: Int,
    array: Following? = nil,
    binding: (target: Int, property: Property, transforms: Bool)? = nil, dependencies: [Place]
  ) {
    (self.controller, self.object, self.path) = (controller, object, path)
    (self.options, self.context, self.kind, self.call) = (options, context, kind, call)
    (self.array, self.isOfEach) = (array, isOfEach)
    (self.serial, self.binding, self.dependencies) = (serial, binding, dependencies)
  }

  /// Whether it receives changes of a path, or of an array, rather than of one property.
  var isOfPath: Bool { path.property == nil || array != nil }

  /// Whether it reads the value before a change.
  var asksForOld: Bool { array != nil || !options.isDisjoint(with: [.old, .prior, .distinct]) }
}

/// State of an observation of an array.
final class Following {
  /// Whether `a` of the elements is followed.
  let followsElements: Bool

  var array: Int

  /// The elements that it has noted, whose changes it receives.
  var elements: [Int]

  /// The change with which each element came that was not there at the beginning.
  var arrivals: [Int: Int] = [:]

  /// The last edit of the array that it has noted.
  var lastEdit = 0

  /// Whether a cycle has kept changes from it.
  var isOutOfStep = false

  init(array: Int, elements: [Int], followsElements: Bool) {
    (self.array, self.elements, self.followsElements) = (array, elements, followsElements)
  }
}

struct QueuedChange {
  enum What {
    case value(old: Value?, new: Value, owesPrior: Bool)
    case array(ArrayDelivery)
  }

  let id: Int

  /// Whether it is an edit of the array; a change of a path is delivered with a property that it
  /// reads.
  var isEdit = false
  let what: What
}

/// Delivering the changes of one property.
final class Turn {
  var isDelivering = false

  /// C7: changes made by handlers meanwhile.
  var waiting: [Change] = [] {
    didSet { if waiting.count > oldValue.count { additions += 1 } }
  }

  /// The number of times that changes have been added.
  private(set) var additions = 0
}

/// A change of a property that has been stored.
struct Change {
  let id: Int
  let old: Value
  let new: Value
  let needsPrior: Bool

  /// The observations notified before the store in any case.
  var withoutPrior: [Registration] = []

  /// C9: the observations to notify, if they are still active.
  let registrations: [Registration]

  /// The paths that have noted it.
  let paths: [Registration]

  /// C11: observations of arrays that have joined it with other changes of the transaction.
  var joined: [Registration] = []
}

/// The kind of an observation's dependency on a property.
enum Role {
  /// An observation of the property.
  case value

  /// A nested or computed path, or a path to an array, which reads the property.
  case path

  /// An observation of the array.
  case content

  /// An observation of the array that contains the node.
  case element
}

/// C11: a change held by a transaction.
struct Transaction {
  struct Held {
    let place: Place
    /// Whether the object is retained until the end.
    let keepsObject: Bool
    var parts: [(old: Value, registrations: [Registration])] = []

    /// For an array, for each part: the index of each element before the first edit; -1 if it came
    /// since.
    var origins: [[Int]] = []

    /// For an array: whether other observers receive the next edit, in another batch.
    var isClosed = true

    /// For an array: the paths that led to it when it was edited.
    var readers: [Registration] = []

    /// C15: old values requested by an observation, and elements removed from arrays. Paths, also
    /// those to arrays, keep values of their own, until they end.
    var keptValues: [Value] {
      parts.filter { part in
        place.property == .content
          || part.registrations.contains { listener in
            listener.asksForOld
              && (!listener.isOfPath || listener.array != nil && place.property != .list)
          }
      }.map(\.old)
    }
  }

  /// In the order of the first change.
  var held: [Held] = []

  /// The paths that have noted their old values.
  var paths: [Registration] = []
}
