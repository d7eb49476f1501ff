import ObservationController
import TestSupport
import XCTest

/// What handlers do while a delivery waits for room on the stack.
final class DeepWaitingTests: TestCase {
  override func setUpWithError() throws {
    try StackMeter.skipWhereStacksAreHidden()
  }

  /// A chain of links whose handlers each set the next one to 1, on a small stack.
  private final class Chain {
    private(set) var links: [DeepLink]
    let observer = LineRecorder()
    let controller: ObservationController<LineRecorder>
    private(set) var tokens: [ObservationToken] = []

    /// What each link was told.
    let recorders: [LineRecorder]

    /// Is called when a handler has set the next link, which has not been told.
    private var whileNextWaits: ((Chain, Int) -> Void)?

    init(count: Int = 3000, retains: Bool = true, whileNextWaits: @escaping (Chain, Int) -> Void) {
      links = (0..<count).map { _ in DeepLink() }
      controller = ObservationController(observer: observer, retainsObserved: retains)
      recorders = (0..<count).map { _ in LineRecorder() }
      self.whileNextWaits = whileNextWaits
      for index in links.indices {
        tokens.append(
          controller.observe(links[index], \.value) { [unowned self] _, _, change in
            receive(change, at: index)
          })
      }
    }

    private func receive(_ change: ObservedChange<Int>, at index: Int) {
      recorders[index].write(change)
      guard change.newValue == 1, links.indices.contains(index + 1) else { return }
      links[index + 1].value = 1
      if recorders[index + 1].events.isEmpty, let act = whileNextWaits {
        whileNextWaits = nil
        act(self, index + 1)
      }
    }

    func forget(_ index: Int) { links[index] = DeepLink() }
  }

  private struct Outcome: Sendable {
    var told: [[String]]
    var waited: Int?
    var issues: Int
  }

  private func outcome(
    retains: Bool = true, _ act: @escaping @Sendable (Chain, Int) -> Void
  ) -> Outcome {
    let waited = Guarded<Int?>(nil)
    let told = Guarded<[[String]]>([])
    let issues = collectingIssues {
      onThread(stackSize: 512 << 10) {
        let chain = Chain(retains: retains) { chain, index in
          waited.withLock { $0 = index }
          act(chain, index)
        }
        chain.links[0].value = 1
        told.withLock { $0 = chain.recorders.map(\.events) }
      }
    }
    return Outcome(
      told: told.withLock { $0 }, waited: waited.withLock { $0 }, issues: issues.count)
  }

  func test_waitingDelivery_propertyReadsAsItWasSet() throws {
    let value = Guarded(0)
    let outcome = outcome { chain, index in value.withLock { $0 = chain.links[index].value } }
    _ = try XCTUnwrap(outcome.waited)
    XCTAssertEqual(value.withLock { $0 }, 1)
    XCTAssertEqual(outcome.told, Array(repeating: ["0 → 1"], count: 3000))
    XCTAssertEqual(outcome.issues, 1)
  }

  func test_C7_propertySetAgain_whileItWaits_isToldOfOneContiguousChain() throws {
    let outcome = outcome { chain, index in
      chain.links[index].value = 2
      chain.links[index].value = 3
    }
    let waited = try XCTUnwrap(outcome.waited)
    var expected = Array(repeating: ["0 → 1"], count: 3000)
    expected[waited] = ["0 → 1", "1 → 2", "2 → 3"]
    XCTAssertEqual(outcome.told, expected)
  }

  func test_C19_observationThatEnds_whileItWaits_isNotTold() throws {
    let outcome = outcome { chain, index in chain.tokens[index].invalidate() }
    let waited = try XCTUnwrap(outcome.waited)
    XCTAssertEqual(
      outcome.told,
      Array(repeating: ["0 → 1"], count: waited) + Array(repeating: [], count: 3000 - waited))
  }

  func test_C9_observationThatBegins_whileItWaits_missesIt() throws {
    let late = LineRecorder()
    let outcome = outcome { chain, index in
      chain.controller.observe(chain.links[index], \.value, context: "late") { _, _, change in
        late.write(change)
      }
      chain.links[index].value = 2
    }
    _ = try XCTUnwrap(outcome.waited)
    XCTAssertEqual(late.events, ["1 → 2"])
  }

  func test_objectThatIsDropped_whileItWaits_isTold_andGoesThen() throws {
    let object = Guarded<WeakLink?>(nil)
    let outcome = outcome(retains: false) { chain, index in
      object.withLock { $0 = WeakLink(chain.links[index]) }
      chain.forget(index)
    }
    let waited = try XCTUnwrap(outcome.waited)
    XCTAssertEqual(outcome.told[waited], ["0 → 1"])
    XCTAssertNil(object.withLock { $0?.link })
  }

  func test_objectThatSetsItsPropertyInItsDeinit_hasNoTimeToWait() {
    let told = Guarded(0)
    _ = collectingIssues {
      onThread(stackSize: 512 << 10) {
        let observer = LineRecorder()
        let controller = ObservationController(observer: observer, retainsObserved: false)
        let links = (0..<3000).map { _ in DeepLink() }
        for (link, next) in zip(links, links.dropFirst()) {
          controller.observe(link, \.value) { _, _, _ in
            do {
              let farewell = Farewell()
              controller.observe(farewell, \.state) { _, _, _ in told.withLock { $0 += 1 } }
            }
            next.value = 1
          }
        }
        links[0].value = 1
      }
    }
    XCTAssertEqual(told.withLock { $0 }, 2999)
  }

  private struct WeakLink: @unchecked Sendable {
    // Unchecked: one thread at a time has it.
    private(set) weak var link: DeepLink?

    init(_ link: DeepLink) { self.link = link }
  }
}
