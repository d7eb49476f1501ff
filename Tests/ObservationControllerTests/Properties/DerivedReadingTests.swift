import ObservationController
import TestSupport
import XCTest

/// Every read of a derived value, at any time, agrees with the stored properties.
final class DerivedReadingTests: TestCase {
  private let figure = Figure()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func state(of figure: Figure) -> String {
    "\(figure.a)+\(figure.b)=\(figure.sum)"
  }

  func test_handlers_readTheValueAfterTheChange() {
    observations.observe(figure, \.a) { [unowned self] recorder, figure, _ in
      recorder.write(state(of: figure))
      if figure.a == 10 { figure.b = 20 }
      recorder.write(state(of: figure))
    }
    observations.observe(figure, \.b) { [unowned self] recorder, figure, _ in
      recorder.write("b \(state(of: figure))")
    }
    figure.a = 10
    XCTAssertEqual(recorder.events, ["10+2=12", "b 10+20=30", "10+20=30"])
  }

  func test_priorHandlers_readTheValueBeforeTheChange() {
    observations.observe(figure, \.a, options: [.prior]) {
      [unowned self] recorder, figure, change in
      recorder.write("\(change.isPrior) \(state(of: figure))")
    }
    figure.a = 10
    figure.a += 1
    XCTAssertEqual(
      recorder.events, ["true 1+2=3", "false 10+2=12", "true 10+2=12", "false 11+2=13"])
  }

  func test_priorHandlersOfPaths_readTheValueBeforeTheChange() {
    observations.observe(figure, \.plain, options: [.prior, .old]) {
      [unowned self] recorder, figure, change in
      recorder.write("\(change) \(state(of: figure))")
    }
    figure.a = 10
    XCTAssertEqual(
      recorder.events, ["about to change from 3 2 1+2=3", "3 2 → 12 20 10+2=12"])
  }

  func test_priorHandlerThatReadsItForTheFirstTime_doesNotKeepTheOldValue() {
    observations.observe(figure, \.a, options: [.prior]) { recorder, figure, change in
      if change.isPrior { recorder.write(figure.double) }
    }
    figure.a = 10
    XCTAssertEqual(figure.double, 20)
    XCTAssertEqual(recorder.events, ["2"])
  }

  func test_priorHandlerThatSetsTheProperty_doesNotCacheTheOldValue() {
    observations.observe(figure, \.a, options: [.prior]) {
      [unowned self] recorder, figure, change in
      guard change.isPrior, figure.a < 5 else { return }
      figure.a = 5
      recorder.write(state(of: figure))
    }
    figure.a = 10
    XCTAssertEqual(figure.sum, 12)
    XCTAssertEqual(recorder.events, ["5+2=7"])
  }

  func test_initialHandlers_readIt() {
    observations.observe(figure, \.a, options: [.initial]) { [unowned self] recorder, figure, _ in
      recorder.write(state(of: figure))
    }
    XCTAssertEqual(recorder.events, ["1+2=3"])
  }

  func test_initialHandler_begunByItsComputation_addsNoDependency() {
    for begin in Opener.observing(by: observations) {
      let opener = Opener(begin)
      XCTAssertEqual(opener.derived, 1)
      opener.b = 5
      XCTAssertEqual(opener.derived, 1)
      XCTAssertEqual(opener.computations, 1)
      XCTAssertEqual(recorder.takeEvents(), ["initial 2"])
    }
  }

  func test_setInsideAHandler_isReadAtOnce_andDeliveredLater() {
    observations.observe(figure, \.sum) { recorder, figure, change in
      recorder.write(change)
      if figure.a == 10 {
        figure.a = 20
        recorder.write("reads \(figure.sum)")
      }
    }
    figure.a = 10
    XCTAssertEqual(recorder.events, ["3 → 12", "reads 22", "12 → 22"])
  }

