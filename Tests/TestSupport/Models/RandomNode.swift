import ObservationController

/// The model of random transaction programs: every kind of dependency.
package final class RandomNode: Hashable, CustomStringConvertible {
  package let number: Int
  @Observed package var a: Int
  @Observed package var b: Int
  @Observed package var isOn = false
  @Observed package var link: RandomNode?
  @Observed package var list: ObservableArray<RandomNode> = []
  @Observed package var spares: [RandomNode] = []

  /// Records wrong computations.
  package let clock: RandomClock

  package var sum: Int { a + b + a * 0 }
  package var linked: Int { (link?.a ?? 0) * 10 + (link?.b ?? 0) }
  package var chosen: Int { isOn ? double + a : b }

  @Derived({ (node: RandomNode) -> Int in
    node.clock.noteComputation("\(node.number).branch")
    return node.isOn ? node.a : node.b
  }) package var branch: Int

  @Derived({ (node: RandomNode) -> Int in
    node.clock.noteComputation("\(node.number).double")
    return node.branch * 2 + (node.link?.a ?? 0)
  }) package var double: Int

  @Derived({ (node: RandomNode) -> Int in
    node.clock.noteComputation("\(node.number).total")
    return node.list.reduce(0) { $0 * 3 + $1.branch } + node.spares.count
  }) package var total: Int

  /// Reads two with a common dependency, and that dependency.
  @Derived({ (node: RandomNode) -> Int in
    node.clock.noteComputation("\(node.number).all")
    return node.double * 100 + node.branch * 10 + node.a + node.total * 1000
  }) package var all: Int

  package init(_ number: Int, a: Int, b: Int, clock: RandomClock) {
    self.number = number
    self.a = a
    self.b = b
    self.clock = clock
  }

  // MARK: The model

  /// The expected derived values, computed anew.
  private var modelBranch: Int { isOn ? a : b }
  private var modelDouble: Int { modelBranch * 2 + (link?.a ?? 0) }
  private var modelTotal: Int {
    list.elements.reduce(0) { $0 * 3 + $1.modelBranch } + spares.count
  }
  private var modelAll: Int {
    modelDouble * 100 + modelBranch * 10 + a + modelTotal * 1000
  }

  package var isRight: Bool {
    branch == modelBranch && double == modelDouble && total == modelTotal && all == modelAll
  }

  package var description: String { "\(number)" }

  package static func == (left: RandomNode, right: RandomNode) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Counts changes, and reports values that are computed twice without a change in between.
package final class RandomClock {
  package private(set) var time = 0
  package private(set) var computations = 0
  package private(set) var flaws: [String] = []
  private var computed: [String: Int] = [:]

  package init() {}

  package func tick() { time += 1 }

  package func noteComputation(_ name: String) {
    computations += 1
    if computed.updateValue(time, forKey: name) == time { flaws.append("\(name) computed twice") }
  }
}
