import Foundation
import ObservationController
import TestSupport
import XCTest

/// C12 to C22 at once: threads observe, end, drop and write shared objects, in a random order.
final class AtomicStressTests: TestCase {
  func test_atomic_everythingAtOnce_keepsEveryContract() {
    assertNoIssues {
      Stress.run(self) { round in
        let census = Census()
        let before = ObservationDispatcher.shared.activeObservationCount
        scoped {
          let site = Site(census, round.failures)
          round.run { thread in
            for _ in 0..<80 { site.act(on: thread) }
          }
          site.checkLastValues()
          site.clear()
        }
        let left = ObservationDispatcher.shared.activeObservationCount - before
        round.check(left == 0, "\(left) observations left")
        round.check(census.survivors.isEmpty, "\(census.survivors)")
      }
    }
  }
}

/// The shared objects: meters, visitors with their controllers, and observations.
private final class Site: Sendable {
  private struct Observation: Sendable {
    let token: ObservationToken
    let chain: StressChain
    let meter: Meter
    let keyPath: any KeyPath<Meter, Int> & Sendable
  }

  /// An observer and its controller, which are dropped independently.
  private struct Party: Sendable {
    let visitor: Visitor
    let controller: ObservationController<Visitor>
  }

  private let census: Census
  private let failures: Failures
  private let meters: Slots<Meter>
  private let parties: Slots<Party>
  /// Controllers whose observers may have been deallocated.
  private let controllers = Slots<ObservationController<Visitor>>([nil, nil])
  private let observations = Slots<Observation>(Array(repeating: nil, count: 24))

  init(_ census: Census, _ failures: Failures) {
    self.census = census
    self.failures = failures
    meters = Slots((0..<3).map { _ in Meter(census, failures) })
    parties = Slots([nil, nil, nil, nil])
    for index in 0..<4 { parties.replace(index, by: makeParty(retains: index < 2)) }
  }

  private func makeParty(retains: Bool) -> Party {
    let visitor = Visitor(census)
    return Party(
      visitor: visitor,
      controller: ObservationController(observer: visitor, retainsObserved: retains))
  }

  func act(on thread: StressThread) {
    switch thread.random.next() % 24 {
    case 0..<7: write(thread)
    case 7..<13: observe(thread)
    case 13..<16: end(thread)
    case 16: unobserve(thread)
    case 17: look(thread)
    default: drop(thread)
    }
  }

  private func index(_ thread: StressThread) -> Int { Int(thread.random.next() % 1_000) }

  private func write(_ thread: StressThread) {
    guard let meter = meters[index(thread)] else { return }
    switch thread.random.next() % 6 {
    case 0: thread.perform("add") { meter.add(1) }
    case 1: thread.perform("withLock") { meter.addToOther(10) }
    case 2: thread.perform("set a value") { meter.ticket = census.values.makeTicket() }
    case 3:
      let part = Part(index(thread), census)
      thread.perform("replace a link") { meter.part = part }
    case 4: thread.perform("set a leaf") { meter.part?.count += 1 }
    default:
      thread.perform("transaction") {
        withObservationTransaction {
          meter.add(2)
          meter.addToOther(-1)
          meter.add(3)
        }
      }
    }
  }

  private func observe(_ thread: StressThread) {
    guard let meter = meters[index(thread)], let party = parties[index(thread)] else { return }
    let (name, keyPath) = Meter.keyPaths[index(thread) % Meter.keyPaths.count]
    let options: ObservationOptions = [
      [.old], [.initial, .old], [.old, .prior], [.old, .distinct],
    ][
      index(thread) % 4]
    let chain = StressChain("\(name) \(options)", party.visitor, failures)
    let reaction = Reaction(rawValue: index(thread) % 8)
    let token = thread.perform("observe") {
      // A context of its own, since the second observation would be the first one otherwise.
      party.controller.observe(meter, keyPath, options: options, context: ObservationContext()) {
        [ticket = census.closures.makeTicket(), unowned self] visitor, meter, change in
        chain.follow(change)
        if change.isPrior || change.isInitial { return }
        react(reaction, meter)
        withExtendedLifetime((ticket, visitor)) {}
      }
    }
    thread.perform("observe a value") {
      _ = party.controller.observe(meter, \.ticket, options: [.initial, .old]) {
        [ticket = census.closures.makeTicket()] _, _, _ in withExtendedLifetime(ticket) {}
      }
    }
    observations.replace(
      index(thread),
      by: Observation(token: token, chain: chain, meter: meter, keyPath: keyPath))
  }

