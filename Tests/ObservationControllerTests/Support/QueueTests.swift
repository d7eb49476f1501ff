#if DEBUG  // `@testable` is not available in a release build.
  @testable import ObservationController
  import TestSupport
  import XCTest

  /// A queue compared with an array.
  final class QueueTests: TestCase {
    func test_queue_randomOperations_matchAnArray() {
      for seed in seeds(quick: 2, full: 20) {
        var random = SeededGenerator(seed: seed)
        var queue = Queue<Int>()
        var model: [Int] = []
        for round in 0..<1_000 {
          // Grows past the length at which it shrinks its storage, and is emptied, by turns.
          let grows = round / 250 % 2 == 0
          switch Int.random(in: 0..<11, using: &random) {
          case 0:
            queue.prepend(-round)
            model.insert(-round, at: 0)
          case 1:
            let bound = Int.random(in: -1_000...1_000, using: &random)
            // Multiples of ten are not in the order.
            queue.insert(bound) { $0.isMultiple(of: 10) ? nil : $0 > bound }
            let last = model.lastIndex { !$0.isMultiple(of: 10) && $0 <= bound }
            let start = last.map { $0 + 1 } ?? 0
            let end = model[start...].firstIndex { !$0.isMultiple(of: 10) } ?? model.count
            model.insert(bound, at: end)
          case 2:
            let count = Int.random(in: 0...3, using: &random)
            var last: [Int] = []
            queue.visitLast(count) { last.append($0) }
            XCTAssertEqual(last, model.suffix(count))
          case 3:
            let wanted = model.randomElement(using: &random) ?? 0
            XCTAssertEqual(queue.only { $0 == wanted }, model.first { $0 == wanted })
          case 4:
            let divisor = Int.random(in: 1...3, using: &random)
            let last = model.last.flatMap { $0.isMultiple(of: divisor) ? $0 : nil }
            if last != nil { model.removeLast() }
            XCTAssertEqual(queue.removeLast { $0.isMultiple(of: divisor) }, last)
          case 5...7 where grows, 5..<7:
            queue.append(round)
            model.append(round)
          default:
            let first = model.isEmpty ? nil : model.removeFirst()
            XCTAssertEqual(queue.first, first)
            XCTAssertEqual(queue.removeFirst(), first)
          }
          XCTAssertEqual(queue.count, model.count)
          XCTAssertEqual(queue.isEmpty, model.isEmpty)
        }
        var rest: [Int] = []
        while let first = queue.removeFirst() { rest.append(first) }
        XCTAssertEqual(rest, model)
      }
    }

    func test_queue_holdsNothingThatWasRemoved() {
      let counter = LifetimeCounter()
      var queue = Queue<LifetimeCounter.Ticket>()
      for _ in 0..<200 { queue.append(counter.makeTicket()) }
      for left in (0..<200).reversed() {
        _ = queue.removeFirst()
        XCTAssertEqual(counter.count, left)
      }
    }
  }
#endif
