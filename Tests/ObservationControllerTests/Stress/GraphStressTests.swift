import ObservationController
import TestSupport
import XCTest

/// Graphs of derived values on several threads: each with one of its own, and all with one of
/// atomic properties.
final class GraphStressTests: TestCase {
  func test_C20_graphsOfSeveralThreads_areEvaluatedAsPlainFormulas() {
    assertNoIssues {
      Stress.run(self) { round in
        let failures = round.failures
        round.run { thread in
          for _ in 0..<3 {
            let graph = OwnGraph(SeededGenerator(seed: thread.random.next()))
            for _ in 0..<100 { thread.perform("change a graph") { graph.change() } }
            graph.checkAll()
            for failure in graph.failures { failures.add(failure) }
          }
        }
      }
    }
  }

  func test_C21_C27_atomicsOfSeveralThreads_feedConsistentValues() {
    assertNoIssues {
      Stress.run(self) { round in
        let failures = round.failures
        let well = Well()
        let observer = ChainObserver()
        observer.observations.observe(well, \.top) { $0.follow($2) }
        let census = Census()
        let sums = Guarded((first: 0, second: 0))
        round.run { thread in
          var tap = Tap(well, census)
          var follower = ChainObserver()
          for _ in 0..<150 {
            let number = Int(thread.random.next() % 100)
            switch thread.random.next() % 8 {
            case 0, 1, 2:
              thread.perform("add") { well.$first.withLock { $0 += number } }
              sums.withLock { $0.first += number }
            case 3:
              thread.perform("add in a transaction") {
                withObservationTransaction {
                  well.$second.withLock { $0 += number }
                  well.$second.withLock { $0 += 1 }
                }
              }
              sums.withLock { $0.second += number + 1 }
            case 4: thread.perform("make another reader") { tap = Tap(well, census) }
            case 5:
              follower = ChainObserver()
              thread.perform("observe") {
                _ = follower.observations.observe(tap, \.sum, options: [.initial, .old]) {
                  $0.follow($2)
                }
              }
            case 6:
              thread.perform("set a dependency") { tap.number = number }
              if tap.sum != number { failures.add("\(tap.sum), not \(number)") }
            default:
              let gap = thread.perform("read") { well.gap }
              if gap != 0 { failures.add("a gap of \(gap)") }
            }
          }
          for flaw in follower.breaks { failures.add(flaw) }
        }
        let (first, second) = sums.withLock { $0 }
        round.check(well.first == first && well.second == second, "an update is lost")
        round.check(well.top == 3 * first + second, "\(well.top) of \((first, second))")
        round.check(observer.last == well.top, "a change is lost")
        round.check(observer.breaks.isEmpty, "\(observer.breaks)")
        round.check(census.survivors.isEmpty, "\(census.survivors)")
      }
    }
  }
}

// MARK: - One thread each

/// A random graph, its observers, and its expected values. Used by one thread.
private final class OwnGraph {
  private final class Input {
    @Observed var value = 0
  }

  private final class Output {
    private let formula: () -> Int
    @Derived({ (output: Output) in output.formula() }) var value: Int

    init(_ formula: @escaping () -> Int) { self.formula = formula }
  }

  private var random: SeededGenerator
  private let inputs = (0..<4).map { _ in Input() }
  private var outputs: [Output] = []

  /// The formula of each value: over inputs, and values before it.
  private var places: [[Int]] = []
  private var observers: [(place: Int, observer: ChainObserver)] = []
  private(set) var failures: [String] = []

  init(_ random: SeededGenerator) {
    self.random = random
    for _ in 0..<12 { add() }
  }

  private func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private func add() {
    let cells = inputs.count + outputs.count
    let read = (0..<3).map { _ in number(cells) }
    places.append(read)
    outputs.append(
      Output { [unowned self] in
        value(read[0]) & 1 != 0 ? value(read[1]) & 63 : value(read[1]) &+ value(read[2]) &+ 1
      })
  }

  private func value(_ cell: Int) -> Int {
    cell < inputs.count ? inputs[cell].value : outputs[cell - inputs.count].value
  }

  private func plainValue(_ cell: Int, _ known: inout [Int: Int]) -> Int {
    guard cell >= inputs.count else { return inputs[cell].value }
    if let value = known[cell] { return value }
    let read = places[cell - inputs.count]
    let first = plainValue(read[0], &known)
    let second = plainValue(read[1], &known)
    let value = first & 1 != 0 ? second & 63 : second &+ plainValue(read[2], &known) &+ 1
    known[cell] = value
    return value
  }

  func change() {
    switch number(8) {
    case 0: add()
    case 1:
      withObservationTransaction {
        for input in inputs { input.value = number(4) }
      }
    case 2:
      let place = number(outputs.count)
      let observer = ChainObserver()
      observer.observations.observe(outputs[place], \.value, options: [.initial, .old]) {
        $0.follow($2)
      }
      observers.append((place, observer))
    case 3 where !observers.isEmpty: observers.remove(at: number(observers.count))
    case 4: check(number(outputs.count))
    default: inputs[number(inputs.count)].value = number(4)
    }
  }

  private func check(_ place: Int) {
    var known: [Int: Int] = [:]
    let expected = plainValue(inputs.count + place, &known)
    let value = outputs[place].value
    if value != expected { failures.append("value \(place) is \(value), not \(expected)") }
  }

  func checkAll() {
    for place in outputs.indices { check(place) }
    for (place, observer) in observers {
      if observer.last != outputs[place].value { failures.append("\(place) was not delivered") }
      failures += observer.breaks
    }
  }
}

// MARK: - All together

/// Two numbers that any thread may change, and values derived from them.
private final class Well: @unchecked Sendable {
  // Unchecked because the storage of a wrapper is a variable, which is never replaced.
  @AtomicObserved var first = 0
  @AtomicObserved var second = 0

  @Derived({ (well: Well) in well.first * 3 }) var tripled: Int

  /// Always 0.
  @Derived({ (well: Well) in well.tripled - well.first * 3 }) var gap: Int
  @Derived({ (well: Well) in well.tripled + well.second + well.gap }) var top: Int
}

/// An object of one thread that derives from the shared numbers.
private final class Tap: @unchecked Sendable {
  // Unchecked as in `Well`.
  private let well: Well
  private let own: LifetimeCounter.Ticket

  @AtomicObserved var number = 0
  @Derived({ (tap: Tap) in tap.well.gap * 1_000 + tap.number }) var sum: Int

  init(_ well: Well, _ census: Census) {
    self.well = well
    own = census.objects.makeTicket()
  }
}
