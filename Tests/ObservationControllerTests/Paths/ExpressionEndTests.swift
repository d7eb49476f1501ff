import ObservationController
import TestSupport
import XCTest

/// How observations of expressions end, are named, and are found where they leak.
final class ExpressionEndTests: CountingTestCase {
  private final class Cart {
    @Observed var price = 1
  }

  private final class Shop: Sendable {
    let stock = AtomicObserved(wrappedValue: 0)
  }

  // MARK: autorun

  func test_C8_autorun_thatSetsForEver_isNamedByItsPlace() {
    let cart = Cart()
    let observations = ObservationController(observer: SilentObserver.one)
    var runs = 0
    let line: UInt = #line + 2
    let issues = collectingIssues {
      observations.autorun { _ in
        runs += 1
        cart.price = cart.price + 1
      }
    }
    XCTAssertEqual(issues.count, 1)
    guard case .cycle(_, #fileID, line)? = issues.first else { return XCTFail("\(issues)") }
    XCTAssertTrue((100...300).contains(runs), "\(runs)")
  }

  func test_autorun_thatEndsItself_runsNoMore() {
    let cart = Cart()
    let observations = ObservationController(observer: SilentObserver.one)
    let token = Guarded<ObservationToken?>(nil)
    var runs = 0
    let own = observations.autorun { _ in
      runs += 1
      if cart.price == 3 { token.withLock { $0 }?.invalidate() }
    }
    token.withLock { $0 = own }
    for price in 2...5 { cart.price = price }
    XCTAssertEqual(runs, 3)
    XCTAssertFalse(own.isActive)
  }

  // MARK: Names

  func test_expression_isNamedByItsPlace() {
    let cart = Cart()
    let observations = ObservationController(observer: SilentObserver.one)
    let line: UInt = #line + 1
    observations.observe({ cart.price }, handler: { (_, _: ObservedChange<Int>) in })
    observations.autorun { _ in _ = cart.price }
    observations.when({ cart.price > 9 }, perform: { _ in })
    let descriptions = observations.observations
    XCTAssertEqual(descriptions.map(\.line), [line, line + 1, line + 2])
    for (index, description) in descriptions.enumerated() {
      XCTAssertEqual(description.file, #fileID)
      XCTAssertTrue(
        "\(description)".hasSuffix("\(#fileID):\(line + UInt(index))"), "\(description)")
    }
  }

  // MARK: Captures

  func test_leakCheck_expressionThatCapturesItsObserver_isReported() {
    final class Screen {
      let cart = Cart()
      lazy var observations = ObservationController(observer: self)
      var token: ObservationToken?
    }
    weak var leaked: Screen?
    var line: UInt = 0
    let issues = collectingIssues {
      withObservationLeakCheck {
        let screen = Screen()
        leaked = screen
        line = #line + 1
        screen.token = screen.observations.observe {
          screen.cart.price
        } handler: { (_, _: ObservedChange<Int>) in
        }
      }
    }
    XCTAssertEqual(issues.count, 1)
    guard case .leaked(_, #fileID, line)? = issues.first else { return XCTFail("\(issues)") }
    XCTAssertNotNil(leaked)
    leaked?.observations.unobserveAll()
    XCTAssertNil(leaked, "released with the expression")
  }

  // MARK: Waiting

  /// The condition, the cancellation of the task and the end of the controller race; a continuation
  /// that is resumed twice, or never, would trap or hang.
  func test_when_racingWithCancellationAndItsEnd_resumesOnce() async {
    for seed in seeds(quick: 150, full: 1_500) {
      var generator = SeededGenerator(seed: seed)
      let shop = Shop()
      let owner = Guarded<ObservationController<SilentObserver>?>(
        ObservationController(observer: SilentObserver.one))
      let observations = owner.withLock { $0! }
      let task = Task {
        do {
          try await observations.when { shop.stock.wrappedValue > 0 }
          return true
        } catch {
          XCTAssertTrue(error is CancellationError)
          return false
        }
      }
      let ways = (0..<3).map { _ in Int.random(in: 0..<4, using: &generator) }
      let racers = ways.map { way in
        Task.detached {
          switch way {
          case 0: task.cancel()
          case 1: observations.unobserveAll()
          case 2: shop.stock.wrappedValue = 0
          default: shop.stock.withLock { $0 += 1 }
          }
        }
      }
      for racer in racers { await racer.value }
      // One that began after all of that waits for this.
      shop.stock.wrappedValue = 1
      let holds = await task.value
      if !ways.contains(0), !ways.contains(1) { XCTAssertTrue(holds, "seed \(seed)") }
      XCTAssertEqual(observations.observations.count, 0, "seed \(seed)")
    }
  }
}

extension SilentObserver {
  fileprivate static let one = SilentObserver()
}
