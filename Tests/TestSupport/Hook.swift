/// An action that a getter runs once.
package final class Hook: Sendable {
  private let action = Guarded<(@Sendable () -> Void)?>(nil)

  package init() {}

  package func set(_ action: @escaping @Sendable () -> Void) {
    self.action.withLock { $0 = action }
  }

  /// Runs the action if it has not run yet, with no lock held.
  package func run() {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }
}
