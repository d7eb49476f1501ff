import ObservationController
import TestSupport
import XCTest

/// Random programs: changes, transactions, observations that begin and end, handlers that do all of
/// it.
final class TransactionRandomTests: TestCase {
  func test_C11_randomTransactions_notifyEachObservationOnce_inChains() {
    check(isQuiet: true)
  }

  func test_C7_randomTransactions_withHandlersThatSet_keepChainsContiguous() {
    check(isQuiet: false)
  }

  /// - Parameter isQuiet: Whether handlers only check.
  private func check(isQuiet: Bool) {
    let before = ObservationDispatcher.shared.activeObservationCount
    for seed in seeds(quick: 30, full: 2_000) {
      let program = TransactionProgram(seed: seed, isQuiet: isQuiet)
      program.run()
      XCTAssertTrue(program.flaws.isEmpty, program.report)
    }
    XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, before)
  }
}

/// Some nodes, their observations, and random actions on them.
private final class TransactionProgram {
  private(set) var flaws: [String] = []
  private var log: [String] = []
  private var generator: SeededGenerator
  private let isQuiet: Bool
  private let clock = RandomClock()
  private let properties = RandomWatch.Property.all
  private var nodes: [RandomNode] = []
  private var watches: [RandomWatch] = []
  private var arrays: [RandomArrayWatch] = []

  /// The number of nodes made so far.
  private var nodeCount = 0

  /// The number of actions that handlers may still take.
  private var budget = 0

  /// Whether a handler has taken one since the outermost action began.
  private var isDisturbed = false

  /// The number of prior handlers that are running: arrays only grow meanwhile, since a pending
  /// edit may name any of the current indices.
  private var priorDepth = 0

  /// The depth of transactions and batches.
  private var depth = 0

  init(seed: UInt64, isQuiet: Bool) {
    generator = SeededGenerator(seed: seed)
    self.isQuiet = isQuiet
    for _ in 0..<4 { nodes.append(makeNode()) }
  }

  private func makeNode() -> RandomNode {
    nodeCount += 1
    return RandomNode(nodeCount, a: chance(3), b: chance(3), clock: clock)
  }

  // MARK: Running

  func run() {
    for _ in 0...chance(6) { observe() }
    for _ in 0..<6 where flaws.isEmpty {
      (budget, isDisturbed) = (isQuiet ? 0 : 4, false)
      for watch in watches { watch.begin() }
      for array in arrays { array.begin() }
      log.append("·")
      if chance(3) > 0 { transact() } else { act() }
      check()
    }
    checkNoComputation()
    for node in nodes { (node.link, node.list, node.spares) = (nil, [], []) }
  }

  /// Runs a few actions in a transaction, which may throw.
  private func transact() {
    let isOutermost = depth == 0
    log.append("{")
    depth += 1
    try? withObservationTransaction {
      for _ in 0...chance(6) { act() }
      depth -= 1
      log.append("}")
      if chance(4) == 0 { throw Failure() }
    }
    guard isOutermost, !isDisturbed else { return }
    for watch in watches { watch.checkDeliveredOnce() }
    for array in arrays { array.checkDeliveredOnce() }
  }

  /// Takes one action.
  private func act() {
    let node = nodes[chance(nodes.count)]
    let other = nodes[chance(nodes.count)]
    let value = chance(3)
    clock.tick()
    defer { clock.tick() }
    switch chance(depth > 0 ? 22 : 18) {
    case 0...2: change("\(node).a = \(value)") { node.a = value }
    case 3: change("\(node).a += 1") { node.a = (node.a + 1) % 4 }
    case 4: change("\(node).a in place") { node.a += value }
    case 5: change("\(node).b = \(value)") { node.b = value }
    case 6: change("\(node).isOn toggles") { node.isOn.toggle() }
    case 7...8:
      let link = other.number > node.number ? other : nil
      change("\(node).link = \(link?.description ?? "nil")") { node.link = link }
    case 9: edit(node.list, of: node, other)
    case 10:
      let list = value == 0 ? other.list : [other]
      change("\(node).list = \(list)") { node.list = list }
    case 11: change("\(node).spares append \(other)") { node.spares.append(other) }
    case 12:
      change("\(node).spares shrink") { node.spares = node.spares.reversed().dropLast() }
    case 13: read(node)
    case 14: observe()
    case 15: unobserve()
    case 16: replaceNode()
    case 17: transact()
    case 18: transact()
    case 19: edit(node.list, of: node, other)
    case 20: edit(other.list, of: other, node)
    default: read(node)
    }
  }

