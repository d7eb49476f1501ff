import Dispatch
import ObservationController
import TestSupport
import XCTest

/// The examples in the documentation of queues, the main actor and sequences.
final class DeliveryExampleTests: TestCase {
  @MainActor
  private final class Badge {
    private(set) var shown: [Int] = []
    private var task: Task<Void, Never>?
    private lazy var observations = ObservationController(observer: self)

    func follow(_ account: Account) {
      let changes = observations.changes(of: account, \.balance)
      // Held weakly: the loop waits as long as the controller lives, which `self` owns.
      task = Task { [weak self] in
        for await change in changes { self?.show(change.newValue) }
      }
    }

    private func show(_ count: Int) {
      shown.append(count)
    }

    func finish() async {
      observations.unobserveAll()
      await task?.value
    }
  }

  @MainActor
  func test_example_badge_followsTheAccount_andIsDeallocated() async {
    let account = Account()
    await assertFollowed(account)
    weak var badge: Badge?
    assertLeavesNoObservations {
      let own = Badge()
      badge = own
      own.follow(account)
    }
    XCTAssertNil(badge)
  }

  @MainActor
  private func assertFollowed(_ account: Account) async {
    let badge = Badge()
    badge.follow(account)
    account.balance = 1
    account.balance = 2
    await badge.finish()
    XCTAssertEqual(badge.shown, [1, 2])
  }

  @MainActor
  func test_example_view_showsProgress() async {
    let (download, view) = (Download(), View())
    let observations = ObservationController(observer: view)
    observations.observeOnMainActor(download, \.progress, coalescing: true) { view, _, change in
      view.bar.progress = change.newValue
    }
    download.progress = 0.5
    download.progress = 1
    await drainMainQueue()
    XCTAssertEqual(view.bar.progress, 1)
  }

  func test_example_index_isUpdatedOnItsQueue() {
    let (document, index) = (Document(), Index())
    let indexing = DispatchQueue(label: "indexing")
    let observations = ObservationController(observer: index)
    observations.observe(document, \.text, on: indexing, coalescing: .latest) { index, _, change in
      index.update(change.newValue)
    }
    indexing.whileSuspended {
      document.text = "a"
      document.text = "ab"
    }
    XCTAssertEqual(index.texts, ["ab"])
  }

  func test_example_loops() async {
    let (account, person) = (Account(), Person())
    let observer = SilentObserver()
    let observations = ObservationController(observer: observer)
    var ledger: [Int] = []
    let changes = observations.changes(of: account, \.balance)
    account.balance = 3
    account.balance = 5
    observations.unobserve(account)
    for await change in changes {
      ledger.append(change.newValue - (change.oldValue ?? 0))
    }
    XCTAssertEqual(ledger, [3, 2])
    var title = ""
    for await name in observations.values(of: person, \.name) {
      title = name
      observations.unobserve(person)
    }
    XCTAssertEqual(title, "Ada")
  }
}

private final class Download {
  @Observed var progress = 0.0
}

@MainActor
private final class View {
  struct Bar {
    var progress = 0.0
  }
  var bar = Bar()
}

private final class Document {
  @Observed var text = ""
}

private final class Index {
  private(set) var texts: [String] = []

  func update(_ text: String) {
    texts.append(text)
  }
}
