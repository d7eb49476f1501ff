/// Measures workloads in turn, so that what slows the machine down for a while slows all of them
/// down.
///
/// A slow peer does fewer operations than a fast one, so that all take about as long: with the same
/// count, it would be interrupted by other processes in every round while the others are not.
public final class Rounds {
  public typealias Entry = (comparison: Comparison, workload: Workload)

  private let entries: [Entry]

  /// How many operations each of them does.
  private var counts: [Int]

  public init(_ entries: [Entry]) {
    self.entries = entries
    counts = entries.map(\.comparison.count)
  }

  public convenience init(_ comparison: Comparison) {
    self.init(comparison.workloads.map { (comparison, $0) })
  }

  /// Runs each workload once.
  public func next() -> [Sample] {
    entries.indices.map { index in
      let (comparison, workload) = entries[index]
      let sample = workload.sample(count: counts[index], of: comparison)
      if !comparison.isCountFixed {
        counts[index] = min(comparison.count, max(1, Int(Self.longest / sample.nanoseconds)))
      }
      return sample
    }
  }

  /// In nanoseconds: shorter than processes are usually left to run.
  private static let longest = 1_500_000.0
}
