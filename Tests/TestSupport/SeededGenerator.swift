import Foundation

/// A generator of pseudorandom numbers that depend on the seed alone (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  /// The first seed of random programs: `OBSERVATION_SEED`, where that is set; `random` is any.
  ///
  /// Otherwise 1, so that a test that has passed passes again: new programs are the task of a soak.
  package static var firstSeed: UInt64 {
    let given = ProcessInfo.processInfo.environment["OBSERVATION_SEED"]
    return given == "random" ? .random(in: 0...UInt64.max) : given.flatMap { UInt64($0) } ?? 1
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
