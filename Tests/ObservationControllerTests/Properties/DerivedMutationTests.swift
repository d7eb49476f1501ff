import ObservationController
import TestSupport
import XCTest

/// Derived values while a dependency is mutated in place: a getter that read it then would trap.
final class DerivedMutationTests: TestCase {
  private final class Basket {
    @Observed var items = ["apple"]
    @Observed var extra = 0
    @Observed var other = 0
    @Derived({ (basket: Basket) in basket.items.count + basket.extra }) var count: Int
    @Derived({ (basket: Basket) in basket.count * 10 }) var price: Int
    @Derived({ (basket: Basket) in -basket.other }) var negative: Int
  }

  private let basket = Basket()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func setDuringMutation(_ items: inout [String]) throws {
    basket.extra += 1
    items.append("pear")
    basket.extra += 1
    basket.other += 1
    recorder.write("end of mutation")
  }

  func test_changeDuringMutation_isNotifiedWhenTheMutationHasEnded() throws {
    observations.observe(basket, \.price) { $0.write("price: \($2)") }
    try setDuringMutation(&basket.items)
    XCTAssertEqual(recorder.events, ["end of mutation", "price: 10 → 40"])
  }

  func test_changeOfAnotherValueDuringMutation_isNotifiedAtOnce() throws {
    observations.observe(basket, \.price) { $0.write("price: \($2)") }
    observations.observe(basket, \.negative) { $0.write("negative: \($2)") }
    try setDuringMutation(&basket.items)
    XCTAssertEqual(
      recorder.events, ["negative: 0 → -1", "end of mutation", "price: 10 → 40"])
  }

  func test_mutationThatThrows_isNotified() {
    struct Stop: Error {}
    func fail(_ items: inout [String]) throws {
      basket.extra += 1
      items.append("pear")
      throw Stop()
    }
    observations.observe(basket, \.count) { $0.write("count: \($2)") }
    XCTAssertThrowsError(try fail(&basket.items))
    basket.extra = 10
    XCTAssertEqual(recorder.events, ["count: 1 → 3", "count: 3 → 12"])
  }

  func test_transactionDuringMutation_isNotifiedWhenTheMutationHasEnded() {
    func change(_ items: inout [String]) {
      withObservationTransaction { basket.extra = 5 }
      items.append("pear")
    }
    observations.observe(basket, \.count) { $0.write("count: \($2)") }
    change(&basket.items)
    XCTAssertEqual(recorder.events, ["count: 1 → 7"])
  }
}
