import ObservationController
import TestSupport
import XCTest

/// An `==` that compares an assignment for derived values, and sets the property or observes it:
/// that of an element of a set, which is looked for.
final class ComparisonReentrancyTests: TestCase {
  private let recorder = LineRecorder()

  /// Not plain: paths that lead to it read their old values before a store.
  fileprivate struct Version: Hashable {
    let number: Int
    let owner = SilentObserver()
    nonisolated(unsafe) static var onCompare: (() -> Void)?

    static func == (left: Version, right: Version) -> Bool {
      let action = onCompare
      onCompare = nil
      action?()
      return left.number == right.number
    }

    func hash(into hasher: inout Hasher) {}
  }

  private final class Versioned {
    @Observed var version: Set = [Version(number: 0)]
    @Derived({ (object: Versioned) in object.version.number }) var number: Int

    var copy: Set<Version> { version }
  }

  /// - Parameter prepare: Registers what is there before.
  private func observePathInComparison(
    inTransaction: Bool = false,
    prepare: (ObservationController<LineRecorder>, Versioned) -> Void
  ) {
    let object = Versioned()
    let controller = ObservationController(observer: recorder)
    controller.observe(object, \.number) { _, _, _ in }
    prepare(controller, object)
    Version.onCompare = {
      controller.observe(object, \.copy, options: [.initial, .old]) { recorder, _, change in
        recorder.write("\(change.oldValue?.number ?? -1) \(change.newValue.number)")
      }
    }
    if inTransaction {
      withObservationTransaction { object.version = [Version(number: 1)] }
    } else {
      object.version = [Version(number: 1)]
    }
  }

  func test_C10_pathThatTheComparisonRegisters_hasItsOldValue() {
    observePathInComparison { _, _ in }
    XCTAssertEqual(recorder.events, ["-1 0", "0 1"])
  }

  func test_C10_pathThatTheComparisonRegisters_besideAnother_hasItsOldValue() {
    observePathInComparison { controller, object in
      controller.observe(object, \.copy, context: "other") { _, _, _ in }
    }
    XCTAssertEqual(recorder.events, ["-1 0", "0 1"])
  }

  func test_C11_pathThatTheComparisonRegisters_inATransaction_hasItsOldValue() {
    observePathInComparison(inTransaction: true) { _, _ in }
    XCTAssertEqual(recorder.events, ["-1 0", "0 1"])
  }

  func test_C7_comparisonThatSetsTheProperty_withPrior_keepsTheChain() {
    let object = Versioned()
    let controller = ObservationController(observer: recorder)
    controller.observe(object, \.number) { _, _, _ in }
    controller.observe(object, \.version, options: [.prior, .old]) { recorder, _, change in
      guard !change.isPrior else { return }
      recorder.write("\(change.oldValue?.number ?? -1) \(change.newValue.number)")
    }
    Version.onCompare = { object.version = [Version(number: 7)] }
    object.version = [Version(number: 1)]
    XCTAssertEqual(recorder.events, ["0 7", "7 1"])
  }

  func test_C7_comparisonThatSetsTheProperty_besideAPath_keepsTheChain() {
    let object = Versioned()
    let controller = ObservationController(observer: recorder)
    controller.observe(object, \.number) { _, _, _ in }
    controller.observe(object, \.copy) { _, _, _ in }
    controller.observe(object, \.version) { recorder, _, change in
      recorder.write("\(change.oldValue?.number ?? -1) \(change.newValue.number)")
    }
    Version.onCompare = { object.version = [Version(number: 7)] }
    object.version = [Version(number: 1)]
    XCTAssertEqual(recorder.events, ["0 7", "7 1"])
  }
}

extension Set<ComparisonReentrancyTests.Version> {
  fileprivate var number: Int { first?.number ?? -1 }
}
