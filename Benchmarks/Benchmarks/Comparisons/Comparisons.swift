import Benchmark
import Workloads

let benchmarks: @Sendable () -> Void = {
}
