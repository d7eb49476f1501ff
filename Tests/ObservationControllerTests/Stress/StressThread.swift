import Foundation
import ObservationController
import Synchronization
import TestSupport

/// A thread of a stress program: publishes its current operation, and chooses the next one.
final class StressThread: @unchecked Sendable {
  // Unchecked because `random` is only used on the thread itself; the rest is atomic.
  let index: Int
  var random: SeededGenerator

  /// Counts operations begun and ended.
  private let steps = Atomic<Int>(0)

  /// The text of a literal, which has an address for ever; 0 between operations.
  private let current = Atomic<UInt>(0)

  private let isDone = Atomic<Bool>(false)

  init(_ index: Int, random: SeededGenerator) {
    self.index = index
    self.random = random
  }

  /// The stress thread that runs this.
  @TaskLocal static var running: StressThread?

  /// Runs `body` as the operation called `name`; inside of another one, in place of that.
  func perform<Result>(_ name: StaticString, _ body: () throws -> Result) rethrows -> Result {
    let outer = current.exchange(UInt(bitPattern: name.utf8Start), ordering: .relaxed)
    steps.wrappingAdd(1, ordering: .relaxed)
    defer {
      steps.wrappingAdd(1, ordering: .relaxed)
      current.store(outer, ordering: .relaxed)
    }
    return try body()
  }

  // MARK: - Read by the watchdog

  var progress: Int { steps.load(ordering: .relaxed) }

  var hasEnded: Bool { isDone.load(ordering: .relaxed) }

  var operation: String {
    if hasEnded { return "ended" }
    // Safe: `perform` stores the address of a literal that ends in a zero.
    return UnsafePointer<CChar>(bitPattern: current.load(ordering: .relaxed))
      .map { String(cString: $0) } ?? "between operations"
  }

  // MARK: - Running

  /// Starts it, with `body`; `group` is left when it ends.
  func start(_ group: DispatchGroup, _ body: @escaping @Sendable (StressThread) -> Void) {
    group.enter()
    // Emptied before the group is left: captured objects are released when the test continues.
    let body = Guarded<(@Sendable (StressThread) -> Void)?>(body)
    Thread.detachNewThread {
      Self.$running.withValue(self) {
        body.withLock { $0 }?(self)
      }
      body.withLock { $0 = nil }
      self.isDone.store(true, ordering: .relaxed)
      group.leave()
    }
  }
}
