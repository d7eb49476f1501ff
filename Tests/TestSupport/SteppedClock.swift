import Dispatch
import ObservationController

/// A clock that stands still until a test steps it.
package final class SteppedClock: Sendable {
  private struct Job {
    let due: Duration
    let queue: DispatchQueue
    let body: @Sendable () -> Void
  }

  private let state = Guarded((now: Duration.zero, jobs: [Job]()))

  package init() {}

  package var now: Duration { state.withLock { $0.now } }

  /// The number of jobs that wait for their time.
  package var jobCount: Int { state.withLock { $0.jobs.count } }

  /// Advances the clock, and enqueues the jobs that are due, in the order of time.
  package func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.jobs.filter { $0.due <= state.now }
      state.jobs.removeAll { $0.due <= state.now }
      return due
    }
    for job in due.sorted(by: { $0.due < $1.due }) { job.queue.async(execute: job.body) }
  }

  /// Has observations count their intervals by this clock, which advances by as much as a job has
  /// to wait.
  ///
  /// - Returns: Has them count by the clock before.
  package func skipWaits() -> () -> Void {
    let before = DeliveryClock.current
    DeliveryClock.current.now = { self.now }
    DeliveryClock.current.put = { job, queue, delay in
      self.advance(by: delay)
      queue.async(execute: job)
    }
    return { DeliveryClock.current = before }
  }

  /// Runs `body` while observations count their intervals by this clock.
  package func whileCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = DeliveryClock.current
    DeliveryClock.current.now = { self.now }
    DeliveryClock.current.put = { job, queue, delay in
      self.state.withLock { $0.jobs.append(Job(due: $0.now + delay, queue: queue, body: job)) }
    }
    defer { DeliveryClock.current = before }
    return try body()
  }
}
