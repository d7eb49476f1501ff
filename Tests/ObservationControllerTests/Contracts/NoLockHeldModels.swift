import Foundation
import ObservationController
import Synchronization
import TestSupport
import XCTest

/// Uses every table on another thread and waits for it, which never returns if a lock is held.
final class LockProbe: Sendable {
  private struct Target {
    let account: UncheckedReference<ProbedAccount>
    let observations: ObservationController<LineRecorder>
  }

  private let target = Guarded<Target?>(nil)
  private let count = Atomic<Int>(0)

  private let visited = Guarded<Set<String>>([])

  var uses: Int { count.load(ordering: .relaxed) }

  /// The kinds of user code that have used it.
  var places: Set<String> { visited.withLock { $0 } }

  func watch(_ account: ProbedAccount, _ observations: ObservationController<LineRecorder>) {
    let target = Target(account: UncheckedReference(account), observations: observations)
    self.target.withLock { $0 = target }
  }

  /// Releases the objects it uses, which retain it.
  func stop() {
    target.withLock { $0 = nil }
  }

  func use(in place: String) {
    visited.withLock { _ = $0.insert(place) }
    use()
  }

  func use() {
    count.wrappingAdd(1, ordering: .relaxed)
    onAnotherThread { [self] in scoped(useTarget) }
  }

  /// In a frame of its own, so that the thread retains nothing once it has been waited for.
  private func useTarget() {
    guard let target = target.withLock({ $0 }) else { return }
    _ = ObservationDispatcher.shared.activeObservationCount
    _ = target.observations.observations
    target.observations.unobserve(target.account.object, \.unused)
    target.observations.observe(target.account.object, \.unused) { _, _, _ in }
    target.observations.unobserve(target.account.object, \.unused)
  }
}

final class ProbedAccount {
  @Observed var value = ProbedContent(probe: nil)
  @Observed var name = ""
  @Observed var unused = 0
  @Observed var opaque = Opaque()
  let number = 1
  var probe: LockProbe?

  var text: String {
    probe?.use(in: "getter")
    return "\(value.changes)\(name)"
  }

  subscript(key: ProbedKey) -> String { name }
}

struct ProbedContent: Equatable {
  let probe: LockProbe?
  var changes = 0

  mutating func change() {
    changes += 1
  }

  static func == (left: Self, right: Self) -> Bool {
    right.probe?.use(in: "==")
    return false
  }
}

struct ProbedKey: Hashable {
  let probe: LockProbe

  static func == (left: Self, right: Self) -> Bool {
    left.probe.use()
    return true
  }

  func hash(into hasher: inout Hasher) {}
}
