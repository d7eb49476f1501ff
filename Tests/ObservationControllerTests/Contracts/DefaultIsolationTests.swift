#if os(Linux) || os(macOS)
  import TestSupport
  import XCTest

  /// Modules whose declarations are on the main actor by default.
  final class DefaultIsolationTests: TestCase {
    func test_defaultIsolation_mainActor_everythingCompilesUnchanged() throws {
      let source = """
        import ObservationController

        final class Account {
          @Observed var balance = 0
          @Observed var owner: Account?
          @Observed var items: ObservableArray<Account> = []
          @Derived({ (account: Account) in account.balance * 2 }) var double: Int
        }

        final class AccountViewModel {
          private(set) var title = ""
          private lazy var observations = ObservationController(observer: self)

          init(_ account: Account) {
            observations.observe(account, \\.balance, options: .initial) { viewModel, _, change in
              viewModel.title = "\\(change.newValue) €"
            }
            observations.observe(account, \\.owner?.balance, action: AccountViewModel.update)
            observations.observe({ account.balance + account.double }) { viewModel, change in
              viewModel.title = "\\(change.newValue)"
            }
            observations.autorun { viewModel in viewModel.title = "\\(account.double)" }
            let rows = account.items.filtered(on: [\\.balance], with: account, \\.balance) {
              $0.balance > $1
            }
            observations.observeArray(rows, elements: [\\.balance]) { viewModel, _, change in
              viewModel.title = "\\(change.entries.count)"
            }
            observations.bind(account, \\.double, to: account, \\.balance)
          }

          private func update() {}
        }
        """
      let options = ["-default-isolation", "MainActor"]
      XCTAssertEqual(try Compiler().errors(in: ["file": source], options: options), ["file": []])
      let stray = "\nnonisolated func stray(_ account: Account) { account.balance = 1 }\n"
      let errors = try Compiler().errors(in: ["file": source + stray], options: options)
      XCTAssertEqual(errors["file"]?.count, 1, "the option has its meaning")
    }
  }
#endif
