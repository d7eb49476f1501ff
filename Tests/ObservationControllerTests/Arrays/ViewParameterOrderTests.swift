import ObservationController
import TestSupport
import XCTest

/// Live views with a parameter: the order of their changes among others, and what they keep alive.
final class ViewParameterOrderTests: ViewParameterCase {
  // MARK: Order

  func test_C28_observersOfTheParameter_findTheViewUpToDate_whateverCameFirst() {
    var view: ObservableArray<Tile>?
    observations.observe(search, \.limit) { [self] recorder, _, _ in
      recorder.write("limit \(names(view!))")
    }
    observations.observe(search, \.derived) { [self] recorder, _, _ in
      recorder.write("derived \(names(view!))")
    }
    observations.observe(search, \.computed) { [self] recorder, _, _ in
      recorder.write("computed \(names(view!))")
    }
    view = byRank(atLeast())
    observations.observeArray(view!) { [self] recorder, _, change in
      recorder.write("view \(names(change.elements))")
    }
    search.limit = 4
    XCTAssertEqual(recorder.takeEvents(), ["view ef", "limit ef", "derived ef", "computed ef"])
    withObservationTransaction { search.limit = 5 }
    XCTAssertEqual(recorder.events.filter { !$0.hasSuffix(" f") }, [])
    XCTAssertEqual(recorder.events.count, 4)
  }

  func test_C7_parameterSetByAnObserverOfTheView_isOneChainOfChanges() {
    let view = atLeast()
    let replay = ArrayReplay(view.elements)
    replay.follow(view, by: observations) { [search] _ in
      if search.limit < 5 { search.limit += 1 }
    }
    search.limit = 3
    XCTAssertEqual(names(view), "f")
    XCTAssertEqual(replay.changes.map { names($0.elements) }, ["def", "ef", "f"])
    XCTAssertEqual(replay.flaws, [])
  }

  func test_C8_parameterThatItsViewKeepsChanging_isReported_nextSetsAll() {
    let view = atLeast()
    let token = observations.observeArray(view) { [search] _, _, _ in
      search.limit = search.limit == 0 ? 1 : 0
    }
    let issues = collectingIssues { search.limit = 1 }
    XCTAssertFalse(issues.isEmpty)
    token.invalidate()
    search.limit = 4
    XCTAssertEqual(names(view), "ef")
    source.append(Tile("g", rank: 9))
    XCTAssertEqual(names(view), "efg")
  }

  func test_parameterInTheMutationOfAnElement_isFollowedAfterwards() {
    let view = atLeast()
    func change(_ rank: inout Int) {
      search.limit = 1
      XCTAssertEqual(names(view), "cdef")
      rank = 3
    }
    change(&tiles[0].rank)
    XCTAssertEqual(names(view), "abcdef")
  }

  // MARK: Lifetimes

  func test_object_isHeldWeakly_andTheViewKeepsItsLastValue() {
    weak var object: Search?
    let view = scoped {
      let search = Search()
      object = search
      let view = byRank(
        source.filtered(on: [\.rank], with: search, \.limit) { $0.rank >= $1 })
      search.limit = 4
      return view
    }
    XCTAssertNil(object)
    check(view, delivers: ["insertion +a0: aef"]) { tiles[0].rank = 4 }
    check(view, delivers: []) { tiles[1].rank = 3 }
  }

  func test_viewThatIsDropped_endsBothObservations_andReleasesItsClosure() {
    let closures = LifetimeCounter()
    assertLeavesNoObservations {
      var view: ObservableArray<Int>? = scoped {
        let ticket = closures.makeTicket()
        return source.filtered(on: [\.rank], with: search, \.limit) { tile, limit in
          withExtendedLifetime(ticket) { tile.rank >= limit }
        }.mapped(on: [], with: search, \.derived) { tile, factor in
          withExtendedLifetime(ticket) { tile.rank * factor }
        }
      }
      search.limit = 3
      XCTAssertEqual(view?.elements, [9, 12, 15])
      XCTAssertEqual(ObservationDispatcher.shared.observedKeyPaths(of: search).count, 2)
      weak let released = view
      view = nil
      XCTAssertNil(released)
      XCTAssertEqual(closures.count, 0)
      search.limit = 4
    }
  }

  func test_valueOfTheParameter_isReleasedWithTheNextOne() {
    final class Value {}
    final class Box { @Observed var value: Value? }
    let box = Box()
    weak var first: Value?
    let view = scoped {
      let value = Value()
      (first, box.value) = (value, value)
      return source.filtered(on: [], with: box, \.value) { _, value in value == nil }
    }
    XCTAssertNotNil(first)
    box.value = nil
    XCTAssertNil(first)
    XCTAssertEqual(view.count, 6)
  }
}
