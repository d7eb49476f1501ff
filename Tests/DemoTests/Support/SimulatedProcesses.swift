import TestSupport

@testable import Demo

/// Processes that start, end and change at random, few enough that many tie.
struct SimulatedProcesses {
  private(set) var samples: [ProcessSample] = []
  private var lastIdentifier = 0

  /// The processes of the next sample, listed in any order.
  mutating func run(_ random: inout SeededGenerator) {
    samples.removeAll { _ in Int.random(in: 0..<12, using: &random) == 0 }
    for index in samples.indices where Bool.random(using: &random) {
      samples[index].processorPercent = .random(in: 0..<8, using: &random).rounded()
      samples[index].residentBytes = .random(in: 0..<4, using: &random) << 20
      samples[index].state = Bool.random(using: &random) ? .running : .sleeping
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      lastIdentifier += .random(in: 1...9, using: &random)
      samples.append(.stub(lastIdentifier, cpu: .random(in: 0..<8, using: &random).rounded()))
    }
    samples.shuffle(using: &random)
  }
}
