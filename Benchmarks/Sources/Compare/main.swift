import Workloads

// Measures operations side by side, in one process: one run of each, then again one of each, so that
// what slows the machine down for a while slows all of them down.

let usage = """
  usage: Compare ROUNDS NAME…

  Measures the operations named, such as set-int-1/Observed, ROUNDS times in turn, after a round that
  does not count. Prints for each the least and the median time in nanoseconds, and the median of the
  bytes that it leaves allocated, all for one operation.
  """

let arguments = CommandLine.arguments.dropFirst()
guard let rounds = arguments.first.flatMap({ Int($0) }), rounds > 0, arguments.count > 1 else {
  fail(usage)
}

let workloads = arguments.dropFirst().map { name in
  guard let found = Comparison.workload(named: name) else { fail("no operation \(name)") }
  return (name: name, found.comparison, found.workload)
}

var samples = workloads.map { _ in [Sample]() }
for round in 0...rounds {
  for (index, (_, comparison, workload)) in workloads.enumerated() {
    let sample = workload.sample(count: comparison.count, of: comparison)
    if round > 0 { samples[index].append(sample) }
  }
}

for (workload, samples) in zip(workloads, samples) {
  let times = samples.map(\.nanoseconds).sorted()
  let bytes = samples.map(\.bytes).sorted()
  print(workload.name, times[0], times[rounds / 2], bytes[rounds / 2])
}
