import ObservationController
import Synchronization

/// A property that is changed in place on any thread.
enum AtomicsTopic {
  static var comparisons: [Comparison] {
    [
      Comparison("atomic-0", [locked(threads: 1, observers: 0), atomic(threads: 1, observers: 0)]),
      Comparison("atomic-1", [locked(threads: 1, observers: 1), atomic(threads: 1, observers: 1)]),
      Comparison("atomic-path", [path(isWhole: false), path(isWhole: true)]),
      Comparison(
        "atomic-2-threads", count: 50_000, isCountFixed: true,
        [locked(threads: 2, observers: 1), atomic(threads: 2, observers: 1)]),
    ]
  }

  private static func locked(threads: Int, observers: Int) -> Workload {
    Workload(.mutex) { count in
      let tally = Tally()
      let counter = LockedCounter(
        handlers: Array(repeating: { old, new in tally.add(new, insteadOf: old) }, count: observers)
      )
      return Run {
        run(on: threads, count) { counter.add($0) }
      } isRight: {
        counter.number == count && tally.sum == count * observers
      }
    }
  }

  private static func atomic(threads: Int, observers: Int) -> Workload {
    Workload(.observed) { count in
      let tally = Tally()
      let counter = AtomicCounter()
      let controller = ObservationController(observer: tally)
      if observers > 0 {
        controller.observe(counter, \.number) { tally, _, change in
          tally.add(change.newValue, insteadOf: change.oldValue!)
        }
      }
      return Run {
        run(on: threads, count) { counter.add($0) }
      } isRight: {
        withExtendedLifetime(controller) {
          counter.number == count && tally.sum == count * observers
        }
      }
    }
  }

  /// A property that is a constant of the observed object.
  ///
  /// - Parameter isWhole: Whether the path to it is observed, and not the property itself.
  private static func path(isWhole: Bool) -> Workload {
    Workload(isWhole ? .observed : .alone) { count in
      let tally = Tally()
      let counter = AtomicConstant()
      let controller = ObservationController(observer: tally)
      if isWhole {
        controller.observe(counter, \.number.wrappedValue) { tally, _, change in
          tally.add(change.newValue, insteadOf: change.oldValue!)
        }
      } else {
        controller.observe(counter.number, \.wrappedValue) { tally, _, change in
          tally.add(change.newValue, insteadOf: change.oldValue!)
        }
      }
      return Run {
        counter.add(count)
      } isRight: {
        withExtendedLifetime(controller) {
          counter.number.wrappedValue == count && tally.sum == count
        }
      }
    }
  }

  /// Divides `count` among the threads.
  private static func run(
    on threads: Int, _ count: Int, _ body: @escaping @Sendable (Int) -> Void
  ) {
    onThreads(threads) { thread in body((count + thread) / threads) }
  }
}

/// Observation by hand: closures are called under the lock, or changes would be delivered out of
/// order.
private final class LockedCounter: Sendable {
  private let state: Mutex<Int>
  private let handlers: [@Sendable (Int, Int) -> Void]

  init(handlers: [@Sendable (Int, Int) -> Void]) {
    state = Mutex(0)
    self.handlers = handlers
  }

  var number: Int { state.withLock { $0 } }

  @inline(never)
  func add(_ count: Int) {
    for _ in 0..<count { increment() }
  }

  @inline(never)
  private func increment() {
    state.withLock { number in
      let old = number
      number += 1
      for handler in handlers { handler(old, number) }
    }
  }
}

private final class AtomicCounter: @unchecked Sendable {
  @AtomicObserved var number = 0

  @inline(never)
  func add(_ count: Int) {
    for _ in 0..<count { increment() }
  }

  @inline(never)
  private func increment() {
    $number.withLock { $0 += 1 }
  }
}

private final class AtomicConstant: Sendable {
  let number = AtomicObserved(wrappedValue: 0)

  @inline(never)
  func add(_ count: Int) {
    for _ in 0..<count { increment() }
  }

  @inline(never)
  private func increment() {
    number.withLock { $0 += 1 }
  }
}
