import ObservationController
import TestSupport
import XCTest

/// Random programs over the public API have the history of the reference model.
///
/// Not part of programs: two-way bindings, live views, arrays without an owner and plain arrays,
/// which have random tests of their own that check their results; queues, the main actor and atomic
/// properties, which are about other threads; events, hooks and notifications, which depend on
/// nothing else. Programs take no other step inside of a batch or a mutation in place, since
/// reading the property then is an overlapping access, and paths into an array have no prior
/// handlers, which could leave an edit without the element that it names.
final class ModelTests: TestCase {
  func test_randomPrograms_haveTheHistoryOfTheModel() {
    var statistics = Statistics()
    let dispatcher = ObservationDispatcher.shared
    let countBefore = dispatcher.activeObservationCount
    for seed in seeds(quick: 200, full: 20_000) { check(seed, &statistics) }
    XCTAssertEqual(dispatcher.activeObservationCount, countBefore)
    print(statistics)
    if statistics.programs >= 10_000 { checkIsNotTrivial(statistics) }
  }

  /// Runs the program of a seed; shrinks and prints it if it fails.
  private func check(_ seed: UInt64, _ statistics: inout Statistics) {
    var generator = Generator(seed: seed)
    let program = generator.program()
    let comparison = Comparison(program)
    statistics.add(comparison, of: program)
    guard !comparison.isEqual else { return }
    let smallest = Shrinker.shrink(program) { !Comparison($0).isEqual }
    XCTFail("\(Comparison(smallest).difference)\n\(smallest.swift(named: "program\(seed)"))")
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
