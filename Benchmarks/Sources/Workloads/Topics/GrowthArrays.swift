import Dispatch
import ObservationController

/// An array whose elements are observed, and all change.
final class ElementSet: GrowthSet {
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

  /// Each transaction is one delivery.
  static func joined(_ n: Int) -> ElementSet {
    let set = ElementSet(n)
    set.controller.observeArray(set.cells, elements: [\.number]) { tally, _, change in
      tally.sum += change.changedIndices.count
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

/// An array that is edited while the queue which it is observed on waits.
final class QueuedEditSet: GrowthSet {
  private let tally = Tally()
  private let array: ObservableArray<Int> = []
  private let controller: ObservationController<Tally>
  private let queue = DispatchQueue(label: "edits")
  private let n: Int

  init(_ n: Int) {
    self.n = n
    controller = ObservationController(observer: tally)
    controller.observeArray(array, on: queue, coalescing: .latest) { tally, _, change in
      tally.sum += change.entries.count
    }
  }

  func edit() {
    queue.suspend()
    for number in 0..<n { array.append(number) }
    queue.resume()
    queue.sync {}
  }

  var isRight: Bool { tally.sum == n }
}

enum ViewKind: CaseIterable { case none, sorted, filtered, mapped }

/// An array of a thousand elements, observed with the elements, and perhaps with a view.
final class ViewedArray {
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
