import Foundation

/// What the environment asks of random tests.
package enum Settings {
  /// How many programs to run.
  package static var programs: Int? { number("OBSERVATION_PROGRAMS") }

  /// How long to go on instead.
  package static var soakSeconds: Int? { number("OBSERVATION_SOAK_SECONDS") }

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }
}
