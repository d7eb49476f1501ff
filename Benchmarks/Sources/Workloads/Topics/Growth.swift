import ObservationController

/// What single operations cost among few others and among many: `growth-contexts-1000` is one of a thousand.
enum GrowthTopic {
  static var comparisons: [Comparison] {
    let powers = (2...6).map { Int(pow10: $0) }
    let sets = powers.flatMap { n in
      [
        ofSet("contexts", n, ContextSet.init, ContextSet.observe),
        ofSet("contexts-end", n, ContextSet.observed, ContextSet.unobserve),
        ofSet("key-paths", n, KeyPathSet.init, KeyPathSet.observe),
        ofSet("key-paths-end", n, KeyPathSet.observed, KeyPathSet.unobserve),
        ofSet("bindings-source", n, BindingSet.init, BindingSet.bindFromOne),
        ofSet("bindings-target", n, BindingSet.init, BindingSet.bindToOne),
        ofSet("introspection", n, isOnly: true, ObservedSet.init, ObservedSet.inspect),
        ofSet("removal-by-object", n, isOnly: true, ObservedSet.init, ObservedSet.removeByObject),
        ofSet(
          "removal-by-observer", n, isOnly: true, ObservedSet.init, ObservedSet.removeByObserver),
        ofSet(
          "removal-by-key-path", n, isOnly: true, ObservedSet.init, ObservedSet.removeByKeyPath),
      ]
    }
    // A million of these take gigabytes, or seconds to make.
    let lists = powers.dropLast().flatMap { n in
      [
        ofSet("end-property", n, TokenSet.ofProperty, TokenSet.end),
        ofSet("end-event", n, TokenSet.ofEvent, TokenSet.end),
        ofSet("hook", n, HookSet.init, HookSet.ask),
        ofSet("element-batch", n, ElementSet.alone, ElementSet.changeInBatch),
        ofSet("element-transaction", n, ElementSet.withViews, ElementSet.changeInTransaction),
      ]
    }
    let views = ViewKind.allCases.flatMap { kind in
      [
        view("view-element-\(kind)", kind, ViewedArray.changeElements),
        view("view-append-\(kind)", kind, ViewedArray.append),
      ]
    }
    return sets + lists + views
  }

  /// Operations on all of `n` at once, several times where they are few.
  ///
  /// - Parameter isOnly: Not several times, since each of them has controllers, which count as well.
  private static func ofSet<Objects: GrowthSet>(
    _ name: String, _ n: Int, isOnly: Bool = false, _ make: @escaping (Int) -> Objects,
    _ operate: @escaping (Objects) -> () -> Void
  ) -> Comparison {
    Comparison(
      "growth-\(name)-\(n)", count: isOnly ? n : max(10_000, n), isCountFixed: true,
      duration: .seconds(n < 1_000_000 ? 1 : 4),
      [
        Workload(.observed) { count in
          let sets = (0..<count / n).map { _ in make(n) }
          return Run {
            for set in sets { operate(set)() }
          } isRight: {
            sets.allSatisfy(\.isRight)
          }
        }
      ])
  }

  private static func view(
    _ name: String, _ kind: ViewKind, _ operate: @escaping (ViewedArray) -> (Int) -> Void
  ) -> Comparison {
    Comparison(
      "growth-\(name)", count: 1_000, isCountFixed: true,
      [
        Workload(.observed) { count in
          let array = ViewedArray(kind)
          return Run {
            operate(array)(count)
          } isRight: {
            array.isRight(after: count)
          }
        }
      ])
  }
}

/// Many of what an operation is done to.
private protocol GrowthSet {
  /// Whether the operations had the effect that they should have had.
  var isRight: Bool { get }
}

/// Many observations of one property, told apart by their contexts.
private final class ContextSet: GrowthSet {
  private let tally = Tally()
  private let cell = ObservedCell()
  private let controller: ObservationController<Tally>
  private let contexts: [ObservationContext]
  private var count: Int

  init(_ n: Int) {
    controller = ObservationController(observer: tally)
    contexts = (0..<n).map { _ in ObservationContext() }
    count = n
  }

  static func observed(_ n: Int) -> ContextSet {
    let set = ContextSet(n)
    set.observe()
    return set
  }

  func observe() {
    for context in contexts {
      controller.observe(cell, \.number, context: context) { tally, _, change in
        tally.sum += change.newValue
      }
    }
  }

  func unobserve() {
    for context in contexts { controller.unobserve(cell, \.number, context: context) }
    count = 0
  }

  var isRight: Bool {
    tally.sum = 0
    cell.number = 1
    return tally.sum == count
  }
}

/// Many key paths of one object.
private final class KeyPathSet: GrowthSet {
  private let tally = Tally()
  private let table = NumberTable()
  private let controller: ObservationController<Tally>
  private let keyPaths: [KeyPath<NumberTable, Int>]
  private var count: Int

