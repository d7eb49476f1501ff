#if Foundation
  import Foundation
  import ObservationController
  import TestSupport
  import XCTest

  /// Events, hooks and notifications on several threads, while observers are added and removed.
  final class EventStressTests: TestCase {
    private static let name = Notification.Name("stress")

    func test_eventsHooksAndNotifications_loseNothing_andLeaveNothing() {
      Stress.run(self) { round in
        let census = Census()
        let before = ObservationDispatcher.shared.activeObservationCount
        let failures = round.failures
        let threads = round.threads
        scoped {
          let site = EventSite(census, failures, threads: threads)
          round.run { thread in
            for _ in 0..<60 { site.act(on: thread) }
          }
          site.checkAll()
          site.clear()
        }
        let left = ObservationDispatcher.shared.activeObservationCount - before
        round.check(left == 0, "\(left) observations left")
        round.check(census.survivors.isEmpty, "\(census.survivors)")
      }
    }

    private struct Message: Sendable {
      let thread: Int
      let number: Int
    }

    /// Unchecked: the hook's default has no state; each number belongs to one thread.
    private final class EventSite: @unchecked Sendable {
      private let census: Census
      private let failures: Failures
      private let event = ObservableEvent<Message>()
      private let hook = ObservableHook<Int, Int> { -$0 }
      private let center = NotificationCenter()
      private let stays: Visitor
      private let lasting: ObservationController<Visitor>
      private let controllers = Slots<ObservationController<Visitor>>([nil, nil, nil])
      private let tokens = Slots<ObservationToken>(Array(repeating: nil, count: 8))

      private let sent = Guarded<[Int]>([])
      /// The payloads of each thread that the permanent observer has received. Deliberately without
      /// a lock: an event is delivered one payload at a time.
      private var received: [Int]
      private let posted = Guarded(0)
      private let noticed = Guarded(0)

      init(_ census: Census, _ failures: Failures, threads: Int) {
        self.census = census
        self.failures = failures
        stays = Visitor(census)
        lasting = ObservationController(observer: stays)
        received = Array(repeating: 0, count: threads)
        sent.withLock { $0 = Array(repeating: 0, count: threads) }
        lasting.observe(event) { [unowned self] _, message in
          received[message.thread] += 1
          // The payloads of a thread arrive in their order.
          if received[message.thread] != message.number { failures.add("\(message), out of order") }
        }
        lasting.observe(EventStressTests.name, in: center) { [noticed] _, _ in
          noticed.withLock { $0 += 1 }
        }
      }

      func act(on thread: StressThread) {
        let index = Int(thread.random.next() % 100)
        switch index % 10 {
        case 0..<3:
          let number = sent.withLock { sent in
            sent[thread.index] += 1
            return sent[thread.index]
          }
          thread.perform("send") { event.send(Message(thread: thread.index, number: number)) }
        case 3:
          posted.withLock { $0 += 1 }
          thread.perform("post") { center.post(name: EventStressTests.name, object: nil) }
        case 4:
          let answer = thread.perform("ask") { hook(index) }
          if answer != -index, answer != index + 1_000 { failures.add("answered \(answer)") }
        case 5: thread.perform("invalidate") { tokens.take(index)?.invalidate() }
        case 6:
          thread.perform("replace a controller") {
            let visitor = Visitor(census)
            controllers.replace(index, by: ObservationController(observer: visitor))
          }
        case 7:
          thread.perform("drop a controller") { controllers.replace(index, by: nil) }
        default: observe(thread, index, index.isMultiple(of: 2) ? lasting : controllers[index])
        }
      }

      private func observe(
        _ thread: StressThread, _ index: Int, _ controller: ObservationController<Visitor>?
      ) {
        guard let controller else { return }
        let isEnded = Flag()
        func deliver() {
          if isEnded.isSet, StressThread.running === thread {
            failures.add("delivered after its end")
          }
        }
        let ticket = census.closures.makeTicket()
        let token =
          switch thread.random.next() % 3 {
          case 0:
            thread.perform("observe an event") {
              controller.observe(event) { [ticket] _, _ in
                withExtendedLifetime(ticket) { deliver() }
              }
            }
          case 1:
            thread.perform("handle a hook") {
              controller.handle(hook) { [ticket] _, number in
                withExtendedLifetime(ticket) { deliver() }
                return number + 1_000
              }
            }
          default:
            thread.perform("observe a notification") {
              controller.observe(EventStressTests.name, in: center) { [ticket] _, _ in
                withExtendedLifetime(ticket) { deliver() }
              }
            }
          }
        if index.isMultiple(of: 3) {
          thread.perform("invalidate") { token.invalidate() }
          isEnded.set()
          thread.perform("ask") { _ = hook(index) }
          thread.perform("post") { center.post(name: Notification.Name("other"), object: nil) }
        } else {
          tokens.replace(index, by: token)
        }
      }

      func checkAll() {
        let (sent, posted) = (sent.withLock { $0 }, posted.withLock { $0 })
        if received != sent { failures.add("received \(received) of \(sent)") }
        let noticed = noticed.withLock { $0 }
        if noticed != posted { failures.add("\(noticed) of \(posted) notifications") }
      }

      func clear() {
        lasting.unobserveAll()
        controllers.clear()
        tokens.clear()
      }
    }
  }
#endif
