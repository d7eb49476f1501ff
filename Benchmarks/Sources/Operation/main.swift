import Workloads

// Runs one operation a number of times, for profilers that count what a whole process does.

let usage = """
  usage: Operation NAME COUNT   do one operation, such as set-int-1/Observed, COUNT times
         Operation --list       print the name of every operation
  """

let arguments = CommandLine.arguments.dropFirst()

if arguments == ["--list"] {
  for comparison in Comparison.all {
    for workload in comparison.workloads { print("\(comparison.name)/\(workload.peer)") }
  }
} else if arguments.count == 2, let count = Int(arguments.last!), count > 0,
  let (_, workload) = Comparison.workload(named: arguments.first!)
{
  let run = workload.prepare(count: count)
  run.perform()
  run.check(arguments.first!)
} else {
  fail(usage)
}
