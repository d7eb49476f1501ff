import ObservationController
import TestSupport
import XCTest

/// The forms of observing and of ending, in the words of the README.
final class ReadmeObservingTests: TestCase {
  private final class ViewModel: ObservationDelegate {
    private(set) var lines: [String] = []
    private lazy var observations = ObservationController(observer: self)

    func show(_ old: Int?, _ new: Int) {
      lines.append("block \(old ?? -1) → \(new)")
    }

    func note(_ keyPath: AnyKeyPath, _ value: Any) {
      lines.append("each \(value)")
    }

    func balanceDidChange(_ change: ObservedChange<Int>) {
      lines.append("action \(change)")
    }

    func observeValue(
      at keyPath: AnyKeyPath, of object: AnyObject,
      change: ObservedChange<Any>, context: ObservationContext?
    ) {
      lines.append("delegate \(change)")
    }

    func observe(_ account: Account) -> ObservationToken {
      let token = observations.observe(account, \.balance) { viewModel, account, change in
        viewModel.show(change.oldValue, change.newValue)
      }
      observations.observe(
        account, \.balance, context: "action", action: ViewModel.balanceDidChange)
      observations.observe(account, \.balance, context: "header")
      observations.observeEach(account, \.balance, \.limit, context: "each") {
        viewModel, _, change in
        viewModel.note(change.keyPath, change.newValue)
      }
      return token
    }

    func end(_ token: ObservationToken, _ account: Account) {
      token.invalidate()
      observations.unobserve(account, \.balance)
      observations.unobserve(account)
      observations.unobserveAll()
    }

    var descriptions: [String] {
      ["\(observations)"]
    }
  }

  func test_readme_observing_worksAsDocumented() {
    let account = Account()
    let viewModel = ViewModel()
    let token = viewModel.observe(account)
    account.balance = 1
    account.limit = 2
    XCTAssertEqual(
      viewModel.lines,
      ["block 0 → 1", "action 0 → 1", "delegate 0 → 1", "each 1", "each 2"])
    XCTAssertEqual(ObservationDispatcher.shared.observations(of: account).count, 5)
    XCTAssertTrue(viewModel.descriptions[0].contains("5 observations"), viewModel.descriptions[0])
    viewModel.end(token, account)
    XCTAssertEqual(ObservationDispatcher.shared.observations(of: account).count, 0)
  }
}
