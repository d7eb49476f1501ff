import ObservationController
import TestSupport
import XCTest

#if DEBUG
  /// The closure of a live view reads what the view does not follow: reported in debug builds.
  final class ViewClosureCheckTests: TestCase {
    private final class Search {
      @Observed var text = "a"
      @Observed var limit = 1
      @Observed var factor = 1
      @AtomicObserved var base = 1
      @Derived({ (search: Search) in search.limit + search.factor }) var sum: Int
      var computed: Int { limit + factor }
    }

    private final class Row {
      @Observed var title = ""
      init(_ tile: Tile) { title = tile.letter + title }
    }

    private class Base {
      @Observed var rank = 1
      @Derived({ (base: Base) in base.rank * 2 }) var double: Int
      var twice: Int { rank * 2 }
    }
    private final class Sub: Base {}

    private let source = ObservableArray(["a", "b", "c"].map { Tile($0, rank: 1) })
    private let search = Search()

    private func issues<View>(_ make: () -> View) -> [ObservationIssue] {
      collectingIssues { withExtendedLifetime(make()) {} }
    }

    private func check<View>(
      _ keyPath: AnyKeyPath, line: UInt = #line, _ make: () -> View
    ) {
      let issues = issues(make)
      guard case .notFollowed(let found, #fileID, _)? = issues.first, issues.count == 1 else {
        return XCTFail("\(issues)", line: line)
      }
      XCTAssertEqual(found, keyPath, line: line)
    }

    func test_propertyOfAnotherObject_isReportedOnce_withThePlaceOfTheView() {
      var line: UInt = 0
      let issues = issues {
        line = #line + 1
        let view = source.filtered(on: [\.rank]) { [search] in $0.letter.contains(search.text) }
        search.text = "b"
        source.append(Tile("b"))
        return view
      }
      XCTAssertEqual(issues.count, 1)
      guard case .notFollowed(\Search.text, #fileID, line)? = issues.first else {
        return XCTFail("\(issues)")
      }
      let text = issues[0].description
      XCTAssertTrue(text.hasPrefix("\(#fileID):\(line): "), text)
      XCTAssertTrue(text.contains("with:"), text)
    }

    func test_eachKindOfView_andOfProperty_isReported() {
      let search = search
      check(\Search.text) { source.sorted(on: [\.rank]) { $0.letter < $1.letter + search.text } }
      check(\Search.text) { source.mapped(on: [\.rank]) { $0.letter + search.text } }
      check(\Search.text) { source.unique(on: [\.rank]) { $0.letter + search.text } }
      check(\Search.sum) { source.filtered(on: []) { _ in search.sum > 0 } }
      check(\Search.limit) {
        source.filtered(on: [], with: search, \.factor) { search.limit > $1 && $0.letter > "" }
      }
      check(\Search.limit) {
        source.sorted(on: [], with: search, \.factor) { _, _, _ in search.limit > 1 }
      }
      check(\Search.limit) {
        source.mapped(on: [], with: search, \.factor) { search.limit * $1 + $0.letter.count }
      }
      XCTAssertEqual(issues { source.filtered(on: []) { _ in search.base > 0 } }.count, 1)
    }

    func test_propertyOfTheElement_thatIsNotNamed_isReported() {
      check(\Tile.isShown) { source.filtered(on: [\.rank]) { $0.rank > 0 && $0.isShown } }
      check(\Tile.rank) { source.sorted(on: []) { $0.rank < $1.rank } }
    }

    /// The same property of another object is another one.
    func test_propertyOfAnotherElement_isReported() {
      let other = Tile("x", rank: 1)
      check(\Tile.rank) { source.filtered(on: [\.rank]) { $0.rank <= other.rank } }
    }

    func test_anotherArray_isReported() {
      let other = ObservableArray([Tile("x")])
      XCTAssertEqual(issues { source.filtered(on: []) { !other.contains($0) } }.count, 1)
    }

    func test_elementThatComesLater_isCheckedToo() {
      let search = search
      let view = source.filtered(on: [\.rank]) { $0.rank > 5 && search.limit > 0 }
      let issues = collectingIssues { source.append(Tile("d", rank: 9)) }
      XCTAssertEqual(issues.map(\.keyPath), [\Search.limit])
      XCTAssertEqual(view.count, 1)
    }

    func test_whatTheViewFollows_isNotReported() {
      let search = search
      assertNoIssues {
        _ = source.filtered(on: [\.rank, \.isShown]) { $0.rank > 0 && $0.isShown }
        _ = source.filtered(on: [\.weight]) { $0.isShown && $0.rank > 0 }
        _ = source.filtered(on: [\.rank], with: search, \.computed) { $0.rank > $1 }
        _ = source.filtered(on: [], with: search, \.sum) { _, sum in sum > search.limit }
        _ = source.sorted(on: [\.rank], with: search, \.limit) { $0.rank * $2 < $1.rank * $2 }
        _ = source.mapped(on: [\.rank], with: search, \.base) { $0.rank + $1 }
        _ = source.filtered(on: [\.rank]) { $0.letter.isEmpty || $0.rank > 1 }
        _ = source.filtered(on: []) { tile in withUntrackedReads { tile.rank > search.limit } }
        search.limit = 5
      }
      let bases = ObservableArray<Base>([Base(), Sub()])
      assertNoIssues {
        _ = bases.filtered(on: [\.rank]) { $0.double > 1 && $0.twice > 1 }
        _ = bases.sorted(on: [\.double]) { $0.double < $1.double }
        _ = bases.mapped(on: [\.twice]) { $0.rank }
      }
    }

    func test_objectsThatTheClosureMakes_areNotReported() {
      assertNoIssues {
        _ = source.mapped(on: []) { Row($0) }
        _ = source.filtered(on: []) { Row($0).title.count < 9 }
      }
    }
  }
