/// Statistics of the programs run.
struct Statistics {
  private(set) var programs = 0
  private(set) var deliveries = 0

  /// Deliveries caused by handlers.
  private(set) var nestedDeliveries = 0
  private(set) var entries = 0

  /// The number of programs with each kind of step.
  private(set) var steps: [String: Int] = [:]
  private(set) var issues: [String: Int] = [:]

  /// Programs that the model has given up.
  private(set) var givenUp = 0

  mutating func add(_ comparison: Comparison, of program: Program) {
    if comparison.model.hasGivenUp {
      givenUp += 1
      return
    }
    programs += 1
    deliveries += comparison.model.deliveries
    nestedDeliveries += comparison.model.nestedDeliveries
    entries += comparison.actual.count
    for case .issue(let issue, _) in comparison.actual { issues["\(issue)", default: 0] += 1 }
    for operation in program.allOperations { steps[operation.kind, default: 0] += 1 }
  }
}

extension Statistics: CustomStringConvertible {
  var description: String {
    let issues = issues.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return "\(programs) programs of \(steps.values.reduce(0, +)) steps, \(steps.count) kinds; "
      + "\(entries) entries compared, \(deliveries) deliveries, \(nestedDeliveries) of them inside "
      + "of others; issues: \(issues.joined(separator: ", "))"
      + (givenUp > 0 ? "; \(givenUp) given up, of 5,000 deliveries or more" : "")
  }
}