  private func change(_ text: String, _ body: () -> Void) {
    log.append(text)
    body()
  }

  private func edit(_ list: ObservableArray<RandomNode>, of node: RandomNode, _ other: RandomNode) {
    log.append("\(node).list edits")
    func edit() {
      clock.tick()
      if list.isEmpty || priorDepth > 0 || chance(2) == 0 {
        list.insert(other, at: chance(list.count + 1))
      } else if chance(2) == 0 {
        list.remove(at: chance(list.count))
      } else {
        list[chance(list.count)] = other
      }
    }
    guard chance(3) == 0 else { return edit() }
    log.append("[")
    list.performBatchUpdates {
      for _ in 0...chance(3) { edit() }
      clock.tick()
      if !node.isRight { flaws.append("\(node) is wrong in a batch") }
      clock.tick()  // The end of a batch counts as a change.
      log.append("]")
    }
  }

  private func read(_ node: RandomNode) {
    if !node.isRight { flaws.append("\(node) is wrong") }
  }

  private func observe() {
    let node = nodes[chance(nodes.count)]
    if chance(4) == 0 {
      let source = RandomArrayWatch.Source.allCases[chance(3)]
      let follows = chance(2) == 0
      log.append("observe \(node).\(source) \(follows)")
      let array = RandomArrayWatch(node, source, follows: follows) { [unowned self] in
        handle("array")
      }
      return arrays.append(array)
    }
    let property = properties[chance(properties.count)]
    var options = ObservationOptions(rawValue: UInt8(chance(16)))
    if chance(3) == 0 { options = .old }
    log.append("observe \(node).\(property.name) \(options)")
    let watch = RandomWatch(
      property, of: node, options, retains: chance(2) == 0,
      isSettled: { [unowned self] in !isDisturbed && depth == 0 },
      then: { [unowned self] event in
        let isPrior = if case .prior = event { true } else { false }
        handle("\(node).\(property.name) \(event)", isPrior: isPrior)
      })
    watches.append(watch)
  }

  private func unobserve() {
    guard !watches.isEmpty else { return }
    log.append("unobserve")
    watches.remove(at: chance(watches.count)).end()
    if !arrays.isEmpty, chance(3) == 0 { arrays.remove(at: chance(arrays.count)).end() }
  }

  private func replaceNode() {
    let index = chance(nodes.count)
    log.append("drop \(nodes[index])")
    nodes[index] = makeNode()
  }

  /// Takes an action inside of a handler.
  private func handle(_ event: String, isPrior: Bool = false) {
    log.append(event)
    if isPrior { priorDepth += 1 }
    defer {
      if isPrior {
        priorDepth -= 1
        clock.tick()  // Later deliveries are changes.
      }
    }
    if !isDisturbed, depth == 0 {
      for node in nodes where !node.isRight { flaws.append("\(node) is wrong in a handler") }
    }
    guard budget > 0, chance(3) == 0 else { return }
    budget -= 1
    isDisturbed = true
    log.append("(")
    act()
    log.append(")")
  }

  // MARK: Checking

  private func check() {
    clock.tick()
    for watch in watches {
      watch.check()
      flaws += watch.flaws.map { "\(watch): \($0)" }
    }
    for array in arrays { flaws += array.findFlaws() }
    for node in nodes where !node.isRight { flaws.append("\(node) is wrong") }
    flaws += clock.flaws
  }

  private func checkNoComputation() {
    for watch in watches { watch.end() }
    arrays = []
    let before = clock.computations
    for _ in 0..<5 {
      let node = nodes[chance(nodes.count)]
      node.a += 1
      withObservationTransaction {
        node.isOn.toggle()
        node.spares = []
      }
    }
    if clock.computations != before { flaws.append("computed without a read") }
  }

  var report: String { "\(flaws)\n\(log.joined(separator: " "))" }

  private func chance(_ count: Int) -> Int { .random(in: 0..<count, using: &generator) }
}
