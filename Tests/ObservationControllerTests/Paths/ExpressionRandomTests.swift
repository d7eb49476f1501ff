import ObservationController
import TestSupport
import XCTest

/// Random programs of expressions, autoruns and conditions, compared with a model.
final class ExpressionRandomTests: TestCase {
  func test_randomExpressions_deliverWhatTheModelSays() { check(isQuiet: true) }

  func test_randomExpressions_withAutorunsThatSet_settle() { check(isQuiet: false) }

  /// - Parameter isQuiet: Whether nothing that runs changes anything.
  private func check(isQuiet: Bool) {
    let before = ObservationDispatcher.shared.activeObservationCount
    for seed in seeds(quick: 60, full: 1_500) {
      let census = Census()
      assertNoIssues {
        let flaws = scoped { ExpressionProgram(seed: seed, isQuiet: isQuiet, census).run() }
        XCTAssertEqual(flaws, [], "seed \(seed)")
      }
      XCTAssertEqual(census.survivors, [], "seed \(seed)")
      XCTAssertEqual(
        ObservationDispatcher.shared.activeObservationCount, before, "seed \(seed)")
    }
  }
}

private final class ExpressionCell {
  @Observed var value: Int

  init(_ value: Int) { self.value = value }
}

/// One observation: what it has been delivered, and what the model expects.
private final class ExpressionWatch {
  enum Kind: CaseIterable { case expression, autorun, condition, limit }

  let kind: Kind
  let expression: RandomExpression

  /// What a condition compares with, or a limit keeps its cell below.
  let bound: Int

  /// How many deliveries it takes before it ends itself.
  let lifespan: Int

  var token: ObservationToken?
  var delivered: [String] = []

  /// Of the model: the value delivered last, the cells read last, and the deliveries.
  var last = 0
  var reads: Set<Int> = []
  var expected: [String] = []
  var isActive = true

  init(_ kind: Kind, _ expression: RandomExpression, bound: Int, lifespan: Int) {
    (self.kind, self.expression) = (kind, expression)
    (self.bound, self.lifespan) = (bound, lifespan)
  }

  /// Notes a delivery, the last one of which ends the observation from inside.
  func deliver(_ text: String) {
    delivered.append(text)
    if delivered.count == lifespan { token?.invalidate() }
  }
}

private final class ExpressionProgram {
  private var generator: SeededGenerator
  private let isQuiet: Bool
  private let census: Census
  private let cells: [ExpressionCell]
  private let controllers: [ObservationController<Visitor>]
  private let visitors: [Visitor]
  private var watches: [ExpressionWatch] = []
  private var flaws: [String] = []

  /// The values of the model.
  private var values: [Int]

  init(seed: UInt64, isQuiet: Bool, _ census: Census) {
    generator = SeededGenerator(seed: seed)
    (self.isQuiet, self.census) = (isQuiet, census)
    values = (0..<5).map { $0 % 3 }
    cells = values.map(ExpressionCell.init)
    let visitors = [Visitor(census), Visitor(census)]
    self.visitors = visitors
    controllers = visitors.indices.map {
      ObservationController(observer: visitors[$0], retainsObserved: $0 == 0)
    }
  }

  func run() -> [String] {
    for step in 0..<40 where flaws.isEmpty {
      switch number(10) {
      case 0..<3: observe()
      case 3: end()
      case 4, 5: transaction()
      default: set([(number(cells.count), number(6))], inTransaction: false)
      }
      check(step)
    }
    return flaws
  }

  private func number(_ count: Int) -> Int { .random(in: 0..<count, using: &generator) }

  // MARK: Actions

  private func observe() {
    let kinds = ExpressionWatch.Kind.allCases.filter { !isQuiet || $0 != .limit }
    let watch = ExpressionWatch(
      kinds[number(kinds.count)],
      .random(over: cells.count, using: &generator), bound: 1 + number(5),
      // The first run of an autorun comes before its token.
      lifespan: isQuiet ? 2 + number(6) : .max)
    watches.append(watch)
    begin(watch)
    register(watch, with: controllers[number(controllers.count)])
  }

