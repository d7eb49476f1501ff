import ObservationController
import TestSupport
import XCTest

/// Bindings of properties that any thread may change, made and ended meanwhile.
final class BindingStressTests: TestCase {
  func test_bindings_madeAndEndedWhileOthersWrite_targetsFollow() {
    Stress.run(self) { round in
      let census = Census()
      let before = ObservationDispatcher.shared.activeObservationCount
      let failures = round.failures
      scoped {
        let source = Meter(census, failures)
        let (first, last) = (Gauge(), Gauge())
        let stays = Visitor(census)
        let lasting = ObservationController(observer: stays)
        // A chain, whose middle is written by the first binding only.
        lasting.bind(source, \.count, to: first, \.count.wrappedValue)
        lasting.bind(first, \.doubled, to: last, \.count.wrappedValue) { $0 + 1 }
        let chain = StressChain("the end of the chain", stays, failures)
        lasting.observe(last, \.count.wrappedValue) { chain.follow($2) }
        let controllers = Slots([lasting, nil, nil])
        round.run { thread in
          for _ in 0..<40 { Self.act(thread, source, controllers, census) }
        }
        let count = source.count
        round.check(first.count.wrappedValue == count, "\(first.count.wrappedValue), not \(count)")
        round.check(last.count.wrappedValue == 2 * count + 1, "\(last.count.wrappedValue)")
        controllers.clear()
      }
      let left = ObservationDispatcher.shared.activeObservationCount - before
      round.check(left == 0, "\(left) observations left")
      round.check(census.survivors.isEmpty, "\(census.survivors)")
    }
  }

  private static func act(
    _ thread: StressThread, _ source: Meter, _ controllers: Slots<ObservationController<Visitor>>,
    _ census: Census
  ) {
    let index = Int(thread.random.next() % 100)
    switch index % 8 {
    case 0..<3: thread.perform("add") { source.add(1) }
    case 3:
      let visitor = Visitor(census)
      // Not the first one, which stays.
      controllers.replace(1 + index % 2, by: ObservationController(observer: visitor))
    default:
      guard let controller = controllers[index] else { return }
      let target = Gauge()
      let token = thread.perform("bind") {
        controller.bind(source, \.count, to: target, \.count.wrappedValue) {
          [ticket = census.closures.makeTicket()] count in
          withExtendedLifetime(ticket) { count }
        }
      }
      let text = thread.perform("bind two ways") {
        // `other` of either end is not written: the source's is the final value of the target's.
        controller.bindTwoWay(source, \.other, with: target, \.other.wrappedValue)
      }
      thread.perform("add") { source.add(1) }
      thread.perform("unbind") {
        if index.isMultiple(of: 2) { token.invalidate() } else { controller.unobserve(target) }
        text.invalidate()
      }
    }
  }

  func test_bindTwoWay_bothEndsWritten_agreeAfterTheNextChange() {
    Stress.run(self) { round in
      let census = Census()
      let before = ObservationDispatcher.shared.activeObservationCount
      scoped {
        let (one, other) = (Gauge(), Gauge())
        let controllers = Slots<ObservationController<Visitor>>([nil])
        let stays = Visitor(census)
        controllers.replace(0, by: ObservationController(observer: stays))
        round.run { thread in
          for number in 0..<40 {
            switch thread.random.next() % 8 {
            case 0..<4: thread.perform("set one end") { one.count.wrappedValue = number }
            case 4..<7:
              thread.perform("set the other end") { other.count.withLock { $0 -= number } }
            default:
              thread.perform("bind again") {
                controllers[0]?.unobserve(one)
                controllers[0]?.bindTwoWay(
                  one, \.count.wrappedValue, with: other, \.count.wrappedValue)
              }
            }
          }
        }
        controllers[0]?.bindTwoWay(one, \.count.wrappedValue, with: other, \.count.wrappedValue)
        one.count.wrappedValue = 10_000
        round.check(other.count.wrappedValue == 10_000, "forward: \(other.count.wrappedValue)")
        other.count.wrappedValue = 20_000
        round.check(one.count.wrappedValue == 20_000, "backward: \(one.count.wrappedValue)")
        controllers.clear()
      }
      let left = ObservationDispatcher.shared.activeObservationCount - before
      round.check(left == 0, "\(left) observations left")
      round.check(census.survivors.isEmpty, "\(census.survivors)")
    }
  }
}
