import Dispatch
import ObservationController

/// Takes samples in the background, on a queue of its own.
///
/// Reading a system may take a while. All that leaves the queue is a finished sample, by a property
/// that is set on one thread and may be observed on another.
final class BackgroundSampler {
  /// `nil` before the first sample.
  let latest = AtomicObserved<SystemSample?>(wrappedValue: nil)

  /// The process to be looked at more closely, from the next sample on. Set on any thread.
  let inspected = AtomicObserved<Int?>(wrappedValue: nil)

  private let queue: DispatchQueue
  /// Used on the queue alone.
  private var sampler: Sampler

  /// - Parameter queue: A serial one.
  init(reader: any SystemReader, queue: DispatchQueue = DispatchQueue(label: "Sampling")) {
    sampler = Sampler(reader: reader)
    self.queue = queue
  }

  /// Takes a sample at once and after each interval, until the clock is cancelled.
  ///
  /// Ticks that come while a sample is taken count as one, so that they do not pile up.
  /// - Returns: The clock, which keeps the sampler alive until it is cancelled.
  func start(every seconds: Double) -> any DispatchSourceTimer {
    let clock = DispatchSource.makeTimerSource(queue: queue)
    clock.schedule(deadline: .now(), repeating: seconds, leeway: .milliseconds(1))
    clock.setEventHandler {
      self.latest.wrappedValue = self.sampler.sample(inspecting: self.inspected.wrappedValue)
    }
    clock.activate()
    return clock
  }
}

/// All that is mutable is used on the queue alone, but for the two properties, which are atomic.
extension BackgroundSampler: @unchecked Sendable {}
