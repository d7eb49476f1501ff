import Dispatch

extension DispatchQueue {
  /// Runs `body` while no block of this queue can run, then all blocks enqueued meanwhile.
  @discardableResult
  package func whileSuspended<Result>(_ body: () throws -> Result) rethrows -> Result {
    suspend()
    defer {
      resume()
      drain()
    }
    return try body()
  }

  /// Waits for all blocks on this queue.
  package func drain() {
    sync(flags: .barrier) {}
  }
}

/// Waits for all blocks on the main queue.
@MainActor
package func drainMainQueue() async {
  await withCheckedContinuation { done in
    DispatchQueue.main.async { done.resume() }
  }
}

extension AsyncSequence where Failure == Never {
  /// All elements, once the sequence has ended.
  package func collect(isolation: isolated (any Actor)? = #isolation) async -> [Element] {
    var elements: [Element] = []
    for await element in self { elements.append(element) }
    return elements
  }
}
