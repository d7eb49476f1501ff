import CSupport

/// Costs of one run of a workload, for each operation.
public struct Sample: Sendable {
  public let nanoseconds: Double

  /// Bytes that the operations have left allocated.
  public let bytes: Double

  /// The derived values that they have computed.
  public let values: Double
}

extension Workload {
  /// Runs the workload once, on objects of its own.
  func sample(count: Int, of comparison: Comparison) -> Sample {
    let run = prepare(count: count)
    let clock = ContinuousClock()
    let bytes = heap_allocated_bytes()
    let duration = clock.measure { run.perform() }
    let kept = run.bytes() ?? Int(heap_allocated_bytes()) - Int(bytes)
    let values = run.values()
    run.check("\(comparison.name)/\(peer)")
    let (seconds, attoseconds) = duration.components
    return Sample(
      nanoseconds: (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count),
      bytes: Double(kept) / Double(count), values: Double(values) / Double(count))
  }
}
