import Dispatch
import ObservationController
import TestSupport
import XCTest

/// Queues, the main actor and sequences, used from each kind of isolation, in Swift 6 mode.
final class DeliveryContextTests: TestCase {
  @MainActor
  private final class Model {
    @Observed var title = "Draft"
  }

  @MainActor
  private final class ViewModel {
    let recorder = LineRecorder()
    private let onQueue = LineRecorder()
    private lazy var observations = ObservationController(observer: self)

    func watch(_ model: Model, on queue: DispatchQueue) {
      observations.observe(model, \.title, context: "queue", on: queue) { [onQueue] _, _, change in
        onQueue.write(change)
      }
      observations.observeOnMainActor(model, \.title, context: "main") { viewModel, model, change in
        viewModel.recorder.write("\(change), now \(model.title)")
      }
    }

    func follow(_ model: Model) async {
      for await title in observations.values(of: model, \.title) {
        recorder.write(title)
        if title == "Final" { return }
        model.title = "Final"
      }
    }

    func end(_ queue: DispatchQueue) -> [String] {
      // Before the end, after which nothing follows.
      queue.drain()
      observations.unobserveAll()
      return onQueue.events
    }
  }

  private actor Clerk {
    private let account = Account()
    private lazy var observations = ObservationController(observer: self)

    func work(on queue: DispatchQueue, _ recorder: LineRecorder) {
      observations.observe(account, \.balance, context: "queue", on: queue) { _, _, change in
        recorder.write("queue \(change)")
      }
      observations.observeOnMainActor(account, \.balance, context: "main") { _, _, change in
        recorder.write("main actor \(change)")
      }
      account.balance = 1
    }

    func follow() async -> [Int] {
      var balances: [Int] = []
      for await change in observations.changes(of: account, \.limit, options: [.initial, .old]) {
        balances.append(change.newValue)
        if balances.count == 4 { break }
        account.limit += 1
      }
      return balances
    }

    func next() async -> Int? {
      var iterator = observations.values(of: account, \.balance).makeAsyncIterator()
      return await iterator.next(isolation: self)
    }
  }

  @MainActor
  func test_contexts_mainActorClass_usesAllOfThem() async {
    let (model, viewModel) = (Model(), ViewModel())
    let queue = DispatchQueue(label: "context")
    viewModel.watch(model, on: queue)
    await viewModel.follow(model)
    await drainMainQueue()
    XCTAssertEqual(
      viewModel.recorder.events.sorted(), ["Draft", "Draft → Final, now Final", "Final"])
    XCTAssertEqual(viewModel.end(queue), ["Draft → Final"])
  }

  func test_contexts_actor_usesAllOfThem() async {
    let (clerk, recorder) = (Clerk(), LineRecorder())
    let queue = DispatchQueue(label: "context")
    await clerk.work(on: queue, recorder)
    queue.drain()
    await drainMainQueue()
    XCTAssertEqual(recorder.events.sorted(), ["main actor 0 → 1", "queue 0 → 1"])
    let (limits, balance) = (await clerk.follow(), await clerk.next())
    XCTAssertEqual(limits, [0, 1, 2, 3])
    XCTAssertEqual(balance, 1)
  }

  func test_contexts_task_takesASequenceAlong() async {
    let counter = Counter()
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    let changes = observations.changes(of: counter, \.count)
    let values = observations.values(of: counter, \.count)
    counter.count = 1
    observations.unobserveAll()
    let task = Task.detached { (await changes.collect().map(\.newValue), await values.collect()) }
    let (changed, all) = await task.value
    XCTAssertEqual(changed, [1])
    XCTAssertEqual(all, [0, 1])
  }
}