  init(_ n: Int) {
    controller = ObservationController(observer: tally)
    keyPaths = (0..<n).map { index in \NumberTable.[row: index] }
    count = n
  }

  static func observed(_ n: Int) -> KeyPathSet {
    let set = KeyPathSet(n)
    set.observe()
    return set
  }

  func observe() {
    for keyPath in keyPaths {
      controller.observe(table, keyPath, options: []) { tally, _, change in
        tally.sum += 1
      }
    }
  }

  func unobserve() {
    for keyPath in keyPaths { controller.unobserve(table, keyPath) }
    count = 0
  }

  var isRight: Bool {
    tally.sum = 0
    table.number += 1
    return tally.sum == count
  }
}

/// An object with as many properties as there are numbers.
private final class NumberTable {
  @Observed var number = 0

  subscript(row row: Int) -> Int { number + row }
}

/// Bindings with a common source or target.
private final class BindingSet: GrowthSet {
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
private final class TokenSet: GrowthSet {
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
private final class HookSet: GrowthSet {
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
private final class ObservedSet: GrowthSet {
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

/// An array whose elements are observed, and all change.
private final class ElementSet: GrowthSet {
  private let tally = Tally()
  private let cells: ObservableArray<ObservedCell>
  private let controller: ObservationController<Tally>
  private var views: [ObservableArray<ObservedCell>] = []

  private init(_ n: Int) {
    var generator = Scrambler()
    cells = ObservableArray(
      (0..<n).map { _ in
        let cell = ObservedCell()
        cell.number = Int.random(in: 0..<1_000_000, using: &generator)
        return cell
      })
    controller = ObservationController(observer: tally)
  }

  static func alone(_ n: Int) -> ElementSet {
    let set = ElementSet(n)
    set.controller.observeArray(set.cells, elements: [\.number]) { tally, _, change in
      if change.kind == .element { tally.sum += 1 }
    }
    return set
  }

  static func withViews(_ n: Int) -> ElementSet {
    let set = ElementSet(n)
    set.views = [
      set.cells.sorted(on: [\.number]) { $0.number < $1.number },
      set.cells.filtered(on: [\.number]) { $0.number % 2 == 0 },
    ]
    return set
  }

  func changeInBatch() {
    cells.performBatchUpdates { changeAll() }
  }

  func changeInTransaction() {
    withObservationTransaction { changeAll() }
  }

  private func changeAll() {
    var generator = Scrambler()
    for cell in cells {
      set(Int.random(in: 0..<1_000_000, using: &generator) ^ 1, inCell: cell)
    }
  }

  var isRight: Bool {
    guard !views.isEmpty else { return tally.sum == cells.count }
    let numbers = cells.map(\.number)
    return views[0].map(\.number) == numbers.sorted()
      && views[1].map(\.number) == numbers.filter { $0 % 2 == 0 }
  }
}

private enum ViewKind: CaseIterable { case none, sorted, filtered, mapped }

/// An array of a thousand elements, observed with the elements, and perhaps with a view.
private final class ViewedArray {
  private let tally = Tally()
  private let cells: ObservableArray<ObservedCell>
  private let controller: ObservationController<Tally>
  private var sorted: ObservableArray<ObservedCell>?
  private var filtered: ObservableArray<ObservedCell>?
  private var mapped: ObservableArray<Int>?
  private var arriving: [ObservedCell] = []
  private var numbers: [Int] = []

  init(_ kind: ViewKind) {
    var generator = Scrambler()
    func number() -> Int { Int.random(in: 0..<1_000_000, using: &generator) }
    func cell() -> ObservedCell {
      let cell = ObservedCell()
      cell.number = number()
      return cell
    }
    cells = ObservableArray((0..<1_000).map { _ in cell() })
    arriving = (0..<1_000).map { _ in cell() }
    numbers = (0..<1_000).map { _ in number() }
    controller = ObservationController(observer: tally)
    switch kind {
    case .none:
      controller.observeArray(cells, elements: [\.number]) { tally, _, _ in tally.sum += 1 }
    case .sorted: sorted = cells.sorted(on: [\.number]) { $0.number < $1.number }
    case .filtered: filtered = cells.filtered(on: [\.number]) { $0.number % 2 == 0 }
    case .mapped: mapped = cells.mapped(on: [\.number]) { $0.number }
    }
  }

  func changeElements(_ count: Int) {
    for index in 0..<count { set(numbers[index % 1_000], inCell: cells[index * 7 % 1_000]) }
  }

  func append(_ count: Int) {
    for index in 0..<count { cells.append(arriving[index % 1_000]) }
  }

  func isRight(after count: Int) -> Bool {
    let numbers = cells.map(\.number)
    if let sorted { return sorted.map(\.number) == numbers.sorted() }
    if let filtered { return filtered.map(\.number) == numbers.filter { $0 % 2 == 0 } }
    if let mapped { return Array(mapped) == numbers }
    return tally.sum == count
  }
}

/// The same numbers each time.
private struct Scrambler: RandomNumberGenerator {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
