import ObservationController
import Synchronization
import TestSupport
import XCTest

/// Expressions, autoruns and conditions over atomic properties, on several threads.
final class ExpressionStressTests: TestCase {
  func test_C21_expressions_onSeveralThreads_endAtTheLastValues() {
    assertNoIssues {
      Stress.run(self) { round in
        let census = Census()
        let before = ObservationDispatcher.shared.activeObservationCount
        scoped {
          let field = ExpressionField(census, round.failures)
          round.run { thread in
            for _ in 0..<60 { field.act(on: thread) }
          }
          field.checkLastValues()
        }
        let left = ObservationDispatcher.shared.activeObservationCount - before
        round.check(left == 0, "\(left) observations left")
        round.check(census.survivors.isEmpty, "\(census.survivors)")
      }
    }
  }
}

/// The shared objects: cells, observers with their controllers, and observations.
private final class ExpressionField: Sendable {
  private let census: Census
  private let failures: Failures
  private let cells = (0..<4).map { AtomicObserved(wrappedValue: $0) }
  private let observers: [Visitor]
  private let controllers: [ObservationController<Visitor>]
  private let watches = Slots<AtomicWatch>(Array(repeating: nil, count: 16))

  init(_ census: Census, _ failures: Failures) {
    (self.census, self.failures) = (census, failures)
    observers = [Visitor(census), Visitor(census)]
    controllers = observers.map { ObservationController(observer: $0) }
  }

  func act(on thread: StressThread) {
    func index() -> Int { Int(thread.random.next() % 1_000) }
    switch index() % 12 {
    case 0..<3: observe(thread, controllers[index() % 2], in: index())
    case 3:
      let watch = watches.take(index())
      thread.perform("end") { watch?.token.withLock { $0 }?.invalidate() }
    case 4, 5:
      let (one, other) = (cells[index() % 4], cells[index() % 4])
      thread.perform("transaction") {
        withObservationTransaction {
          one.withLock { $0 = ($0 + 1) % 7 }
          other.withLock { $0 = ($0 + 2) % 7 }
        }
      }
    default:
      let (cell, value) = (cells[index() % 4], index() % 7)
      thread.perform("set") { cell.wrappedValue = value }
    }
  }

  private func observe(
    _ thread: StressThread, _ controller: ObservationController<Visitor>, in slot: Int
  ) {
    let expression = RandomExpression.random(over: cells.count, using: &thread.random)
    let watch = AtomicWatch(AtomicWatch.Kind(rawValue: slot % 3)!, expression, failures)
    let (cells, ticket) = (cells, census.closures.makeTicket())
    let compute: @Sendable () -> Int = {
      withExtendedLifetime(ticket) { expression.value { cells[$0].wrappedValue } }
    }
    let token = thread.perform("observe") {
      switch watch.kind {
      case .expression:
        controller.observe(compute, options: [.initial, .old]) { watch.follow($1) }
      case .autorun: controller.autorun { _ in watch.run { compute() } }
      case .condition: controller.when({ compute() > 4 }) { _ in watch.perform() }
      }
    }
    watch.token.withLock { $0 = token }
    watches.take(slot)?.token.withLock { $0 }?.invalidate()
    watches.replace(slot, by: watch)
  }

  func checkLastValues() {
    for watch in watches.all {
      watch.check(watch.expression.value { cells[$0].wrappedValue })
    }
  }
}

/// The deliveries of one observation, made on any thread.
private final class AtomicWatch: Sendable {
  enum Kind: Int { case expression, autorun, condition }

  let kind: Kind
  let expression: RandomExpression
  let token = Guarded<ObservationToken?>(nil)
  private let failures: Failures
  private let last = Guarded<Int?>(nil)
  private let isRunning = Atomic(false)
  private let performed = CallCounter()

  init(_ kind: Kind, _ expression: RandomExpression, _ failures: Failures) {
    (self.kind, self.expression, self.failures) = (kind, expression, failures)
  }

  private func require(_ isRight: Bool, _ flaw: @autoclosure () -> String) {
    if !isRight { failures.add("\(kind) \(expression): \(flaw())") }
  }

  func follow(_ change: ObservedChange<Int>) {
    last.withLock { last in
      if change.isInitial {
        require(last == nil, "an initial delivery after \(last ?? 0)")
      } else {
        require(change.oldValue == last, "\(change) after \(last.map { "\($0)" } ?? "nothing")")
        require(change.oldValue != change.newValue, "\(change)")
      }
      last = change.newValue
    }
  }

  func run(_ compute: () -> Int) {
    require(!isRunning.exchange(true, ordering: .acquiringAndReleasing), "runs twice at once")
    let value = compute()
    last.withLock { $0 = value }
    isRunning.store(false, ordering: .releasing)
  }

  func perform() { performed.increment() }

  /// - Parameter value: The value of the expression, after all changes.
  func check(_ value: Int) {
    let isActive = token.withLock { $0?.isActive ?? false }
    switch kind {
    case .expression, .autorun:
      let last = last.withLock { $0 }
      require(!isActive || last == value, "\(last.map { "\($0)" } ?? "nothing"), not \(value)")
    case .condition:
      require(performed.count <= 1, "performed \(performed.count) times")
      require(isActive == (performed.count == 0), "active after \(performed.count)")
      require(!isActive || value <= 4, "waits at \(value)")
    }
  }
}