  private func register(
    _ watch: ExpressionWatch, with controller: ObservationController<Visitor>
  ) {
    let (cells, expression, bound) = (cells, watch.expression, watch.bound)
    let ticket = census.closures.makeTicket()
    let compute = { withExtendedLifetime(ticket) { expression.value { cells[$0].value } } }
    switch watch.kind {
    case .expression:
      watch.token = controller.observe(compute) { [unowned watch] _, change in
        watch.deliver("\(change.oldValue!) → \(change.newValue)")
      }
    case .autorun:
      watch.token = controller.autorun { [unowned watch] _ in watch.deliver("\(compute())") }
    case .condition:
      watch.token = controller.when(
        { compute() > bound }, perform: { [unowned watch] _ in watch.deliver("holds") })
    case .limit:
      watch.token = controller.autorun { [unowned watch] _ in
        watch.deliver("\(compute())")
        for cell in cells where cell.value > bound { cell.value = bound }
      }
    }
  }

  private func end() {
    guard let watch = watches.randomElement(using: &generator) else { return }
    watch.isActive = false
    if number(3) > 0 { watch.token?.invalidate() } else { endAll(of: number(2)) }
  }

  private func endAll(of controller: Int) {
    controllers[controller].unobserveAll()
    for watch in watches { watch.isActive = watch.token?.isActive ?? false }
    for watch in watches where !watch.isActive { watch.token?.invalidate() }
  }

  private func transaction() {
    set(
      (0..<number(5)).map { _ in (number(cells.count), number(6)) }, inTransaction: true)
  }

  private func set(_ changes: [(cell: Int, value: Int)], inTransaction: Bool) {
    var touched: Set<Int> = []
    for (cell, value) in changes {
      if values[cell] != value { touched.insert(cell) }
      values[cell] = value
    }
    func change() { for (cell, value) in changes { cells[cell].value = value } }
    if inTransaction { withObservationTransaction(change) } else { change() }
    if !isQuiet { values = cells.map(\.value) }
    for watch in watches { follow(watch, touched) }
  }

  // MARK: Model

  private func compute(_ watch: ExpressionWatch) -> Int {
    watch.reads = []
    return watch.expression.value { cell in
      watch.reads.insert(cell)
      return values[cell]
    }
  }

  private func expect(_ text: String, of watch: ExpressionWatch) {
    watch.expected.append(text)
    if watch.expected.count == watch.lifespan { watch.isActive = false }
  }

  private func begin(_ watch: ExpressionWatch) {
    watch.last = compute(watch)
    switch watch.kind {
    case .expression: break
    case .autorun, .limit: expect("\(watch.last)", of: watch)
    case .condition: if watch.last > watch.bound { perform(watch) }
    }
  }

  private func perform(_ watch: ExpressionWatch) {
    expect("holds", of: watch)
    watch.isActive = false
  }

  private func follow(_ watch: ExpressionWatch, _ touched: Set<Int>) {
    guard watch.isActive, !watch.reads.isDisjoint(with: touched) else { return }
    let new = compute(watch)
    switch watch.kind {
    case .expression:
      if new != watch.last { expect("\(watch.last) → \(new)", of: watch) }
    case .autorun, .limit: expect("\(new)", of: watch)
    case .condition: if new > watch.bound { perform(watch) }
    }
    watch.last = new
  }

  // MARK: Checks

  private func check(_ step: Int) {
    for (index, watch) in watches.enumerated() {
      if isQuiet {
        if watch.delivered != watch.expected {
          flaws.append("\(step): \(index) \(watch.kind) \(watch.delivered), not \(watch.expected)")
        }
        if watch.token?.isActive != watch.isActive {
          flaws.append("\(step): \(index) \(watch.kind) is active: \(!watch.isActive)")
        }
      } else {
        checkSettled(watch, step)
      }
    }
  }

  private func checkSettled(_ watch: ExpressionWatch, _ step: Int) {
    guard watch.token?.isActive ?? false else { return }
    let value = watch.expression.value { cells[$0].value }
    let isRight =
      switch watch.kind {
      case .expression: isChain(watch.delivered, to: value)
      case .autorun: watch.delivered.last == "\(value)"
      case .condition: value <= watch.bound
      case .limit:
        watch.delivered.last == "\(value)" && cells.allSatisfy { $0.value <= watch.bound }
      }
    if !isRight { flaws.append("\(step): \(watch.kind) \(watch.delivered) at \(value)") }
  }

  /// Whether each change begins where the one before ended, and the last one leads to `value`.
  private func isChain(_ changes: [String], to value: Int) -> Bool {
    let ends = changes.map { $0.components(separatedBy: " → ") }
    return zip(ends, ends.dropFirst()).allSatisfy { $0[1] == $1[0] }
      && ends.allSatisfy { $0[0] != $0[1] } && (ends.last.map { $0[1] == "\(value)" } ?? true)
  }
}
