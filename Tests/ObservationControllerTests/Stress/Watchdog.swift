import Dispatch
import Foundation
import TestSupport

/// Ends the process with a message if threads are stuck, where a test would otherwise hang.
///
/// The message names the current operation of each thread:
///
///     No progress in 6000 polls: BindingStressTests.test_x, OBSERVATION_SEED=7, 2 threads
///     thread 0 (12 steps): withLock
struct Watchdog {
  /// The threads to watch.
  let program: String

  /// The number of polls in a row without progress. 60 seconds: no single operation takes as long,
  /// on a busy machine too.
  var patience = 6_000

  init(of program: String, patience: Int = 6_000) {
    self.program = program
    self.patience = patience
  }

  /// Runs `body` on each of the threads, and waits for all of them.
  func run(_ threads: [StressThread], _ body: @escaping @Sendable (StressThread) -> Void) {
    let group = DispatchGroup()
    for thread in threads { thread.start(group, body) }
    var (last, idle) = (-1, 0)
    // Ends when all have ended; the time only bounds how long a failing test takes.
    while group.wait(timeout: .now() + .milliseconds(10)) == .timedOut {
      let progress = threads.reduce(0) { $0 + $1.progress + ($1.hasEnded ? 1 : 0) }
      idle = progress == last ? idle + 1 : 0
      last = progress
      if idle == patience { fatalError(report(on: threads)) }
    }
  }

  /// Prints the current operation of each thread.
  func report(on threads: [StressThread]) -> String {
    let lines = threads.map { thread in
      "thread \(thread.index) (\(thread.progress) steps): \(thread.operation)"
    }
    return "No progress in \(patience) polls: \(program)\n" + lines.joined(separator: "\n")
  }
}
