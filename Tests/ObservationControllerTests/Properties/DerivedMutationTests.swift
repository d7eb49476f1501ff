import Foundation
import ObservationController
import TestSupport
import XCTest

/// Derived values while a dependency is mutated in place: a getter that read it then would trap.
final class DerivedMutationTests: TestCase {
  private final class Basket: @unchecked Sendable {
    // Unchecked because one thread at a time uses it, apart from `visits`.
    @Observed var items = ["apple"]
    @Observed var extra = 0
    @Observed var other = 0
    @AtomicObserved var visits = 0
    @Derived({ (basket: Basket) in basket.items.count + basket.extra }) var count: Int
    @Derived({ (basket: Basket) in basket.count * 10 }) var price: Int
    @Derived({ (basket: Basket) in -basket.other }) var negative: Int

    /// Has `visits` in the graph of `count`.
    @Derived({ (basket: Basket) in basket.extra + basket.visits }) var activity: Int

    var sum: Int { other + count }
    var label: String { "\(count)" }

    func takeItems(of basket: Basket) { _items = basket._items }
  }

  private final class Shelf {
    @Observed var basket: Basket?
    var count: Int { basket?.count ?? 0 }

    /// Not plain.
    var labels: [Any] { [basket?.label ?? "none"] }
  }

  /// Runs each job on a thread of its own: a task that has left one comes back on another.
  private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
      Thread.detachNewThread { job.runSynchronously(on: executor) }
    }
  }

  private let basket = Basket()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func setDuringMutation(_ items: inout [String]) throws {
    basket.extra += 1
    items.append("pear")
    basket.extra += 1
    basket.other += 1
    recorder.write("end of mutation")
  }

  func test_changeDuringMutation_isNotifiedWhenTheMutationHasEnded() throws {
    observations.observe(basket, \.price) { $0.write("price: \($2)") }
    try setDuringMutation(&basket.items)
    XCTAssertEqual(recorder.events, ["end of mutation", "price: 10 → 40"])
  }

  func test_changeOfAnotherValueDuringMutation_isNotifiedAtOnce() throws {
    observations.observe(basket, \.price) { $0.write("price: \($2)") }
    observations.observe(basket, \.negative) { $0.write("negative: \($2)") }
    try setDuringMutation(&basket.items)
    XCTAssertEqual(
      recorder.events, ["negative: 0 → -1", "end of mutation", "price: 10 → 40"])
  }

  func test_mutationThatThrows_isNotified() {
    struct Stop: Error {}
    func fail(_ items: inout [String]) throws {
      basket.extra += 1
      items.append("pear")
      throw Stop()
    }
    observations.observe(basket, \.count) { $0.write("count: \($2)") }
    XCTAssertThrowsError(try fail(&basket.items))
    basket.extra = 10
    XCTAssertEqual(recorder.events, ["count: 1 → 3", "count: 3 → 12"])
  }

  func test_transactionDuringMutation_isNotifiedWhenTheMutationHasEnded() {
    func change(_ items: inout [String]) {
      withObservationTransaction { basket.extra = 5 }
      items.append("pear")
    }
    observations.observe(basket, \.count) { $0.write("count: \($2)") }
    change(&basket.items)
    XCTAssertEqual(recorder.events, ["count: 1 → 7"])
  }

  func test_C10_pathOverAStoredAndADerivedValue_isDeliveredAfterTheMutation() {
    assertPathIsDeliveredAfterTheMutation { change in change() }
  }

  func test_C11_pathOverADerivedValue_inATransaction_isDeliveredOnce() {
    assertPathIsDeliveredAfterTheMutation { change in withObservationTransaction(change) }
  }

  /// - Parameter make: Makes the changes inside of the mutation.
  private func assertPathIsDeliveredAfterTheMutation(
    line: UInt = #line, _ make: (_ change: () -> Void) -> Void
  ) {
    observations.observe(basket, \.sum) { $0.write("sum: \($2)") }
    mutate(&basket.items) { items in
      make {
        basket.extra = 1
        basket.other = 10
      }
      items.append("pear")
      recorder.write("end of mutation")
    }
    XCTAssertEqual(recorder.events, ["end of mutation", "sum: 1 → 13"], line: line)
  }

  func test_C7_pathWhoseSourceIsBeingDelivered_isNotifiedOfTheMutationToo() {
    observations.observe(basket, \.extra) { recorder, basket, change in
      recorder.write("extra: \(change)")
      guard change.newValue == 1 else { return }
      mutate(&basket.items) { items in
        basket.extra = 2
        items.append("pear")
      }
    }
    observations.observe(basket, \.label) { $0.write("label: \($2)") }
    basket.extra = 1
    XCTAssertEqual(
      recorder.events.filter { $0.hasPrefix("label") }, ["label: 1 → 2", "label: 2 → 4"])
    XCTAssertTrue(recorder.events.contains("extra: 1 → 2"))
  }

  func test_C10_pathThatComesToDependOnIt_isNotifiedOfItsEnd() {
    for options in [.old, [.old, .prior], [.old, .distinct]] as [ObservationOptions] {
      let (basket, shelf) = (Basket(), Shelf())
      XCTAssertEqual(basket.count, 1)
      for keyPath in [\Shelf.basket?.count, \Shelf.count, \Shelf.labels[0]] as [PartialKeyPath] {
        observations.observeEach(shelf, [keyPath], options: options) { recorder, _, change in
          if !change.isPrior { recorder.write(change) }
        }
      }
      mutate(&basket.items) { items in
        shelf.basket = basket
        items.append("pear")
        basket.extra += 1
        recorder.write("end of mutation")
      }
      XCTAssertEqual(
        recorder.takeEvents(),
        [
          "nil → Optional(1)", "0 → 1", "none → 1", "end of mutation", "Optional(1) → Optional(3)",
          "1 → 3", "1 → 3",
        ],
        "\(options)")
      observations.unobserveAll()
    }
  }

  func test_C10_pathToAReference_thatComesToDependOnIt_beginsAtItsValue() {
    final class Item {
      @Observed var isOn = false
      @Observed var link: Item?
      @Derived({ (item: Item) in item.isOn ? item.link : nil }) var chosen: Item?
    }
    let changes: [(ObservationOptions, [String])] = [
      (.old, ["false → false", "false → true"]), ([.old, .distinct], ["false → true"]),
      (
        [.old, .prior],
        ["prior false", "false → false", "prior false", "false → true"]
      ),
    ]
    for (options, expected) in changes {
      let (root, other) = (Item(), Item())
      weak var last: Item?
      scoped {
        let item = Item()
        (other.link, last) = (item, item)
        XCTAssertNil(other.chosen)
        observations.observe(root, \.link?.chosen, options: options) { recorder, _, change in
          let (old, new) = ((change.oldValue ?? nil) != nil, change.newValue != nil)
          recorder.write(change.isPrior ? "prior \(new)" : "\(old) → \(new)")
        }
        mutate(&other.isOn) { isOn in
          isOn = true
          root.link = other
        }
      }
      XCTAssertEqual(recorder.takeEvents(), expected, "\(options)")
      other.link = nil
      XCTAssertNil(last)
      _ = recorder.takeEvents()
    }
  }

  func test_C10_pathThatComesToDependOnIt_unchanged_isNotifiedOfItsEnd() {
    final class Item {
      @Observed var isOn = false
      @Observed var link: Item?
      @Derived({ (item: Item) in item.isOn ? item : nil }) var own: Item?
      @Derived({ (item: Item) in [item.link?.own].compactMap(\.self) }) var linked: [Item]
      var computed: [Item] { linked }
    }
    let (root, other) = (Item(), Item())
    XCTAssertNil(other.own)
    observations.observe(root, \.computed) { recorder, _, change in
      recorder.write("\(change.oldValue?.count ?? -1) → \(change.newValue.count)")
    }
    observations.observeArray(root, \.linked, options: .old) { recorder, _, change in
      recorder.write("\(change.kind) \(change.oldElements?.count ?? -1) → \(change.elements.count)")
    }
    mutate(&other.isOn) { isOn in
      isOn = true
      root.link = other
      XCTAssertEqual(recorder.events, [])
    }
    XCTAssertEqual(recorder.events, ["0 → 1", "insertion 0 → 1"])
  }

  func test_C4_pathRegisteredInAMutation_isNotifiedOfItsEnd() {
    let shelf = Shelf()
    shelf.basket = basket
    XCTAssertEqual(basket.count, 1)
    mutate(&basket.items) { items in
      observations.observe(shelf, \.count, options: [.old, .prior]) { $0.write($2) }
      items.append("pear")
    }
    withObservationTransaction {
      mutate(&basket.items) { items in
        observations.observe(shelf, \.count, options: [.old, .prior], context: "second") {
          $0.write("second: \($2)")
        }
        items.append("fig")
      }
    }
    XCTAssertEqual(
      recorder.events,
      [
        "about to change from 1", "1 → 2", "about to change from 2", "2 → 3",
        "second: about to change from 2", "second: 2 → 3",
      ])
  }

  func test_C14_mutationOfCopiedStorage_leavesTheOriginalsValueNotified() {
    let copy = Basket()
    observations.observe(basket, \.count) { $0.write("count: \($2)") }
    copy.takeItems(of: basket)
    copy.items.append("pear")
    basket.extra = 1
    basket.extra = 2
    XCTAssertEqual(recorder.events, ["count: 1 → 2", "count: 2 → 3"])
  }

  func test_changeDuringMutation_isNotTakenByAnotherThreadsChange() {
    XCTAssertEqual(basket.activity, 0)
    observations.observe(basket, \.count) { recorder, _, change in
      XCTAssertTrue(Thread.isMainThread)
      recorder.write("count: \(change)")
    }
    mutate(&basket.items) { [basket] items in
      basket.extra = 1
      onAnotherThread { basket.visits += 1 }
      items.append("pear")
      recorder.write("end of mutation")
    }
    XCTAssertEqual(recorder.events, ["end of mutation", "count: 1 → 3"])
  }

  func test_mutationThatAwaits_endsOnAnotherThread_laterOnesAreWaitedFor() async {
    @Sendable func fill(_ items: inout [String]) async {
      // Leaves the thread for sure, unlike `Task.yield()`, and comes back on a new one.
      await MainActor.run {}
      items.append("pear")
    }
    @Sendable func current() -> Thread { .current }
    let basket = basket
    observations.observe(basket, \.count) { $0.write("count: \($2)") }
    await Task(executorPreference: ThreadExecutor()) {
      let first = current()
      await fill(&basket.items)
      XCTAssertFalse(first === current())
      mutate(&basket.items) { items in
        basket.extra = 1
        items.append("fig")
      }
    }.value
    XCTAssertEqual(recorder.events, ["count: 1 → 2", "count: 2 → 4"])
  }
}

private func mutate<Value>(_ value: inout Value, _ body: (inout Value) -> Void) { body(&value) }
