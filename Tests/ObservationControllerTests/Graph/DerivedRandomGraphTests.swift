import ObservationController
import TestSupport
import XCTest

/// Random graphs of derived values checked against plain evaluation of their formulas: values,
/// computations and deliveries.
final class DerivedRandomGraphTests: TestCase {
  func test_C26_C27_C28_randomGraphs_areEvaluatedAsPlainFormulas() {
    for seed in seeds(quick: 300, full: 10_000) {
      let graph = RandomGraph(seed)
      for step in 0..<40 {
        graph.step()
        if let failure = graph.failures.first {
          return XCTFail("seed \(seed), step \(step): \(failure)")
        }
      }
    }
  }
}

/// A stored property.
private final class Input {
  @Observed var value: Int

  init(_ value: Int) { self.value = value }
}

/// A derived property.
private final class Output {
  private let formula: () -> Int
  @Derived({ (output: Output) in output.formula() }) var value: Int

  init(_ formula: @escaping () -> Int) { self.formula = formula }
}

/// Refers to a derived value, which can be replaced.
private final class Place {
  @Observed var output: Output

  init(_ output: Output) { self.output = output }
}

private final class RandomGraph {
  /// The formula of a value: over inputs, and values before it.
  private enum Formula {
    case sum([Int], mask: Int)
    case branch(Int, Int, Int)

    /// Reads a temporary object.
    case temporary(Int)
  }

  /// An observation of a value, which may set an input.
  private final class Watch {
    let place: Int
    let output: Output
    var last: Int
    let input: Int?
    var token: ObservationToken?

    init(_ place: Int, _ output: Output, setting input: Int?) {
      (self.place, self.output, self.input, last) = (place, output, input, output.value)
    }
  }

  private var random: SeededGenerator
  private let inputs: [Input]
  private var places: [Place] = []
  private var formulas: [Formula] = []

  /// Counts the changes of inputs, and of values.
  private var versions: [Int]

  /// The value of each cell at its last computation, and its reads.
  private var known: [(value: Int, reads: [Int: Int])?]
  private var watches: [Watch] = []

  /// The number of inputs that handlers may still set.
  private var budget = 0
  private let controller: ObservationController<RandomGraph.Observer>
  private let observer = Observer()
  private(set) var failures: [String] = []

  final class Observer {}

  init(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    inputs = (0..<Int.random(in: 2...6, using: &random)).map { _ in
      Input(Int.random(in: 0..<4, using: &random))
    }
    let count = Int.random(in: 3...16, using: &random)
    self.random = random
    known = Array(repeating: nil, count: count)
    versions = Array(repeating: 0, count: inputs.count + count * 2)
    controller = ObservationController(observer: observer, retainsObserved: false)
    for index in 0..<count {
      formulas.append(formula(at: index))
      places.append(Place(output(index)))
    }
  }

  private func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private func formula(at index: Int) -> Formula {
    let cells = inputs.count + index
    func any() -> Int {
      Bool.random(using: &random) ? number(cells) : max(0, cells - 1 - number(4))
    }
    switch number(7) {
    case 0, 1: return .branch(any(), any(), any())
    case 2: return .temporary(any())
    default:
      return .sum((0..<1 + number(4)).map { _ in any() }, mask: [1, 3, 7, 255][number(4)])
    }
  }

  private func output(_ index: Int) -> Output {
    let formula = formulas[index]
    return Output { [unowned self] in compute(index, formula) }
  }

  // MARK: Evaluation

  /// Reads a cell, an input or a value, and records its version.
  private func read(_ cell: Int, _ reads: inout [Int: Int]) -> Int {
    guard cell >= inputs.count else {
      reads[cell] = versions[cell]
      return inputs[cell].value
    }
    let place = cell - inputs.count
    reads[cell + places.count] = versions[cell + places.count]
    let value = places[place].output.value
    reads[cell] = versions[cell]
    return value
  }

  private func compute(_ index: Int, _ formula: Formula) -> Int {
    if let known = known[index], known.reads.allSatisfy({ versions[$0] == $1 }) {
      failures.append("\(index) is computed for nothing")
    }
    var reads: [Int: Int] = [:]
    let result: Int
    switch formula {
    case .sum(let cells, let mask): result = cells.reduce(0) { $0 + read($1, &reads) } & mask
    case .branch(let test, let one, let other):
      result = read(test, &reads) & 1 != 0 ? read(one, &reads) : read(other, &reads) + 1
    case .temporary(let cell):
      var inner: [Int: Int] = [:]
      result = Output { [unowned self] in read(cell, &inner) * 2 }.value & 31
      reads = inner
    }
    if result != known[index]?.value { versions[inputs.count + index] += 1 }
    known[index] = (result, reads)
    return result
  }

  private func plain(_ cell: Int) -> Int {
    guard cell >= inputs.count else { return inputs[cell].value }
    return switch formulas[cell - inputs.count] {
    case .sum(let cells, let mask): cells.reduce(0) { $0 + plain($1) } & mask
    case .branch(let test, let one, let other):
      plain(test) & 1 != 0 ? plain(one) : plain(other) + 1
    case .temporary(let cell): plain(cell) * 2 & 31
    }
  }

  private func check(_ index: Int, _ what: String) {
    let (value, expected) = (places[index].output.value, plain(inputs.count + index))
    if value != expected { failures.append("\(what): \(index) is \(value), not \(expected)") }
  }

  // MARK: Steps

  func step() {
    budget = 6
    switch number(12) {
    case 0...4: set()
    case 5, 6:
      withObservationTransaction {
        for _ in 0..<1 + number(4) {
          set()
          if number(3) == 0 { check(number(places.count), "in a transaction") }
          if number(9) == 0 { watch(number(places.count)) }
        }
      }
    case 7, 8: check(number(places.count), "read")
    case 9: watch(number(places.count))
    case 10: if !watches.isEmpty { watches.remove(at: number(watches.count)).token?.invalidate() }
    default: replace(number(places.count))
    }
    for watch in watches {
      let expected = plain(inputs.count + watch.place)
      if watch.last != expected {
        failures.append("\(watch.place) was delivered as \(watch.last), not \(expected)")
      }
    }
  }

  private func set() { set(number(inputs.count), to: number(4)) }

  private func set(_ input: Int, to value: Int) {
    if inputs[input].value != value { versions[input] += 1 }
    inputs[input].value = value
  }

  private func replace(_ index: Int) {
    for watch in watches where watch.place == index { watch.token?.invalidate() }
    watches.removeAll { $0.place == index }
    formulas[index] = formula(at: index)
    known[index] = nil
    versions[inputs.count + index] += 1
    versions[inputs.count + places.count + index] += 1
    places[index].output = output(index)
  }

  private func watch(_ index: Int) {
    guard watches.count < 8 else { return }
    let watch = Watch(
      index, places[index].output, setting: number(3) == 0 ? number(inputs.count) : nil)
    watches.append(watch)
    watch.token = controller.observe(watch.output, \.value, context: ObservationContext()) {
      [unowned self, unowned watch] _, _, change in
      if change.oldValue != watch.last {
        failures.append("\(index): from \(change), not from \(watch.last)")
      }
      if change.newValue == watch.last { failures.append("\(index): \(change)") }
      watch.last = change.newValue
      check(number(places.count), "in a handler")
      guard let input = watch.input, budget > 0 else { return }
      budget -= 1
      set(input, to: (change.newValue + 1) & 3)
      check(number(places.count), "in a handler that has set")
    }
  }
}
