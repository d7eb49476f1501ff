import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Deliveries on queues, and async sequences, of properties that any thread may change.
final class DeliveryStressTests: TestCase {
  func test_queues_observedEndedAndDropped_eachChainIsContiguous() {
    Stress.run(self) { round in
      let census = Census()
      let before = ObservationDispatcher.shared.activeObservationCount
      let failures = round.failures
      scoped {
        let meter = Meter(census, failures)
        let queue = DispatchQueue(label: "stress")
        let stays = Visitor(census)
        let lasting = ObservationController(observer: stays)
        let chains = [ObservationCoalescing.none, .latest].map { coalescing in
          let chain = StressChain("lasting, coalescing: \(coalescing)", stays, failures)
          lasting.observe(
            meter, \.sum, context: coalescing == .latest ? "coalescing" : nil, on: queue,
            coalescing: coalescing
          ) { chain.follow($2) }
          return chain
        }
        let controllers = Slots<ObservationController<Visitor>>([lasting, nil, nil])
        round.run { thread in
          for _ in 0..<30 { Self.act(thread, meter, queue, controllers, census, failures) }
        }
        queue.sync {}
        for chain in chains {
          round.check(
            chain.last ?? 0 == meter.sum, "\(chain.last as Any), not \(meter.sum)")
        }
        controllers.clear()
        // Waiting changes retain observers and closures.
        queue.sync {}
      }
      let left = ObservationDispatcher.shared.activeObservationCount - before
      round.check(left == 0, "\(left) observations left")
      round.check(census.survivors.isEmpty, "\(census.survivors)")
    }
  }

  private static func act(
    _ thread: StressThread, _ meter: Meter, _ queue: DispatchQueue,
    _ controllers: Slots<ObservationController<Visitor>>, _ census: Census, _ failures: Failures
  ) {
    let index = Int(thread.random.next() % 100)
    switch index % 8 {
    case 0..<3: thread.perform("add") { meter.add(1) }
    case 3: thread.perform("withLock") { meter.addToOther(10) }
    case 4:
      thread.perform("replace a controller") {
        let visitor = Visitor(census)
        controllers.replace(1 + index % 2, by: ObservationController(observer: visitor))
      }
    default:
      let (name, keyPath) = Meter.keyPaths[Int(thread.random.next() % 100) % 6]
      let visitor = Visitor(census)
      let controller =
        index.isMultiple(of: 2)
        ? ObservationController(observer: visitor) : controllers[index]
      guard let controller, let observer = controller.observer else { return }
      let chain = StressChain("\(name) on a queue", observer, failures)
      let isEnded = Flag()
      let token = thread.perform("observe on a queue") {
        controller.observe(
          meter, keyPath, options: [.initial, .old], context: ObservationContext(), on: queue,
          coalescing: index.isMultiple(of: 3) ? .latest : .none
        ) { [ticket = census.closures.makeTicket()] _, _, change in
          if isEnded.isSet { failures.add("\(name): delivered after its end on the queue") }
          chain.follow(change)
          withExtendedLifetime(ticket) {}
        }
      }
      thread.perform("add") { meter.add(1) }
      guard index.isMultiple(of: 3) else { return }
      thread.perform("invalidate on the queue") {
        queue.sync {
          token.invalidate()
          isEnded.set()
        }
      }
      withExtendedLifetime(visitor) {}
    }
  }

  func test_sequences_begunAndEndedWhileOthersWrite_areContiguous() async {
    for seed in Stress.seeds(for: self) {
      let round = Stress.Round(of: self, seed)
      let census = Census()
      let before = ObservationDispatcher.shared.activeObservationCount
      await follow(round, census)
      let left = ObservationDispatcher.shared.activeObservationCount - before
      round.check(left == 0, "\(left) observations left")
      round.check(census.survivors.isEmpty, "\(census.survivors)")
      round.assertNoFailures()
    }
  }

  private func follow(_ round: Stress.Round, _ census: Census) async {
    var round = round
    let failures = round.failures
    let meter = Meter(census, failures)
    let visitor = Visitor(census)
    let lasting = ObservationController(observer: visitor)
    let sequences = Guarded<[(String, ObservationChanges<Int>)]>([])
    let values = lasting.values(of: meter, \.count)
    round.run { thread in
      for _ in 0..<25 {
        let index = Int(thread.random.next() % 100)
        switch index % 5 {
        case 0..<3: thread.perform("add") { meter.add(1) }
        case 3:
          let (name, keyPath) = Meter.keyPaths[index % 6]
          let changes = thread.perform("begin a sequence") {
            lasting.changes(of: meter, keyPath, options: [.initial, .old])
          }
          sequences.withLock { $0.append((name, changes)) }
        default:
          thread.perform("begin and drop a sequence") {
            let controller = ObservationController(observer: visitor)
            let changes = controller.changes(of: meter, \.tripled)
            meter.add(1)
            withExtendedLifetime(changes) {}
          }
        }
      }
    }
    lasting.unobserveAll()
    for (name, sequence) in sequences.withLock({ $0 }) {
      let chain = StressChain("sequence of \(name)", visitor, failures)
      for await change in sequence { chain.follow(change) }
      let keyPath = Meter.keyPaths.first { $0.name == name }!.path
      let now = meter[keyPath: keyPath]
      round.check(chain.last == now, "\(name): \(chain.last as Any), not \(now)")
    }
    var all: [Int] = []
    for await value in values { all.append(value) }
    round.check(all == Array(0...meter.count), "\(all)")
  }
}
