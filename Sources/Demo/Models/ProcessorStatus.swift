import ObservationController

/// How busy the processors of the system are, and were.
final class ProcessorStatus {
  /// Whole percent of each processor; empty where the system does not report it.
  @Observed private(set) var percents: [Int] = []
  /// Whole percent of all processors together, the oldest sample first.
  @Observed private(set) var history: [Int] = []

  /// As many samples as fit beside each other on a wide screen.
  static let historyLimit = 400

  /// Takes what a sample says, as part of a transaction.
  func apply(_ percents: [Double]) {
    self.percents = percents.map { Int($0.rounded()) }
    guard !percents.isEmpty else { return }
    let average = percents.reduce(0, +) / Double(percents.count)
    history = history.suffix(Self.historyLimit - 1) + [Int(average.rounded())]
  }
}
