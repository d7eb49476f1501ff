/// An entry of a program's history.
enum Entry: Equatable {
  case delivered(Delivery)

  case deliveredArray(ArrayDelivery)

  /// A transform of a binding was called.
  case transformed(Int)

  /// `observe` returned the token of this number, in the order in which tokens first appeared.
  case token(Int, isActive: Bool)

  case issue(Issue, Path?)

  /// The results of `isObserving`, `observations`, `observers` and `observedKeyPaths`.
  case answer(isObserving: Bool, observations: Int, observers: [Int], paths: [Path])

  case threw

  /// After each step of the program itself.
  case settled(Settled)
}

enum Issue: Equatable {
  case nothingObservable, emptyKeyPaths, cycle, distinctNeedsEquatable, other
}

/// A delivery.
struct Delivery: Equatable {
  enum Event: Equatable {
    case initial, prior, change
    /// A delivery to a method without parameters.
    case unknown
  }

  var event: Event
  var observer: Int
  var object: Int?
  var path: Path?
  var context: Int?

  /// The registration; known to blocks only.
  var registration: Int?

  var old: Value?
  var new = Value.nothing

  /// The value of the path during the delivery.
  var current: Value?
}

/// A delivery of a change of an array.
struct ArrayDelivery: Equatable {
  enum Kind: String {
    case initial, setting, insertion, removal, replacement, move, batch, element
  }

  struct Position: Equatable {
    var node: Int
    var from: Int?
    var to: Int?
  }

  var kind: Kind
  var observer = 0
  var object = 0
  var context: Int?
  var registration = 0

  /// The place of the change; empty where everything may have changed.
  var positions: [Position] = []
  var elements: [Int]
  var oldElements: [Int]?

  /// Whether it leads from the array last delivered to the elements.
  var isContiguous = true

  /// C11: of a batch, the indices of elements that have changed.
  var changed: [Int] = []

  /// For a change of an element.
  var old: Value?
  var new: Value?
}

/// The state between steps.
struct Settled: Equatable {
  /// The numbers of observations of all controllers.
  var observations = 0

  /// The number of blocks that are alive.
  var blocks = 0
  var nodes: [Int] = []
  var controllers: [Int] = []
}
