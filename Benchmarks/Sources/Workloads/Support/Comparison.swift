/// One operation, done by several peers side by side.
public struct Comparison {
  /// Quantities that are measured.
  public enum Measure: String {
    case time
    /// Bytes that each operation leaves allocated.
    case bytes
    /// Derived values that were computed, for each operation.
    case values
  }

  /// A word such as `set-int-1`.
  public let name: String

  /// How many operations one measurement is made of, at most.
  public let count: Int

  /// Whether a measurement has to be of all of them: if their cost depends on how many they are.
  let isCountFixed: Bool

  /// How long it is measured at most, which is more where a single measurement takes long.
  public let duration: Duration

  public let measures: [Measure]

  public let workloads: [Workload]

  init(
    _ name: String, count: Int = 20_000, isCountFixed: Bool = false,
    duration: Duration = .seconds(1),
    measures: [Measure] = [.time],
    _ workloads: [Workload]
  ) {
    self.name = name
    self.count = count
    self.isCountFixed = isCountFixed
    self.duration = duration
    self.measures = measures
    self.workloads = workloads
  }
}

extension Comparison {
  /// A workload by its full name, `comparison/peer`.
  public static func workload(named name: String) -> (comparison: Comparison, workload: Workload)? {
    let parts = name.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let comparison = all.first(where: { $0.name == parts[0] }),
      let workload = comparison.workloads.first(where: { $0.peer == parts[1] })
    else { return nil }
    return (comparison, workload)
  }
}
