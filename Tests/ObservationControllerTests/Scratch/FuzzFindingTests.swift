import ObservationController
import TestSupport
import XCTest

/// Combinations that random programs over derived values, paths and arrays have found.
final class FuzzFindingTests: TestCase {
  private final class Gauge {
    @AtomicObserved var count = 0
    @Observed var plain = 0
    @Derived({ (gauge: Gauge) in gauge.count % 2 == 0 ? "even" : "odd" }) var parity: String
    @Derived({ (gauge: Gauge) in gauge.plain % 2 == 0 ? "even" : "odd" }) var plainParity: String
  }

  private final class Shelf {
    @Observed var first: ObservableArray<Int> = []
    @Observed var second: ObservableArray<Int> = []
    @Observed var isSecond = false
    @Derived({ (shelf: Shelf) in shelf.isSecond ? shelf.second : shelf.first })
    var shown: ObservableArray<Int>
  }

  private final class Part {
    let number: Int
    var atEnd: () -> Void = {}

    init(_ number: Int) { self.number = number }

    deinit { atEnd() }
  }

  private final class Crate {
    @Observed var parts: ObservableArray<Part> = []
    @Derived({ (crate: Crate) in crate.parts.reduce(0) { $0 + $1.number } }) var total: Int
  }

  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)
  private var lines: [String] = []

  func test_C11_pathOverDerivedArray_withPrior_followsATransaction() {
    let shelf = Shelf()
    observations.observe(shelf, \.shown.count, options: [.old, .prior]) {
      [unowned self] _, _, change in
      if !change.isPrior { lines.append("\(change)") }
    }
    withObservationTransaction { shelf.first.append(1) }
    XCTAssertEqual(lines, ["0 → 1"])
  }

  /// In a release build alone: there the element was freed before derived values were marked.
  func test_C27_deinitOfARemovedElement_readsTheDerivedValueAsItIs() {
    let crate = Crate()
    for edit in [{ crate.parts.setElements([Part(1)]) }, { crate.parts[0] = Part(2) }] {
      let part = Part(3)
      crate.parts = [part]
      XCTAssertEqual(crate.total, 3)
      part.atEnd = { [unowned self, unowned crate] in lines.append("\(crate.total)") }
      edit()
    }
    XCTAssertEqual(lines, ["1", "2"])
  }
}