  /// Additional actions of a handler; most have none.
  private enum Reaction: Int {
    case ends, dropsAnObservation, dropsAParty, writesAnother
  }

  private func react(_ reaction: Reaction?, _ meter: Meter) {
    guard let thread = StressThread.running, let reaction else { return }
    switch reaction {
    case .ends: end(thread)
    case .dropsAnObservation: observations.replace(index(thread), by: nil)
    case .dropsAParty: parties.replace(index(thread), by: makeParty(retains: false))
    case .writesAnother:
      thread.perform("set a value in a handler") { meter.ticket = census.values.makeTicket() }
    }
  }

  private func end(_ thread: StressThread) {
    guard let observation = observations.take(index(thread)) else { return }
    thread.perform("invalidate") { observation.token.invalidate() }
    observation.chain.noteEnd()
    if observation.token.isActive { failures.add("active after its end") }
    if let meter = meters[index(thread)] {
      thread.perform("add after the end") { meter.add(1) }
    }
  }

  private func unobserve(_ thread: StressThread) {
    guard let party = parties[index(thread)], let meter = meters[index(thread)] else { return }
    switch thread.random.next() % 4 {
    case 0:
      let keyPath = Meter.keyPaths[index(thread) % Meter.keyPaths.count].path
      thread.perform("unobserve a key path") { party.controller.unobserve(meter, keyPath) }
    case 1: thread.perform("unobserve an object") { party.controller.unobserve(meter) }
    case 2: thread.perform("unobserve all") { party.controller.unobserveAll() }
    default:
      thread.perform("remove by the dispatcher") {
        ObservationDispatcher.shared.removeObservations(of: meter, by: party.visitor)
      }
    }
  }

  private func look(_ thread: StressThread) {
    thread.perform("look at the tables") {
      let dispatcher = ObservationDispatcher.shared
      _ = dispatcher.activeObservationCount
      if let meter = meters[index(thread)] {
        _ = dispatcher.observations(of: meter).map(\.description)
        _ = dispatcher.observers(of: meter, \.count)
      }
      _ = parties[index(thread)]?.controller.debugDescription
    }
  }

  private func drop(_ thread: StressThread) {
    let index = index(thread)
    switch thread.random.next() % 5 {
    case 0:
      thread.perform("drop an observer") {
        // Its controller stays for a while.
        controllers.replace(index, by: parties[index]?.controller)
        parties.replace(index, by: makeParty(retains: index.isMultiple(of: 2)))
      }
    case 1: thread.perform("drop a controller") { controllers.replace(index, by: nil) }
    case 2:
      thread.perform("drop observer and controller") {
        parties.replace(index, by: makeParty(retains: index.isMultiple(of: 2)))
      }
    case 3:
      thread.perform("drop an object") {
        meters.replace(index, by: Meter(census, failures))
      }
    default: thread.perform("drop an observation") { observations.replace(index, by: nil) }
    }
  }

  // MARK: - Afterwards

  /// One more change of everything, which every active observation has to receive.
  func checkLastValues() {
    let all = observations.all
    for meter in all.map(\.meter) + meters.all {
      meter.add(1_000)
      meter.addToOther(1_000)
      meter.part = Part(index(meter), census)
    }
    for observation in all where observation.token.isActive && !observation.chain.isOver {
      let now = observation.meter[keyPath: observation.keyPath]
      if observation.chain.last != now {
        failures.add("\(observation.keyPath): \(observation.chain.last as Any), not \(now)")
      }
    }
  }

  private func index(_ meter: Meter) -> Int { meter.count &* 31 }

  func clear() {
    observations.clear()
    parties.clear()
    controllers.clear()
    meters.clear()
  }
}
