import ObservationController
import TestSupport
import XCTest

/// Live views with a parameter: what they deliver when it changes, alone or with other changes.
final class ViewParameterTests: ViewParameterCase {
  // MARK: Changes

  func test_filtered_parameterChanges_isOneBatchOfWhatComesAndLeaves() {
    let view = atLeast()
    XCTAssertEqual(names(view), "cdef")
    check(view, delivers: ["batch -c0 -d1: ef"]) { search.limit = 4 }
    check(view, delivers: ["batch +b0 +c1 +d2: bcdef"]) { search.limit = 1 }
    check(view, delivers: []) { search.limit = 1 }
    check(view, delivers: ["batch -b0 -c1 -d2 -e3 -f4: "]) { search.limit = 9 }
    check(view, delivers: []) { search.limit = 10 }
    let odd = source.filtered(on: [\.rank], with: search, \.limit) { $0.rank % 2 == $1 % 2 }
    check(odd, delivers: ["batch -a0 +b0 -c1 +d1 -e2 +f2: bdf"]) { search.limit = 11 }
  }

  func test_sorted_parameterChanges_isOneBatchOfMoves_asFewAsCanBe() {
    let view = byRank(source)
    check(view, delivers: ["batch b1→4 c2→3 d3→2 e4→1 f5→0: fedcba"]) {
      search.isDescending = true
    }
    check(view, delivers: []) { search.isDescending = true }
    let pivot = source.sorted(on: [\.rank], with: search, \.limit) { first, second, limit in
      (first.rank == limit ? -1 : first.rank) < (second.rank == limit ? -1 : second.rank)
    }
    XCTAssertEqual(names(pivot), "cabdef")
    check(pivot, delivers: ["batch c0→2: abcdef"]) {
      search.limit = 0
    }
    check(pivot, delivers: ["batch f5→0: fabcde"]) { search.limit = 5 }
  }

  func test_mapped_parameterChanges_replacesWhatCanBeToldApart() {
    let view = source.mapped(on: [\.rank], with: search, \.limit) { min($0.rank, $1) }
    XCTAssertEqual(view.elements, [0, 1, 2, 2, 2, 2])
    let replay = ArrayReplay(view.elements)
    replay.follow(view, by: observations)
    search.limit = 3
    XCTAssertEqual(replay.changes.map(\.kind), [.batch])
    XCTAssertEqual(replay.changes[0].entries.map(\.element), [2, 3, 2, 3, 2, 3])
    search.limit = 3
    XCTAssertEqual(replay.changes.count, 1)
    tiles[0].rank = 1
    source.append(Tile("g", rank: 9))
    XCTAssertEqual(replay.changes.map(\.kind), [.batch, .replacement, .insertion])
    XCTAssertEqual(view.elements, [1, 1, 2, 3, 3, 3, 3])
    XCTAssertEqual(replay.elements, view.elements)
    XCTAssertEqual(replay.flaws, [])
  }

  func test_mappedToObjects_parameterChanges_keepsThoseThatAreTheSame() {
    let images = tiles.map { ($0, Tile("x", rank: $0.rank)) }
    let view = source.mapped(on: [], with: search, \.limit) { tile, limit in
      tile.rank < limit ? tile : images[tile.rank].1
    }
    let before = view.elements
    search.limit = 3
    XCTAssertTrue(view[2] === tiles[2])
    XCTAssertEqual(view.indices.filter { view[$0] === before[$0] }, [0, 1, 3, 4, 5])
  }

  func test_window_parameterChanges_isTheSmallestBatch() {
    let view = source.window(with: search, \.page)
    XCTAssertEqual(names(view), "ab")
    check(view, delivers: ["batch -a0 +c1 +d2: bcd"]) { search.page = 1..<4 }
    check(view, delivers: ["batch -b0 -c1 -d2: "]) { search.page = 9..<12 }
    check(view, delivers: ["batch +e0 +f1: ef"]) { search.page = 4..<99 }
    check(view, delivers: ["insertion +g2: efg"]) { source.append(Tile("g")) }
    check(view, delivers: []) { search.page = 4..<7 }
  }

  func test_elementsThatStay_keepTheirIdentity_andTheirObservations() {
    let view = atLeast()
    let replay = ArrayReplay(view.elements)
    replay.follow(view, elements: [\.isShown], by: observations)
    search.limit = 4
    tiles[4].isShown = false
    tiles[2].isShown = false
    search.limit = 2
    tiles[2].isShown = true
    XCTAssertEqual(replay.changes.map(\.kind), [.batch, .element, .batch, .element])
    XCTAssertEqual(replay.elements, view.elements)
    XCTAssertEqual(replay.flaws, [])
  }

  func test_elementsAndEdits_areFollowedWithTheLatestParameter() {
    let view = atLeast()
    search.limit = 4
    check(view, delivers: ["insertion +a0: aef"]) { tiles[0].rank = 4 }
    check(view, delivers: ["insertion +g3: aefg"]) { source.append(Tile("g", rank: 4)) }
    check(view, delivers: []) { source.append(Tile("h", rank: 3)) }
    check(view, delivers: ["setting -a0 +i0 -e1 -f2 -g3: i"]) {
      source.setElements([Tile("i", rank: 4), Tile("j", rank: 3)])
    }
  }

