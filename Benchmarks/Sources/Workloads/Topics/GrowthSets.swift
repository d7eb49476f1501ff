import ObservationController

/// Many observations by one controller of one object.
final class RegistrationSet: GrowthSet {
  private let tally = Tally()
  private let controller: ObservationController<Tally>
  private let registrations: [Registration]
  private let change: () -> Void
  private var isObserved = false

  /// One observation, which a controller can begin and end.
  struct Registration {
    let begin: (ObservationController<Tally>) -> Void
    let end: (ObservationController<Tally>) -> Void
  }

  private init(_ registrations: [Registration], change: @escaping () -> Void) {
    controller = ObservationController(observer: tally)
    self.registrations = registrations
    self.change = change
  }

  /// Observations of one property that differ by their contexts.
  static func ofContexts(_ n: Int) -> RegistrationSet {
    let cell = ObservedCell()
    let registrations = (0..<n).map { _ in
      let context = ObservationContext()
      return Registration {
        $0.observe(cell, \.number, context: context) { tally, _, _ in tally.sum += 1 }
      } end: {
        $0.unobserve(cell, \.number, context: context)
      }
    }
    return RegistrationSet(registrations) { cell.number += 1 }
  }

  /// Observations of one object's key paths.
  static func ofKeyPaths(_ n: Int) -> RegistrationSet {
    let table = NumberTable()
    let registrations = (0..<n).map { index in
      let keyPath: KeyPath<NumberTable, Int> = \.[row: index]
      return Registration {
        $0.observe(table, keyPath, options: []) { tally, _, _ in tally.sum += 1 }
      } end: {
        $0.unobserve(table, keyPath)
      }
    }
    return RegistrationSet(registrations) { table.number += 1 }
  }

  func observe() {
    for registration in registrations { registration.begin(controller) }
    isObserved = true
  }

  func unobserve() {
    for registration in registrations { registration.end(controller) }
    isObserved = false
  }

  var observed: RegistrationSet {
    observe()
    return self
  }

  var isRight: Bool {
    tally.sum = 0
    change()
    return tally.sum == (isObserved ? registrations.count : 0)
  }
}

/// An object with as many properties as there are numbers.
private final class NumberTable {
  @Observed var number = 0

  subscript(row row: Int) -> Int { number + row }
}

/// Bindings with a common source or target.
final class BindingSet: GrowthSet {
  private let tally = Tally()
  private let one = ObservedCell()
  private let many: [ObservedCell]
  private let controller: ObservationController<Tally>
  private var isSource = true

  init(_ n: Int) {
    controller = ObservationController(observer: tally)
    many = (0..<n).map { _ in ObservedCell() }
  }

  func bindFromOne() {
    for cell in many { controller.bind(one, \.number, to: cell, \.number) }
  }

  func bindToOne() {
    for cell in many { controller.bind(cell, \.number, to: one, \.number) }
    isSource = false
  }

  var isRight: Bool {
    if isSource {
      one.number += 1
      return many.allSatisfy { $0.number == one.number }
    }
    many.last?.number = 5
    return one.number == 5
  }
}

/// Many observations of one property or event, ended in random order.
final class TokenSet: GrowthSet {
  private let tally = Tally()
  private let cell = ObservedCell()
  private let event = ObservableEvent<Int>()
  private var tokens: [ObservationToken] = []
  private let controllers: [ObservationController<Tally>]

  private init(_ n: Int, observe: (TokenSet, Int) -> ObservationToken) {
    // A controller for each, as many observers have.
    let tally = tally
    controllers = (0..<n).map { _ in ObservationController(observer: tally) }
    tokens = (0..<n).map { observe(self, $0) }
    var generator = Scrambler()
    tokens.shuffle(using: &generator)
  }

  static func ofProperty(_ n: Int) -> TokenSet {
    TokenSet(n) { set, index in
      set.controllers[index].observe(set.cell, \.number) { tally, _, change in
        tally.sum += change.newValue
      }
    }
  }

  static func ofEvent(_ n: Int) -> TokenSet {
    TokenSet(n) { set, index in
      set.controllers[index].observe(set.event) { tally, number in tally.sum += number }
    }
  }

  func end() {
    for token in tokens { token.invalidate() }
  }

  var isRight: Bool {
    cell.number += 1
    event.send(1)
    return tally.sum == 0
  }
}

/// A hook with many handlers, of which the last one answers.
final class HookSet: GrowthSet {
  private let tally = Tally()
  private let hook = ObservableHook<Int, Int> { _ in 0 }
  private let controller: ObservationController<Tally>
  private let count: Int

  init(_ n: Int) {
    controller = ObservationController(observer: tally)
    count = n
    for index in 1...n { controller.handle(hook) { _, _ in index } }
  }

  func ask() {
    for _ in 0..<count { tally.sum += hook(0) }
  }

  var isRight: Bool { tally.sum == count * count }
}

/// Many observed objects, of which one after the other is looked at.
final class ObservedSet: GrowthSet {
  private let tally = Tally()
  private let other = Tally()
  private let cells: [ObservedCell]
  private let controllers: [ObservationController<Tally>]
  private var found = 0

  init(_ n: Int) {
    controllers = [ObservationController(observer: tally), ObservationController(observer: other)]
    cells = (0..<n).map { _ in ObservedCell() }
    for controller in controllers {
      for cell in cells {
        controller.observe(cell, \.number) { tally, _, change in tally.sum += change.newValue }
      }
    }
  }

  func inspect() {
    for cell in cells {
      found += ObservationDispatcher.shared.observations(of: cell).count - 1
    }
  }

  /// A graph of all of them.
  func draw() {
    let graph = ObservationGraph(observedBy: tally)
    let objects = graph.nodes.filter { $0.kind == .object }.map(\.count)
    found = objects.reduce(0, +) - 1
  }

  func removeByObserver() {
    for cell in cells {
      ObservationDispatcher.shared.removeObservations(of: cell, by: other)
    }
    check(left: cells.count)
  }

  func removeByObject() {
    for cell in cells { ObservationDispatcher.shared.removeObservations(of: cell) }
    check(left: 0)
  }

  func removeByKeyPath() {
    for cell in cells { ObservationDispatcher.shared.removeObservations(of: cell, \.number) }
    check(left: 0)
  }

  private func check(left: Int) {
    let isLeft =
      controllers.first?.isObserving(cells[0], \.number) == (left > 0)
      && controllers.last?.isObserving(cells[0], \.number) == false
    found = isLeft ? cells.count : -1
  }

  var isRight: Bool { found == cells.count }
}

/// Objects that an observed path reads, all of which change in one transaction.
final class SumSet: GrowthSet {
  private let tally = Tally()
  private let cells: [ObservedCell]
  private let controller: ObservationController<Tally>

  private var sum: Int { cells.reduce(0) { $0 + $1.number } }

  init(_ n: Int) {
    cells = (0..<n).map { _ in ObservedCell() }
    controller = ObservationController(observer: tally, retainsObserved: false)
    controller.observe(self, \.sum) { tally, _, change in tally.sum += change.newValue }
  }

  func changeAll() {
    withObservationTransaction {
      for cell in cells { set(1, inCell: cell) }
    }
  }

  var isRight: Bool { tally.sum == cells.count }
}

/// A generator that gives equal numbers in each run.
struct Scrambler: RandomNumberGenerator {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