  func test_transactions_readTheStoredValues() {
    _ = figure.sum
    withObservationTransaction {
      figure.a = 10
      XCTAssertEqual(state(of: figure), "10+2=12")
      figure.b = 20
      XCTAssertEqual(state(of: figure), "10+20=30")
      withObservationTransaction { figure.a = 11 }
      XCTAssertEqual(state(of: figure), "11+20=31")
    }
    XCTAssertEqual(state(of: figure), "11+20=31")
  }

  func test_transactions_ofObservedValues_readTheStoredValues() {
    observations.observe(figure, \.sum) { $0.write($2) }
    observations.observe(figure, \.both) { $0.write($2) }
    withObservationTransaction {
      figure.a = 10
      XCTAssertEqual(figure.both, "10: 20 100")
      XCTAssertEqual(state(of: figure), "10+2=12")
      figure.a = 11
      XCTAssertEqual(state(of: figure), "11+2=13")
    }
    XCTAssertEqual(recorder.events, ["3 → 13", "1: 2 1 → 11: 22 121"])
  }

  func test_batches_readTheStoredElements_observedOrNot() {
    for isObserved in [false, true] {
      let branch = Branch("tree")
      if isObserved { observations.observeArray(branch.leaves) { $0.write($2) } }
      XCTAssertEqual(branch.weight, 0)
      branch.leaves.performBatchUpdates {
        branch.leaves.append(Leaf("a", weight: 1))
        XCTAssertEqual(branch.weight, 1)
        branch.leaves.append(Leaf("b", weight: 2))
        branch.leaves[0].weight = 5
        XCTAssertEqual(branch.weight, 7)
        branch.leaves.removeAll()
        XCTAssertEqual(branch.weight, 0)
      }
    }
  }

  func test_batch_withTheFirstRead_readsTheStoredElements() {
    let branch = Branch("tree")
    branch.leaves.performBatchUpdates {
      branch.leaves.append(Leaf("a", weight: 1))
      XCTAssertEqual(branch.weight, 1)
      branch.leaves.append(Leaf("b", weight: 2))
      XCTAssertEqual(branch.weight, 3)
    }
    XCTAssertEqual(branch.weight, 3)
  }

  func test_transactionAroundEditsOfAnArray_readsTheStoredElements() {
    let branch = Branch("tree")
    withObservationTransaction {
      branch.leaves.append(Leaf("a", weight: 1))
      XCTAssertEqual(branch.weight, 1)
      branch.leaves.append(Leaf("b", weight: 2))
      XCTAssertEqual(branch.weight, 3)
      branch.leaves = []
      XCTAssertEqual(branch.weight, 0)
    }
  }

  func test_handlersOfArrays_readTheStoredElements() {
    let branch = Branch("tree")
    _ = branch.weight
    observations.observeArray(branch, \.leaves, elements: [\.weight]) { recorder, branch, change in
      recorder.write("\(change.kind) \(branch.weight)")
    }
    branch.leaves.append(Leaf("a", weight: 1))
    branch.leaves[0].weight = 5
    branch.leaves = [Leaf("b", weight: 2)]
    XCTAssertEqual(recorder.events, ["insertion 1", "element 5", "setting 2"])
  }

  /// Has a path that reads a derived value only after a switch is set.
  private final class Late {
    @Observed var a = 1
    var readsDerived = false
    @Derived({ (late: Late) in late.a * 2 }) var double: Int
    var value: Int { readsDerived ? double : a }
  }

  func test_transactionWithAPathsFirstRead_doesNotCacheTheOldValue() {
    let late = Late()
    observations.observe(late, \.value) { $0.write($2) }
    late.readsDerived = true
    withObservationTransaction { late.a = 5 }
    XCTAssertEqual(late.double, 10)
    XCTAssertEqual(recorder.events, ["1 → 10"])
  }

  func test_changeWithAPathsFirstRead_doesNotCacheTheOldValue() {
    let late = Late()
    observations.observe(late, \.value) { $0.write($2) }
    late.readsDerived = true
    late.a = 5
    XCTAssertEqual(late.double, 10)
    XCTAssertEqual(recorder.events, ["1 → 10"])
  }
}