  // MARK: Key paths

  func test_anyKeyPathThatCanBeObserved_isFollowed() {
    let inner = Search()
    search.inner = inner
    let ways: [(String, KeyPath<Search, Int>, (Int) -> Void)] = [
      ("stored", \.limit, { self.search.limit = $0 }),
      ("nested", \.inner!.limit, { inner.limit = $0 }),
      ("field", \.settings.limit, { self.search.settings.limit = $0 }),
      ("derived", \.derived, { self.search.limit = $0 }),
      ("computed", \.computed, { self.search.limit = $0 }),
      ("atomic", \.base, { self.search.base = $0 }),
    ]
    for (name, keyPath, set) in ways {
      set(2)
      let view = source.filtered(on: [\.rank], with: search, keyPath) { $0.rank >= $1 }
      XCTAssertEqual(names(view), "cdef", name)
      check(view, delivers: ["batch -c0: def"]) { set(3) }
      check(view, delivers: ["batch +b0 +c1: bcdef"]) { set(1) }
      check(view, delivers: []) { source.swapAt(0, 0) }
    }
  }

  func test_link_thatIsReplaced_isFollowed() {
    let (first, second) = (Search(), Search())
    second.limit = 4
    search.inner = first
    let view = source.filtered(on: [\.rank], with: search, \.inner?.limit) { $0.rank >= $1 ?? 9 }
    check(view, delivers: ["batch -c0 -d1: ef"]) { search.inner = second }
    check(view, delivers: []) { first.limit = 0 }
    check(view, delivers: ["batch -e0 -f1: "]) { search.inner = nil }
    check(view, delivers: ["batch +a0 +b1 +c2 +d3 +e4 +f5: abcdef"]) { search.inner = first }
  }

  func test_keyPathThatReadsNothingObservable_isReported_andValueKept() {
    var view: ObservableArray<Tile>?
    let issues = collectingIssues {
      view = source.filtered(on: [\.rank], with: search, \.constant) { $0.rank >= $1 }
    }
    guard case .nothingObservable(\Search.constant, #fileID, _)? = issues.first, issues.count == 1
    else { return XCTFail("\(issues)") }
    XCTAssertEqual(view.map(names), "cdef")
    tiles[0].rank = 7
    XCTAssertEqual(view.map(names), "acdef")
  }

  func test_parameterThatIsMutatedInPlace_isOneChange() {
    let view = source.filtered(on: [\.rank], with: search, \.terms) { $1.contains($0.rank) }
    check(view, delivers: ["batch -b0 +e0 -c1 +f1: ef"]) {
      search.terms.withUnsafeMutableBufferPointer { terms in
        terms[0] = 4
        terms[1] = 5
      }
    }
    check(view, delivers: ["batch +a0: aef"]) { search.terms.append(0) }
  }

  func test_parameterOnAnotherThread_isFollowedThere() {
    let view = source.filtered(on: [\.rank], with: search, \.base) { $0.rank >= $1 }
    nonisolated(unsafe) let search = search
    onAnotherThread { search.base = 5 }
    XCTAssertEqual(names(view), "f")
  }

  // MARK: Together with other changes

  func test_transactionOfParameterAndElements_isOneChange() {
    let view = atLeast()
    let sorted = byRank(view)
    check(view, delivers: ["batch -c0 +a0 -d1 +g3: aefg"]) {
      withObservationTransaction {
        tiles[0].rank = 8
        search.limit = 4
        source.append(Tile("g", rank: 5))
      }
    }
    XCTAssertEqual(names(sorted), "efga")
    check(sorted, delivers: ["batch f1→2 g2→1 a3→0: agfe"]) {
      withObservationTransaction {
        search.isDescending = true
        tiles[5].rank = 5
        source.swapAt(5, 6)
      }
    }
  }

  func test_transactionThatChangesTheParameterBack_deliversNothing() {
    let view = atLeast()
    check(view, delivers: []) {
      withObservationTransaction {
        search.limit = 5
        search.limit = 2
      }
    }
  }

  func test_parameterInABatchOfTheSource_isFollowedAtItsEnd() {
    let view = atLeast()
    check(view, delivers: ["batch -c0 +g0 -d1: gef"]) {
      source.performBatchUpdates {
        search.limit = 4
        source.insert(Tile("g", rank: 4), at: 0)
        XCTAssertEqual(names(view), "cdef")
      }
    }
  }

  func test_viewsOfViews_withTheSameParameter_makeOneChangeEach() {
    let first = atLeast()
    let second = first.filtered(on: [\.rank], with: search, \.limit) { $0.rank <= $1 + 1 }
    let third = byRank(second)
    XCTAssertEqual(names(third), "cd")
    let seen = LineRecorder()
    observations.observeArray(first) { [self] _, _, _ in seen.write(names(second) + names(third)) }
    check(second, delivers: ["batch -c0 +e0 -d1 +f1: ef"]) {
      search.limit = 4
    }
    XCTAssertEqual(seen.events, ["efef"])
    check(third, delivers: ["replacement -e0 +c0 -f1 +d1: cd"]) {
      search.limit = 2
    }
    XCTAssertEqual(seen.takeEvents().last, "cdcd")
  }
}
