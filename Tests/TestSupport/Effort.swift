import Foundation
import XCTest

/// The budget of the random, exhaustive and repeated tests.
///
/// `OBSERVATION_EFFORT` chooses it: a quick run by default, which has equal cases each time,
/// `quarter` for one step of `.ci/run`, `full` for `.ci/full`, or a number of seconds for each
/// random test in `.ci/soak`.
package enum Effort: Equatable {
  case quick
  case quarter
  case full
  case seconds(Int)

  package static let current = Effort(ProcessInfo.processInfo.environment["OBSERVATION_EFFORT"])

  package init(_ text: String?) {
    switch text {
    case nil, "", "quick": self = .quick
    case "quarter": self = .quarter
    case "full": self = .full
    case let text?:
      guard let seconds = Int(text), seconds > 0 else {
        fatalError(
          "OBSERVATION_EFFORT is quick, quarter, full or a number of seconds, not \(text).")
      }
      self = .seconds(seconds)
    }
  }

  /// The number of programs, operations or cases of a test.
  package static func count(quick: Int, full: Int) -> Int {
    switch current {
    case .quick: quick
    case .quarter: max(quick, full / 4)
    case .full, .seconds: full
    }
  }
}

/// The cases of an exhaustive test: all of them, and in a quick run one out of so many.
package struct Cases {
  private let share: Int
  private var number = 0

  /// - Parameter share: A prime number, so that it has no common period with the nested loops of
  ///   the cases.
  package init(quickOneOutOf share: Int) {
    // Of a quarter, a prime number too.
    self.share = Effort.current == .quarter ? min(share, 5) : Effort.count(quick: share, full: 1)
  }

  /// Whether the next case is tested.
  package mutating func takesNext() -> Bool {
    number += 1
    return number.isMultiple(of: share)
  }
}

extension XCTestCase {
  /// The seeds of a test's random programs, one after the other, until a program fails.
  ///
  ///     for seed in seeds(quick: 20, full: 1_000) {
  ///       XCTAssertEqual(Program(seed: seed).run(), [])
  ///     }
  ///
  /// The first seed is 1 or `OBSERVATION_SEED`, so that the seed of a failure runs it again at
  /// once; with `OBSERVATION_SEED=random` it is a random one. An effort of some seconds lasts that
  /// long, for any number of programs.
  ///
  /// - Parameters:
  ///   - quick: The number of programs of a quick look.
  ///   - full: The number of programs at full effort.
  package func seeds(
    quick: Int, full: Int, file: StaticString = #filePath, line: UInt = #line
  ) -> Seeds {
    Seeds(self, count: Effort.count(quick: quick, full: full), file: file, line: line)
  }
}

/// The seeds of the random programs of a test, and the budget of the test.
package struct Seeds: Sequence, IteratorProtocol {
  private let test: XCTestCase
  private let first = SeededGenerator.firstSeed
  private let count: Int
  private let deadline: Date?
  private let failuresBefore: Int
  private let place: (file: StaticString, line: UInt)
  private var done = 0

  fileprivate init(_ test: XCTestCase, count: Int, file: StaticString, line: UInt) {
    self.test = test
    self.count = count
    place = (file, line)
    failuresBefore = test.testRun?.totalFailureCount ?? 0
    deadline =
      if case .seconds(let seconds) = Effort.current {
        Date(timeIntervalSinceNow: TimeInterval(seconds))
      } else {
        nil
      }
  }

  package mutating func next() -> UInt64? {
    // After each of the first programs, since it may take longer than they do.
    if done > 0, done <= 500 { assertInvariants(file: place.file, line: place.line) }
    let seed = first &+ UInt64(done)
    guard test.testRun?.totalFailureCount ?? 0 == failuresBefore else {
      XCTFail("again by OBSERVATION_SEED=\(seed &- 1)", file: place.file, line: place.line)
      return nil
    }
    guard deadline.map({ Date() < $0 }) ?? (done < count) else {
      if deadline != nil { print("\(test.name): \(done) programs, seeds \(first) to \(seed &- 1)") }
      return nil
    }
    // A program that ends the process is one of the next 1,000.
    if done.isMultiple(of: 1_000), count > 1 {
      print("\(test.name): from OBSERVATION_SEED=\(seed)")
      fflush(nil)
    }
    done += 1
    return seed
  }
}
