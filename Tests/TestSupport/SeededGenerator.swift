import Foundation

/// The same numbers for the same seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  /// Prints the seed of a test, so that it can be run again with `OBSERVATION_SEED` set to it.
  ///
  /// The same for everybody, so that a test that has passed goes on passing: looking for what is not
  /// known yet is what a soak is for, which sets `OBSERVATION_SEED` to `random`.
  ///
  /// - Parameter usual: The seed, if the environment asks for none.
  package static func printedSeed(
    of test: String = #function, orElse usual: UInt64 = 1
  ) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["OBSERVATION_SEED"]
    let seed =
      given == "random" ? .random(in: 0...UInt64.max) : given.flatMap { UInt64($0) } ?? usual
    print("\(test): OBSERVATION_SEED=\(seed)")
    return seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
