import Workloads

// Measures operations side by side, in one process.

let usage = """
  usage: Compare ROUNDS NAME…

  Measures the operations named, such as set-int-1/Observed, ROUNDS times in turn, after a round that
  does not count. Prints for each the lower quartile and the median of its times in nanoseconds, and the
  median of the bytes that it leaves allocated and of the derived values that it computes, all for one
  operation.
  """

let arguments = CommandLine.arguments.dropFirst()
guard let rounds = arguments.first.flatMap({ Int($0) }), rounds > 0, arguments.count > 1 else {
  fail(usage)
}

let names = Array(arguments.dropFirst())
let measuring = Rounds(
  names.map { name in
    guard let found = Comparison.workload(named: name) else { fail("no operation \(name)") }
    return found
  })

_ = measuring.next()
let samples = (0..<rounds).map { _ in measuring.next() }

for (index, name) in names.enumerated() {
  let samples = samples.map { $0[index] }
  let times = samples.map(\.nanoseconds).sorted()
  let bytes = samples.map(\.bytes).sorted()
  let values = samples.map(\.values).sorted()
  print(name, times[rounds / 4], times[rounds / 2], bytes[rounds / 2], values[rounds / 2])
}
