import Dispatch
import Foundation
import TestSupport

/// Ends the process with a message if threads are stuck, where a test would otherwise hang.
///
/// The message says what each thread was doing and, in a debug build, which locks of the library it
/// held and waited for:
///
///     No progress in 6000 polls: test_x(), OBSERVATION_SEED=7, round 3, 2 threads
///     thread 0 (12 steps): withLock, holds #8 AtomicObserved<Int> (AtomicObserved.swift:130), waits for #9 …
struct Watchdog {
  /// What it watches.
  let program: String

  /// How often in a row nothing may have happened. 60 seconds: no single operation takes as long,
  /// however busy the machine.
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
    // Wakes up when all have ended; the time only bounds how long a test that fails anyway takes.
    while group.wait(timeout: .now() + .milliseconds(10)) == .timedOut {
      let progress = threads.reduce(0) { $0 + $1.progress + ($1.hasEnded ? 1 : 0) }
      idle = progress == last ? idle + 1 : 0
      last = progress
      if idle == patience { fatalError(report(on: threads)) }
    }
  }

  /// Who does what, and who waits for whom.
  func report(on threads: [StressThread]) -> String {
    let lines = threads.map { thread in
      let locks = lockLines(of: thread, among: threads)
      return "thread \(thread.index) (\(thread.progress) steps): "
        + ([thread.operation] + locks).joined(separator: ", ")
    }
    return "No progress in \(patience) polls: \(program)\n" + lines.joined(separator: "\n")
  }

  private func lockLines(of thread: StressThread, among threads: [StressThread]) -> [String] {
    #if DEBUG
      thread.locks.entries.map { entry in
        let lock = "#\(entry.lock) \(entry.guarded) (\(entry.place))"
        if entry.isHeld { return "holds \(lock)" }
        let holders = threads.filter { other in
          other.locks.entries.contains { $0.lock == entry.lock && $0.isHeld }
        }
        let holder = holders.first.map { "thread \($0.index)" } ?? "no thread of these"
        return "waits for \(lock), which \(holder) holds"
      }
    #else
      []
    #endif
  }
}
