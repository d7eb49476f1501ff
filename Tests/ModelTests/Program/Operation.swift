/// One step of a program.
///
/// Nodes and controllers are named by the slot that holds them; a step that needs one whose slot is
/// empty does nothing.
indirect enum Operation: Equatable {
  // Objects
  case makeNode(Int)
  case dropNode(Int)
  /// - Parameter owned: Whether the observer owns the controller too, as most do.
  case makeController(Int, observer: Int, retains: Bool, owned: Bool)
  case dropController(Int)

  // Changes
  case set(Int, NumberProperty, Int)
  case increment(Int, NumberProperty)
  case setTags(Int, [Int])
  case append(Int, Int)
  /// Mutates `tags` in place, and throws then.
  case appendThrowing(Int, Int)
  case setSpot(Int, Int)
  case link(Int, to: Int?)
  /// Sets the array to that of another node, or to a new one.
  case setList(Int, to: Int?)
  case edit(Int, ArrayEdit)
  case batch(Int, [ArrayEdit])

  // Observing
  case observe(Observation)
  case observeEach(Observation, [Path])
  /// - Parameter elements: Whether `a` of the elements is followed.
  case observeArray(Observation, elements: Bool)
  case bind(Binding)

  // Ending
  case invalidate(Int)
  case unobservePath(Int, Int, Path)
  case unobserveContext(Int, Int, Path, Int?)
  case unobserveObject(Int, Int)
  case unobserveAll(Int)
  case removeObservations(Int)
  case removeObservationsBy(Int, observer: Int)
  case removeObservationsAt(Int, Path)

  // Introspection
  case ask(Int, Int, Path)

  case transaction([Operation], throwing: Bool)
}

/// A property that holds a number.
enum NumberProperty: Int, CaseIterable {
  case a, b

  var property: Property { self == .a ? .a : .b }
}

struct Observation: Equatable {
  var controller: Int
  var node: Int
  var path: Path
  var options: Set<Option>
  /// Distinguishes equal observations, and selects the script of the handler.
  var context: Int?
  var kind: HandlerKind
}

enum Option: String, CaseIterable, Comparable {
  case initial, old, prior, distinct

  static func < (left: Option, right: Option) -> Bool { left.rawValue < right.rawValue }
}

enum HandlerKind: CaseIterable {
  case block
  /// Methods with the change and the object, with the change, with nothing.
  case changeAndObject, change, nothing
  case delegate
}

struct Binding: Equatable {
  var controller: Int
  var source: Int
  var from: NumberProperty
  var target: Int
  var to: NumberProperty
  /// Whether there is a transform, which adds 10, up to 40.
  var transforms: Bool

  static func transform(_ value: Int) -> Int { value < 40 ? value + 10 : value }
}

extension Operation {
  /// Names the kind of step, for statistics.
  var kind: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }

  /// The number of kinds.
  static let kindCount = 28

  /// The steps inside of it.
  var body: [Operation] {
    if case .transaction(let body, _) = self { body } else { [] }
  }
}

/// A program: its steps, and the scripts of its handlers.
struct Program: Equatable {
  var operations: [Operation] = []

  /// The script of each handler, by the number of its context.
  var scripts: [[Operation]] = Array(repeating: [], count: Program.contexts)

  static let slots = 3
  static let controllerSlots = 3
  static let contexts = 4

  /// The maximal number of scripts run because of one step: they may call each other for ever.
  static let scriptsPerStep = 5

  /// All steps, nested ones included.
  var allOperations: [Operation] {
    func all(_ operations: [Operation]) -> [Operation] {
      operations.flatMap { [$0] + all($0.body) }
    }
    return all(operations) + scripts.flatMap(all)
  }
}
