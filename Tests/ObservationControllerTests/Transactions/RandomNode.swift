import ObservationController
import TestSupport

/// What random programs of transactions change and observe: everything that can depend on something.
final class RandomNode: Hashable, CustomStringConvertible {
  let number: Int
  @Observed var a: Int
  @Observed var b: Int
  @Observed var isOn = false
  @Observed var link: RandomNode?
  @Observed var list: ObservableArray<RandomNode> = []
  @Observed var spares: [RandomNode] = []

  /// Finds fault with computations.
  let clock: RandomClock

  var sum: Int { a + b + a * 0 }
  var linked: Int { (link?.a ?? 0) * 10 + (link?.b ?? 0) }
  var chosen: Int { isOn ? double + a : b }

  @Derived({ (node: RandomNode) -> Int in
    node.clock.noteComputation("\(node.number).branch")
    return node.isOn ? node.a : node.b
  }) var branch: Int

  @Derived({ (node: RandomNode) -> Int in
    node.clock.noteComputation("\(node.number).double")
    return node.branch * 2 + (node.link?.a ?? 0)
  }) var double: Int

  @Derived({ (node: RandomNode) -> Int in
    node.clock.noteComputation("\(node.number).total")
    return node.list.reduce(0) { $0 * 3 + $1.branch } + node.spares.count
  }) var total: Int

  /// Reads two that read the same, and what they read.
  @Derived({ (node: RandomNode) -> Int in
    node.clock.noteComputation("\(node.number).all")
    return node.double * 100 + node.branch * 10 + node.a + node.total * 1000
  }) var all: Int

  init(_ number: Int, a: Int, b: Int, clock: RandomClock) {
    self.number = number
    self.a = a
    self.b = b
    self.clock = clock
  }

  // MARK: The model

  /// What the derived values should be, computed anew.
  private var modelBranch: Int { isOn ? a : b }
  private var modelDouble: Int { modelBranch * 2 + (link?.a ?? 0) }
  private var modelTotal: Int {
    list.elements.reduce(0) { $0 * 3 + $1.modelBranch } + spares.count
  }
  private var modelAll: Int {
    modelDouble * 100 + modelBranch * 10 + a + modelTotal * 1000
  }

  var isRight: Bool {
    branch == modelBranch && double == modelDouble && total == modelTotal && all == modelAll
  }

  var description: String { "\(number)" }

  static func == (left: RandomNode, right: RandomNode) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Counts changes, and notices what is computed twice without one in between.
final class RandomClock {
  private(set) var time = 0
  private(set) var computations = 0
  private(set) var flaws: [String] = []
  private var computed: [String: Int] = [:]

  func tick() { time += 1 }

  func noteComputation(_ name: String) {
    computations += 1
    if computed.updateValue(time, forKey: name) == time { flaws.append("\(name) computed twice") }
  }
}
