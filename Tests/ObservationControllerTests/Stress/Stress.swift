import Foundation
import TestSupport
import XCTest

/// Runs a program on several threads at once, round by round, each with its own random choices.
///
/// How many rounds can be set with `OBSERVATION_STRESS_ROUNDS`, the choices with `OBSERVATION_SEED`.
/// Not in which order the threads come: a seed that has failed is worth many rounds.
enum Stress {
  /// Few enough for all programs together to take no longer than 20 seconds, also where
  /// ThreadSanitizer makes them ten times as slow.
  static let rounds =
    ProcessInfo.processInfo.environment["OBSERVATION_STRESS_ROUNDS"].flatMap { Int($0) }
    ?? (isUnderThreadSanitizer || isUnderAddressSanitizer ? 7 : 28)

  /// Runs `round` again and again, on 2 to 8 threads in turn; stops at the first that fails.
  ///
  /// - Parameter round: Makes what the threads share, runs them with `Round.run`, and checks the rest.
  static func run(
    _ test: String = #function, file: StaticString = #filePath, line: UInt = #line,
    _ round: (inout Round) throws -> Void
  ) rethrows {
    let seed = SeededGenerator.printedSeed(of: test)
    var generator = SeededGenerator(seed: seed)
    var operations = 0
    for number in 0..<rounds {
      var current = Round(
        test: "\(test), OBSERVATION_SEED=\(seed), round \(number)", threads: 2 + number % 7,
        random: SeededGenerator(seed: generator.next()))
      try round(&current)
      operations += current.operations
      let failures = current.failures.all
      guard failures.isEmpty else {
        return XCTFail(
          "\(current.description):\n\(failures.joined(separator: "\n"))", file: file, line: line)
      }
    }
    print("\(test): \(rounds) rounds on 2 to 8 threads, \(operations) operations")
  }

  struct Round {
    let test: String
    let threads: Int
    var random: SeededGenerator

    /// How many operations the threads have made.
    fileprivate(set) var operations = 0

    /// What the threads have found wrong.
    let failures = Failures()

    var description: String { "\(test), \(threads) threads" }

    /// Runs `body` on each thread, and waits for all.
    mutating func run(_ body: @escaping @Sendable (StressThread) -> Void) {
      let threads = (0..<threads).map {
        StressThread($0, random: SeededGenerator(seed: random.next()))
      }
      Watchdog(of: description).run(threads, body)
      operations += threads.reduce(0) { $0 + $1.progress / 2 }
    }

    func check(_ isRight: Bool, _ failure: @autoclosure () -> String) {
      if !isRight { failures.add(failure()) }
    }
  }
}

/// The first things that went wrong, on whatever thread.
final class Failures: Sendable {
  private let list = Guarded<[String]>([])

  var all: [String] { list.withLock { $0 } }

  func add(_ failure: String) {
    list.withLock { if $0.count < 5 { $0.append(failure) } }
  }
}
