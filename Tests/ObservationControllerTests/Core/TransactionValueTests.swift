import ObservationController
import TestSupport
import XCTest

/// C11 with values of every size and alignment: a transaction keeps small ones inline, others in
/// boxes.
final class TransactionValueTests: TestCase {
  func test_C11_valuesOfEverySize_areDeliveredFromFirstToLast() {
    checkEverySize(of: .assigning)
  }

  func test_C11_valuesOfEverySize_mutatedInPlace_areDeliveredAtTheEnd() {
    checkEverySize(of: .mutating)
  }

  func test_C11_valuesOfEverySize_observedInside_areDeliveredFromThere() {
    checkEverySize(of: .observingInside)
  }

  func test_C7_valuesOfEverySize_changedInAHandler_waitForTheirTurn() {
    checkEverySize(of: .waiting)
  }

  // MARK: Changes

  private enum Change {
    case assigning, mutating, observingInside, waiting
  }

  private struct Bytes<Words: Equatable>: Equatable {
    var words: Words
    var last: UInt8
  }

  private func checkEverySize(of change: Change) {
    check(change, Int8(1), 2, 3)
    check(change, UInt16(1), 2, 3)
    check(
      change, Bytes(words: Int16(1), last: 2), Bytes(words: 3, last: 4), Bytes(words: 5, last: 6))
    check(change, 1.5, 2.5, 3.5)
    check(change, Int?.none, 1, 2)
    check(change, Bytes(words: 1, last: 2), Bytes(words: 3, last: 4), Bytes(words: 5, last: 6))
    check(change, 1...2, 3...4, 5...6)
    check(
      change, Bytes(words: 1...2, last: 2), Bytes(words: 3...4, last: 4),
      Bytes(words: 5...6, last: 6))
    check(change, SIMD2<Double>(1, 2), SIMD2(3, 4), SIMD2(5, 6))
    check(change, SIMD4<Double>(1, 2, 3, 4), SIMD4(repeating: 5), SIMD4(repeating: 6))
    check(change, "one", "a second one, which is longer", "last")
    check(change, [1], [2, 3], [])
  }

  private func check<Value: Equatable>(
    _ change: Change, _ first: Value, _ second: Value, _ last: Value
  ) {
    let holder = Holder(first)
    let recorder = ChangeRecorder<Value>()
    let observations = ObservationController(observer: recorder)
    observations.observe(holder, \.value, options: [.old, .prior], context: "first") {
      recorder, holder, delivered in
      recorder.record(delivered)
      guard change == .waiting, !delivered.isPrior, delivered.newValue == second else { return }
      withObservationTransaction {
        holder.value = first
        holder.value = last
      }
    }
    var expected: [RecordedEvent<Value>] = [.prior(first), .changed(first, last)]
    switch change {
    case .assigning:
      withObservationTransaction {
        holder.value = second
        holder.value = last
      }
    case .mutating:
      func set(_ value: inout Value, to new: Value) { value = new }
      withObservationTransaction {
        set(&holder.value, to: second)
        set(&holder.value, to: last)
      }
    case .observingInside:
      withObservationTransaction {
        holder.value = second
        observations.observe(holder, \.value, context: "second") { $0.record($2) }
        holder.value = last
      }
      expected += [.changed(second, last)]
    case .waiting:
      holder.value = second
      expected = [
        .prior(first), .changed(first, second), .prior(second), .changed(second, last),
      ]
    }
    XCTAssertEqual(recorder.events, expected, "\(change) \(first)")
  }
}
