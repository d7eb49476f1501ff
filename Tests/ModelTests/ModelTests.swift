import Foundation
import ObservationController
import TestSupport
import XCTest

/// Random programs over the public API have the history that the model says.
///
/// Run again with `OBSERVATION_SEED` set to the first seed, or to that of a failure with
/// `OBSERVATION_PROGRAMS=1`; `OBSERVATION_SOAK_SECONDS` goes on for so long in place of a number of
/// programs.
///
/// What programs do not do, and why: two-way bindings, live views, arrays without an owner and plain
/// arrays have random tests of their own, which check what comes of them; queues, the main actor and
/// atomic properties are about other threads; events, hooks and notifications depend on nothing else.
/// Nothing else is done inside of a batch or a mutation in place, since reading the property then is
/// an overlapping access, and paths into an array have no prior handlers, which could leave an edit
/// without the element that it names.
final class ModelTests: XCTestCase {
  func test_randomPrograms_haveTheHistoryOfTheModel() {
    let first = SeededGenerator.printedSeed()
    var statistics = Statistics()
    let dispatcher = ObservationDispatcher.shared
    let countBefore = dispatcher.activeObservationCount
    var seed = first
    let deadline = Settings.soakSeconds.map { Date(timeIntervalSinceNow: Double($0)) }
    let count = Settings.programs ?? 20_000
    while deadline.map({ Date() < $0 }) ?? (statistics.programs < count) {
      guard check(seed, &statistics) else { return }
      seed &+= 1
      // Where to look if one stops the process.
      if statistics.programs.isMultiple(of: 5_000) { print("next: OBSERVATION_SEED=\(seed)") }
    }
    XCTAssertEqual(dispatcher.activeObservationCount, countBefore)
    print("\(statistics); seeds \(first) to \(seed &- 1)")
    if statistics.programs >= 20_000 { checkIsNotTrivial(statistics) }
  }

  /// Runs the program of a seed; shrinks and prints it if it fails.
  private func check(_ seed: UInt64, _ statistics: inout Statistics) -> Bool {
    var generator = Generator(seed: seed)
    let program = generator.program()
    let comparison = Comparison(program)
    statistics.add(comparison, of: program)
    if comparison.isEqual { return true }
    let smallest = Shrinker.shrink(program) { !Comparison($0).isEqual }
    XCTFail(
      """
      OBSERVATION_SEED=\(seed) OBSERVATION_PROGRAMS=1
      \(Comparison(smallest).difference)
      \(smallest.swift(named: "program\(seed)"))
      """)
    return false
  }

  private func checkIsNotTrivial(_ statistics: Statistics) {
    XCTAssertLessThan(statistics.givenUp, statistics.programs / 1_000)
    XCTAssertEqual(statistics.steps.count, Operation.kindCount, "\(statistics.steps)")
    XCTAssertGreaterThan(statistics.deliveries, 5 * statistics.programs)
    XCTAssertGreaterThan(statistics.nestedDeliveries, 2 * statistics.programs)
    for issue in [Issue.nothingObservable, .emptyKeyPaths, .cycle, .distinctNeedsEquatable] {
      XCTAssertGreaterThan(statistics.issues["\(issue)"] ?? 0, 20, "\(issue)")
    }
  }
}
