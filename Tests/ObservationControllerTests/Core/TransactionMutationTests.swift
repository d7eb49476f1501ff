import ObservationController
import TestSupport
import XCTest

/// C6 and C11: mutations in place inside of a transaction.
final class TransactionMutationTests: TransactionTestCase {
  func test_C11_mutationsInPlace_areDeliveredOnce() {
    observe(parcel, \.layers, as: "layers")
    withObservationTransaction {
      parcel.layers.append(1)
      parcel.layers.append(2)
      parcel.layers[0] = 3
    }
    XCTAssertEqual(recorder.events, ["layers: [] → [3, 2]"])
  }

  func test_C11_mutationThatThrows_isDeliveredWithTheTransaction() {
    func fail(_ layers: inout [Int]) throws {
      layers.append(1)
      throw Failure()
    }
    observe(parcel, \.layers, as: "layers")
    try? withObservationTransaction { try fail(&parcel.layers) }
    XCTAssertEqual(recorder.events, ["layers: [] → [1]"])
  }

  func test_C11_assignmentAfterAMutation_andTheOtherWayRound_areOneChange() {
    observe(parcel, \.layers, as: "layers")
    withObservationTransaction {
      parcel.layers.append(1)
      parcel.layers = [5]
      parcel.layers.append(6)
    }
    XCTAssertEqual(recorder.events, ["layers: [] → [5, 6]"])
  }

  func test_C11_transactionInsideAMutationInPlace_deliversAtItsEnd() {
    observe(parcel, \.layers, as: "layers")
    observe(parcel, \.width, as: "width")
    func mutate(_ layers: inout [Int]) {
      layers.append(1)
      withObservationTransaction { parcel.width = 10 }
      XCTAssertEqual(recorder.events, ["width: 1 → 10"])
    }
    mutate(&parcel.layers)
    XCTAssertEqual(recorder.events, ["width: 1 → 10", "layers: [] → [1]"])
  }

  func test_C11_computedPath_ofAMutationWithATransaction_isOneChange() {
    observe(parcel, \.area, as: "area")
    func mutate(_ width: inout Int) {
      width = 10
      withObservationTransaction { parcel.height = 20 }
    }
    mutate(&parcel.width)
    XCTAssertEqual(recorder.events, ["area: 2 → 200"])
    parcel.width = 1
    XCTAssertEqual(recorder.events, ["area: 2 → 200", "area: 200 → 20"])
  }

  // MARK: Copies

  /// The buffers of an array before and after each of three appends in one transaction.
  private func buffersOfThreeAppends() -> [UnsafeRawPointer?] {
    parcel.layers = []
    parcel.layers.reserveCapacity(100)
    recorder.clear()
    var buffers = [buffer]
    withObservationTransaction {
      for value in 1...3 {
        parcel.layers.append(value)
        buffers.append(buffer)
      }
    }
    return buffers
  }

  private var buffer: UnsafeRawPointer? {
    parcel.layers.withUnsafeBytes { $0.baseAddress }
  }

  func test_C6_appends_withoutOld_copyNothing() {
    observe(parcel, \.layers, as: "layers", options: [])
    XCTAssertEqual(Set(buffersOfThreeAppends()).count, 1)
    XCTAssertEqual(recorder.events, ["layers: → [1, 2, 3]"])
  }

  func test_C6_appends_withOld_copyOnce() {
    observe(parcel, \.layers, as: "layers")
    let buffers = buffersOfThreeAppends()
    XCTAssertNotEqual(buffers[0], buffers[1], "the value before is kept")
    XCTAssertEqual(Set(buffers[1...]).count, 1, "once")
    XCTAssertEqual(recorder.events, ["layers: [] → [1, 2, 3]"])
  }

  func test_C6_appends_copyOnceMoreForAnObservationThatBeginsInside() {
    parcel.layers = [0]
    parcel.layers.reserveCapacity(100)
    observe(parcel, \.layers, as: "early")
    var buffers: [UnsafeRawPointer?] = []
    withObservationTransaction {
      parcel.layers.append(1)
      buffers.append(buffer)
      observe(parcel, \.layers, as: "late")
      for value in 2...4 {
        parcel.layers.append(value)
        buffers.append(buffer)
      }
    }
    XCTAssertNotEqual(buffers[0], buffers[1])
    XCTAssertEqual(Set(buffers[1...]).count, 1)
    XCTAssertEqual(
      recorder.events, ["early: [0] → [0, 1, 2, 3, 4]", "late: [0, 1] → [0, 1, 2, 3, 4]"])
  }

  func test_C6_appends_withAComputedPathWithoutOld_copyNothing() {
    observe(parcel, \.layers.count, as: "count", options: [])
    XCTAssertEqual(Set(buffersOfThreeAppends()).count, 1)
    XCTAssertEqual(recorder.events, ["count: → 3"])
  }

  func test_C6_appendsToAnObservableArray_withoutOld_copyNothing() {
    observeStamps(of: parcel, as: "stamps")
    let stamps = parcel.stamps
    stamps.append(contentsOf: (0..<33).map { _ in Stamp("x") })
    func address() -> UnsafePointer<Stamp>? {
      stamps.withContiguousStorageIfAvailable { $0.baseAddress! }
    }
    withObservationTransaction {
      stamps.append(Stamp("y"))
      let before = address()
      stamps.append(Stamp("z"))
      stamps.append(Stamp("z"))
      XCTAssertEqual(address(), before)
    }
  }
}
