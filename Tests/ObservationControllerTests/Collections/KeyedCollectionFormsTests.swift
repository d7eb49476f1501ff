import Observation
import ObservationController
import TestSupport
import XCTest

/// Forms of dictionaries and sets: optional paths, views of them, tracked properties, batches
/// inside of transactions, and what a `Collection` has to offer.
final class KeyedCollectionFormsTests: TestCase {
  private final class Library: Observable {
    @TrackedObserved var tags: ObservableSet<Int> = [1]
    @TrackedObserved var amounts: ObservableDictionary<String, Int> = ["a": 1]
  }

  private final class Shelf {
    @Observed var tags: ObservableSet<Int>? = [1]
    @Observed var amounts: ObservableDictionary<String, Int>? = ["a": 1]
    var tagCount: Int { tags?.count ?? -1 }
  }

  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)
  private let shelf = Shelf()

  func test_following_anOptionalCollection_followsWhatItLeadsTo() {
    let tags = ObservableSet<Int>.following(shelf, \.tags)
    let amounts = ObservableDictionary<String, Int>.following(shelf, \.amounts)
    observations.observeSet(tags) { $0.write("\($2.kind) \($2.elements.sorted())") }
    observations.observeDictionary(amounts) { $0.write("\($2.kind) \($2.elements.count)") }
    shelf.tags?.insert(2)
    shelf.amounts?["b"] = 2
    XCTAssertEqual(recorder.takeEvents(), ["insertion [1, 2]", "insertion 2"])
    shelf.tags = nil
    shelf.amounts = nil
    XCTAssertTrue(tags.isEmpty && amounts.isEmpty)
  }

  func test_observeSet_atAnOptionalPath_countsAsEmptyWhereThereIsNone() {
    observations.observeSet(shelf, \.tags, options: .initial) {
      $0.write("\($2.kind) \($2.elements.sorted())")
    }
    shelf.tags = nil
    shelf.tags = [3]
    shelf.tags?.remove(3)
    XCTAssertEqual(
      recorder.takeEvents(), ["initial [1]", "setting []", "setting [3]", "removal []"])
  }

  func test_priorDelivery_ofAPathOverABatch_comesOnceBeforeIt() {
    observations.observe(shelf, \.tagCount, options: [.prior, .old]) {
      $0.write("\($2.isPrior ? "prior" : "change") \($2.newValue)")
    }
    shelf.tags?.performBatchUpdates {
      shelf.tags?.insert(2)
      shelf.tags?.insert(3)
    }
    XCTAssertEqual(recorder.takeEvents(), ["prior 1", "change 3"])
  }

  func test_batchInsideOfATransaction_isOneChangeWithIt() {
    let tags = shelf.tags ?? []
    observations.observeSet(tags, options: .old) {
      $0.write("\($2.kind) +\($2.inserted.sorted()) -\($2.removed.sorted())")
    }
    withObservationTransaction {
      tags.performBatchUpdates {
        tags.insert(2)
        tags.insert(3)
      }
      tags.remove(1)
    }
    XCTAssertEqual(recorder.takeEvents(), ["batch +[2, 3] -[1]"])
  }

  func test_trackedCollections_eachEdit_isNotifiedOnce() {
    let library = Library()
    let edits: [(String, () -> Void)] = [
      ("insert", { library.tags.insert(5) }),
      ("key", { library.amounts["z"] = 9 }),
      ("in place", { library.amounts["a", default: 0] += 1 }),
      ("all", { library.amounts.setElements([:]) }),
      (
        "transaction",
        { withObservationTransaction { _ = (library.tags.insert(6), library.tags.remove(1)) } }
      ),
    ]
    for (name, edit) in edits {
      withObservationTracking {
        _ = (library.tags.count, library.amounts.count)
      } onChange: { [recorder] in
        recorder.write(name)
      }
      edit()
      library.tags.insert(100 + library.tags.count)
      XCTAssertEqual(recorder.takeEvents(), [name])
    }
  }

  func test_collections_areThoseOfTheStandardLibrary() {
    let set: ObservableSet<Int> = [1, 2, 3]
    let dictionary = ObservableDictionary(uniqueKeysWithValues: [("a", 1), ("b", 2)])
    XCTAssertEqual(set.map { $0 }.sorted(), [1, 2, 3])
    XCTAssertEqual(set.indices.map { set[$0] }.sorted(), [1, 2, 3])
    XCTAssertEqual(set.debugDescription, set.elements.debugDescription)
    XCTAssertEqual(Mirror(reflecting: set).children.count, 3)
    XCTAssertEqual(dictionary.map(\.value).sorted(), [1, 2])
    XCTAssertTrue(ObservableSet<Int>().isEmpty)
    set.reserveCapacity(10)
    XCTAssertEqual(set.elements, [1, 2, 3])
  }

  func test_average_ofFloatingPoint_isThatOfItsElements() {
    final class Item {
      @Observed var weight = 1.0
      init(_ weight: Double) { self.weight = weight }
    }
    let items = ObservableArray([1.0, 2.0, 4.5].map { Item($0) })
    let average = items.average(of: \.weight)
    XCTAssertEqual(average.value, 2.5)
    items[0].weight = 4
    XCTAssertEqual(average.value, 3.5)
    items.removeAll()
    XCTAssertNil(average.value)
  }
}
