import Foundation
import TestSupport
import XCTest

/// A program on several threads at once, in rounds, each with its own random choices.
///
/// The seed decides the choices, not the scheduling of the threads: a seed that has failed is worth
/// many rounds.
enum Stress {
  /// The seeds of the rounds of a stress program.
  static func seeds(
    for test: XCTestCase, file: StaticString = #filePath, line: UInt = #line
  ) -> Seeds {
    test.seeds(quick: 3, full: 28, file: file, line: line)
  }

  /// Runs `round` again and again, on 2 to 8 threads, until one fails.
  ///
  /// - Parameter round: Makes the shared objects, runs the threads with `Round.run`, and checks the
  ///   rest.
  static func run(
    _ test: XCTestCase, file: StaticString = #filePath, line: UInt = #line,
    _ round: (inout Round) throws -> Void
  ) rethrows {
    for seed in seeds(for: test, file: file, line: line) {
      var current = Round(of: test, seed)
      try round(&current)
      current.assertNoFailures(file: file, line: line)
    }
  }

  struct Round {
    let test: String
    let threads: Int
    var random: SeededGenerator

    /// The failures found by the threads.
    let failures = Failures()

    init(of test: XCTestCase, _ seed: UInt64) {
      // Many threads first: the few rounds of a quick run have 8, 3 and 5.
      threads = [3, 5, 2, 7, 4, 6, 8][Int((seed &+ 5) % 7)]
      self.test = "\(test.name), OBSERVATION_SEED=\(seed)"
      random = SeededGenerator(seed: seed)
    }

    var description: String { "\(test), \(threads) threads" }

    func assertNoFailures(file: StaticString = #filePath, line: UInt = #line) {
      let failures = failures.all
      guard !failures.isEmpty else { return }
      XCTFail("\(description):\n\(failures.joined(separator: "\n"))", file: file, line: line)
    }

    /// Runs `body` on each thread, and waits for all.
    mutating func run(_ body: @escaping @Sendable (StressThread) -> Void) {
      let threads = (0..<threads).map {
        StressThread($0, random: SeededGenerator(seed: random.next()))
      }
      Watchdog(of: description).run(threads, body)
    }

    func check(_ isRight: Bool, _ failure: @autoclosure () -> String) {
      if !isRight { failures.add(failure()) }
    }
  }
}
