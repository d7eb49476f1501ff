import ObservationController
import TestSupport
import XCTest

/// C8 in detail: rounds, and chains of changes that are no cycle.
final class CycleTests: TestCase {
  private let account = Account()
  private let recorder = Recorder<Int>()
  private lazy var observations = ObservationController(observer: recorder)

  private func assertOneCycle(_ issues: [ObservationIssue], line: UInt = #line) {
    guard case .cycle? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)", line: line)
    }
  }

  // MARK: Many changes at once

  func test_C8_propertySet300TimesByOneDelivery_isNoCycle() {
    observations.observe(account, \.balance) { recorder, account, change in
      if change.oldValue != recorder.events.last ?? 0 { XCTFail("not contiguous: \(change)") }
      recorder.append(change.newValue)
      if change.newValue == 1 { for value in 2...301 { account.balance = value } }
    }
    assertNoIssues { account.balance = 1 }
    XCTAssertEqual(recorder.events, Array(1...301))
  }

  func test_C8_computedPathChanged300TimesByOneDelivery_isNoCycle() {
    observations.observe(account, \.available) { recorder, account, change in
      recorder.append(change.newValue)
      if change.newValue == 1 { for value in 1...300 { account.limit = value } }
    }
    assertNoIssues { account.balance = 1 }
    XCTAssertEqual(recorder.events, Array(1...301))
  }

  func test_C8_handlerThatNumbersAThousandElementsAnew_isNoCycle() {
    let tiles = (0..<999).map { Tile("\($0)") }
    let array = ObservableArray(tiles)
    let indices = Recorder<Int?>()
    observations.observeArray(array, elements: [\.rank]) { _, _, change in
      if change.kind == .insertion {
        for (index, tile) in change.elements.enumerated() { tile.rank = index + 1 }
      } else {
        indices.append(change.entries.first?.newIndex)
      }
    }
    assertNoIssues { array.insert(Tile("first"), at: 0) }
    XCTAssertEqual(indices.events, Array(0..<1_000))
    XCTAssertEqual(array.map(\.rank), Array(1...1_000))
  }

  func test_C8_eventSent300TimesByOneHandler_isNoCycle() {
    let sent = ObservableEvent<Int>()
    observations.observe(sent) { recorder, value in
      recorder.append(value)
      if value == 0 { for value in 1...300 { sent.send(value) } }
    }
    assertNoIssues { sent.send(0) }
    XCTAssertEqual(recorder.events, Array(0...300))
  }

  // MARK: More changes each round

  func test_C8_changesOfAPriorHandler_andTheNextOnes_areOneChain() {
    var priors = 0
    observations.observe(account, \.balance, options: .prior, context: "prior") {
      _, account, change in
      guard change.isPrior, priors < 5 else { return }
      priors += 1
      account.balance += 1
    }
    observations.observe(account, \.balance) { recorder, account, change in
      recorder.append(change.newValue)
      account.balance += 1
    }
    assertOneCycle(collectingIssues { account.balance = 1 })
    XCTAssertEqual(recorder.events.count, 100)
  }

  func test_C8_propertyThatSetsItselfTwice_stopsAfter100Rounds() {
    observations.observe(account, \.balance) { recorder, account, change in
      recorder.append(change.newValue)
      account.balance += 1
      account.balance += 1
    }
    assertOneCycle(collectingIssues { account.balance = 1 })
    XCTAssertEqual(recorder.events, Array(1...100))
    XCTAssertEqual(account.balance, 201, "the last value stays stored")
  }

  func test_C8_computedPathThatChangesItselfTwice_stopsAfter100Rounds() {
    observations.observe(account, \.available) { recorder, account, change in
      recorder.append(change.newValue)
      account.limit += 1
      account.limit += 1
    }
    assertOneCycle(collectingIssues { account.balance = 1 })
    XCTAssertEqual(recorder.events, Array(1...100))
  }

  func test_C8_atomicThatSetsItselfTwice_fromItsInitialDelivery_stops() {
    let meter = Meter()
    let issues = collectingIssues {
      observations.observe(meter, \.count, options: [.initial, .old]) {
        recorder, meter, change in
        recorder.append(change.newValue)
        meter.$count.withLock { $0 += 1 }
        meter.$count.withLock { $0 += 1 }
      }
    }
    assertOneCycle(issues)
    XCTAssertEqual(recorder.events, Array(0..<recorder.events.count), "contiguous")
    XCTAssertLessThan(recorder.events.count, 300)
  }
}
