#if DEBUG  // `@testable` is not available in a release build.
  @testable import ObservationController
  import TestSupport
  import XCTest

  /// The pending changes of a queue, compared with an array.
  final class DeliveryQueueTests: TestCase {
    func test_queue_randomOperations_matchAnArray() {
      for seed in seeds(quick: 2, full: 20) {
        var random = SeededGenerator(seed: seed)
        var queue = DeliveryQueue<PendingChange>()
        var model: [PendingChange] = []
        for round in 0..<1_000 {
          // Grows past the length at which it shrinks its storage, and is emptied, by turns.
          let grows = round / 250 % 2 == 0
          switch Int.random(in: 0..<10, using: &random) {
          case 0...2:
            let last = Bool.random(using: &random) ? model.last : nil
            if last != nil { model.removeLast() }
            XCTAssertTrue(queue.removeLast(numbered: last?.id ?? .max) === last)
          case 3...7 where grows, 3..<6:
            let change = PendingChange(id: round.isMultiple(of: 10) ? 0 : UInt64(round))
            queue.append(change)
            model.append(change)
          default:
            let id = round.isMultiple(of: 4) ? UInt64(round) : .max
            let first = model.first.flatMap { $0.id <= id ? $0 : nil }
            if first != nil { model.removeFirst() }
            XCTAssertTrue(queue.removeFirst(through: id) === first)
          }
          XCTAssertEqual(queue.count, model.count)
          XCTAssertEqual(queue.isEmpty, model.isEmpty)
          XCTAssertEqual(queue.isEmpty(through: 500), model.first.map { $0.id > 500 } ?? true)
        }
        XCTAssertTrue(queue.removeAll().compactMap { $0 }.elementsEqual(model, by: ===))
        XCTAssertTrue(queue.isEmpty)
      }
    }

    func test_queue_holdsNothingThatWasRemoved() {
      let counter = LifetimeCounter()
      var queue = DeliveryQueue<PendingChange>()
      for _ in 0..<200 {
        let change = PendingChange()
        change.new = ValueBox(counter.makeTicket())
        queue.append(change)
      }
      for left in (0..<200).reversed() {
        _ = queue.removeFirst(through: 0)
        XCTAssertEqual(counter.count, left)
      }
    }
  }
#endif
