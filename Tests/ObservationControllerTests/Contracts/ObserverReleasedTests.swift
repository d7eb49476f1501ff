import Dispatch
import ObservationController
import TestSupport
import XCTest

/// C25 at run time: a controller whose observer nobody holds.
final class ObserverReleasedTests: TestCase {
  private final class Door {
    let opened = ObservableEvent<Int>()
    let mayOpen = ObservableHook<Int, Bool> { _ in false }
    @Observed var students: ObservableArray<Label> = []
  }

  private typealias Begin = (ObservationController<Label>, Account, Door) -> Void

  private let beginnings: [(String, Begin)] = [
    ("property", { c, account, _ in c.observe(account, \.balance) { _, _, _ in } }),
    ("path", { c, account, _ in c.observe(account, \.owner?.name) { _, _, _ in } }),
    ("each", { c, account, _ in c.observeEach(account, \.balance, \.limit) { _, _, _ in } }),
    ("array", { c, _, door in c.observeArray(door, \.students) { _, _, _ in } }),
    ("event", { c, _, door in c.observe(door.opened) { _, _ in } }),
    ("hook", { c, _, door in c.handle(door.mayOpen) { _, _ in true } }),
    ("queue", { c, account, _ in c.observe(account, \.balance, on: .main) { _, _, _ in } }),
    ("bind", { c, account, _ in c.bind(account, \.balance, to: account, \.limit) }),
    ("values", { c, account, _ in _ = c.values(of: account, \.balance) }),
  ]

  func test_C25_observerThatNobodyHolds_isReported_onceForEachController() {
    for (name, begin) in beginnings {
      let (account, door) = (Account(), Door())
      let issues = collectingIssues {
        let observations = ObservationController(observer: Label())
        begin(observations, account, door)
        begin(observations, account, door)
      }
      XCTAssertEqual(issues.count, 1, "\(name): \(issues)")
      guard case .observerReleased(_, let file, _) = issues.first else {
        XCTFail("\(name): \(issues)")
        continue
      }
      XCTAssertTrue(file.hasSuffix("ObserverReleasedTests.swift"), "\(name): \(file)")
      XCTAssertTrue(issues[0].description.contains("keep the observer"), "\(name): \(issues)")
    }
  }

  func test_C25_observerThatGoesLater_isNotReported() {
    for (name, begin) in beginnings {
      let (account, door) = (Account(), Door())
      let issues = collectingIssues {
        var label: Label? = Label()
        let observations = ObservationController(observer: label!)
        begin(observations, account, door)
        label = nil
        begin(observations, account, door)
        account.balance += 1
      }
      XCTAssertEqual(issues.map(\.description), [], name)
    }
  }
}
