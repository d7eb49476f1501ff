import Benchmark
import Foundation
import Workloads

// Every comparison is one benchmark, and every peer a metric of it: an iteration runs all peers one
// after the other, so that they are measured in one process and under the same conditions. The
// metrics are named as `Observed.time`, in picoseconds for one operation, `Observed.bytes`, and
// `Observed.values` in thousandths.

let benchmarks: @Sendable () -> Void = {
  let isQuick = ProcessInfo.processInfo.environment["BENCHMARKS_QUICK"] != nil

  for comparison in Comparison.all {
    if isQuick && comparison.duration > .seconds(10) { continue }

    let metrics = comparison.workloads.flatMap { workload in
      comparison.measures.map { metric(of: workload, $0) }
    }
    let rounds = Rounds(comparison)
    Benchmark(
      comparison.name,
      configuration: .init(
        metrics: metrics, warmupIterations: 1,
        maxDuration: isQuick ? comparison.duration / 5 : comparison.duration,
        maxIterations: comparison.duration > .seconds(10) ? 8 : 500)
    ) { benchmark in
      for (workload, sample) in zip(comparison.workloads, rounds.next()) {
        for measure in comparison.measures {
          benchmark.measurement(metric(of: workload, measure), value(of: sample, measure))
        }
      }
    }
  }
}

private func metric(of workload: Workload, _ measure: Comparison.Measure) -> BenchmarkMetric {
  .custom(
    "\(workload.peer).\(measure)", polarity: .prefersSmaller, useScalingFactor: false)
}

private func value(of sample: Sample, _ measure: Comparison.Measure) -> Int {
  switch measure {
  case .time: Int((sample.nanoseconds * 1_000).rounded())
  case .bytes: Int(sample.bytes.rounded())
  case .values: Int((sample.values * 1_000).rounded())
  }
}