#endif

/// An array that nothing but a getter holds: reported, since its edits are lost.
final class ReleasedArrayTests: TestCase {
  private final class Model {
    @Observed var tiles = ObservableArray([Tile("a", rank: 1), Tile("b", rank: 3)])
    @Observed var other: ObservableArray<Tile>?
    var shown: ObservableArray<Tile> { tiles.filtered(on: [\.rank]) { $0.rank > 2 } }
    var chosen: ObservableArray<Tile>? { other.map { $0.filtered(on: []) { _ in true } } ?? tiles }
    lazy var kept = tiles.filtered(on: [\.rank]) { $0.rank > 2 }
    @Derived({ (model: Model) in model.tiles.filtered(on: [\.rank]) { $0.rank > 2 } })
    var derived: ObservableArray<Tile>
  }

  private let model = Model()
  private let observer = SilentObserver()
  private lazy var observations = ObservationController(observer: observer)

  private func check(
    _ issues: [ObservationIssue], _ keyPath: AnyKeyPath?, at place: UInt, line: UInt = #line
  ) {
    guard let keyPath else { return XCTAssertEqual(issues.map(\.description), [], line: line) }
    guard case .released(let found, #fileID, place)? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)", line: line)
    }
    XCTAssertEqual(found, keyPath, line: line)
    XCTAssertTrue(issues[0].description.contains("keep the array"), line: line)
  }

  func test_following_aGetterThatMakesAView_isReported() {
    let issues = collectingIssues {
      let view = ObservableArray.following(model, \.shown)
      XCTAssertEqual(view.count, 1)
      model.tiles = []
      model.tiles = [Tile("c")]
    }
    check(issues, \Model.shown, at: #line - 5)
  }

  func test_observeArray_ofAGetterThatMakesAView_isReported() {
    let issues = collectingIssues {
      observations.observeArray(model, \.shown) { _, _, _ in }
    }
    check(issues, \Model.shown, at: #line - 2)
  }

  func test_getterThatMakesAViewLater_isReportedThen() {
    observations.observeArray(model, \.chosen) { _, _, _ in }
    let place: UInt = #line - 1
    let issues = collectingIssues { model.other = [Tile("d")] }
    check(issues, \Model.chosen, at: place)
    check(collectingIssues { model.other = [] }, nil, at: 0)
  }

  func test_arraysThatAreHeld_areNotReported() {
    let issues = collectingIssues {
      let views = [
        ObservableArray.following(model, \.tiles), ObservableArray.following(model, \.kept),
        ObservableArray.following(model, \.derived), ObservableArray.following(model, \.other),
      ]
      observations.observeArray(model, \.tiles) { _, _, _ in }
      observations.observeArray(model, \.kept) { _, _, _ in }
      observations.observeArray(model, \.other) { _, _, _ in }
      observations.observeArray(model.shown) { _, _, _ in }
      model.tiles = [Tile("x", rank: 4)]
      model.other = []
      model.other = nil
      withObservationTransaction { model.tiles = [Tile("y", rank: 4)] }
      XCTAssertEqual(views.map(\.count), [1, 1, 1, 0])
    }
    check(issues, nil, at: 0)
  }
}
