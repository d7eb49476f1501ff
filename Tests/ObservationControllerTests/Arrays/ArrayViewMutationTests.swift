import ObservationController
import TestSupport
import XCTest

/// Arrays and live views that follow a property of elements while that is mutated in place: nothing
/// may read it then.
final class ArrayViewMutationTests: TestCase {
  private struct Stats {
    var wins = 0

    mutating func win() { win {} }

    mutating func win(_ body: () throws -> Void) rethrows {
      wins += 1
      try body()
      wins += 10
    }
  }

  private final class Player: CustomStringConvertible {
    @Observed var stats: Stats
    @Observed var rank = 0
    let name: String
    @Derived({ (player: Player) in player.stats.wins * 2 }) var score: Int

    init(_ name: String, _ wins: Int) {
      stats = Stats(wins: wins)
      self.name = name
    }

    var total: Int { stats.wins + rank }
    var description: String { "\(name)\(stats.wins)" }
  }

  private struct Stop: Error {}

  private let (ada, grace, alan) = (Player("ada", 1), Player("grace", 5), Player("alan", 3))
  private lazy var players = ObservableArray([ada, grace])
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private typealias View = ObservableArray<Player>

  /// Views that show all players, each in its way.
  private func views() -> [(name: String, view: View, isSorted: Bool)] {
    let on: [(String, PartialKeyPath<Player>, (Player) -> Int)] = [
      ("stats", \.stats, { $0.stats.wins }), ("total", \.total, { $0.total }),
      ("score", \.score, { $0.score }),
    ]
    return on.flatMap { name, keyPath, value in
      let filtered = players.filtered(on: [keyPath]) { value($0) >= 0 }
      let sorted = players.sorted(on: [keyPath]) { value($0) < value($1) }
      let mapped = players.mapped(on: [keyPath]) { value($0) < 0 ? nil : $0 }
        .mapped(on: []) { $0! }
      return [
        ("filtered \(name)", filtered, false), ("sorted \(name)", sorted, true),
        ("mapped \(name)", mapped, false),
        ("sorted filtered \(name)", filtered.sorted(on: [keyPath]) { value($0) < value($1) }, true),
        ("filtered sorted \(name)", sorted.filtered(on: [keyPath]) { value($0) >= 0 }, true),
      ]
    }
  }

  /// Runs `edit` inside of a mutation of ada's stats, with each view, and compares the views then.
  private func check(line: UInt = #line, _ edit: (View) -> Void) {
    for index in 0..<views().count {
      players = ObservableArray([ada, grace])
      (ada.stats, grace.stats, alan.stats) = (Stats(wins: 1), Stats(wins: 5), Stats(wins: 3))
      (ada.rank, grace.rank, alan.rank) = (0, 0, 0)
      let (name, view, isSorted) = views()[index]
      var replayed = Array(view)
      let token = observations.observeArray(view) { _, _, change in
        replayed = change.applying(to: replayed)
      }
      ada.stats.win { edit(players) }
      token.invalidate()
      XCTAssertEqual(replayed.map(\.name), view.map(\.name), name, line: line)
      let expected = isSorted ? players.sorted { $0.stats.wins < $1.stats.wins } : Array(players)
      XCTAssertEqual(view.map(\.name), expected.map(\.name), name, line: line)
      // Everything goes on.
      ada.stats.wins = 4
      grace.stats.win()
      players.append(Player("late", 2))
      let after = isSorted ? players.sorted { $0.stats.wins < $1.stats.wins } : Array(players)
      XCTAssertEqual(view.map(\.name), after.map(\.name), name, line: line)
    }
  }

  func test_appendInAMutation_isFollowedAfterwards() {
    check { $0.append(alan) }
  }

  func test_insertionInAMutation_isFollowedAfterwards() {
    check { $0.insert(contentsOf: [alan, Player("x", 0), Player("y", 9)], at: 0) }
  }

  func test_replacementInAMutation_isFollowedAfterwards() {
    check { $0[1] = alan }
    check { $0[0] = alan }
  }

  func test_removalOfTheMutatedElement_isFollowedAfterwards() {
    check { $0.remove(at: 0) }
    check { $0.removeAll() }
  }

  func test_mutatedElementThatLeavesAndComesBack_isFollowed() {
    check { players in
      players.remove(at: 0)
      players.append(ada)
    }
    check { players in players.append(ada) }
  }

  func test_moveAndOrderInAMutation_areFollowedAfterwards() {
    check { $0.swapAt(0, 1) }
    check { $0.reverse() }
  }

  func test_settingInAMutation_isFollowedAfterwards() {
    check { $0.setElements([alan, ada]) }
    check { $0.setElements([alan]) }
  }

  func test_batchInAMutation_isFollowedAfterwards() {
    check { players in
      players.performBatchUpdates {
        players.append(alan)
        grace.stats.wins = 0
        players.swapAt(0, 2)
      }
    }
  }

  func test_transactionInAMutation_isFollowedAfterwards() {
    check { players in
      withObservationTransaction {
        players.append(alan)
        grace.stats.win()
      }
    }
  }

  func test_changesOfOtherElementsInAMutation_areFollowedAfterwards() {
    check { players in
      grace.stats.win()
      grace.rank = -4
      grace.rank = 0
    }
  }

  func test_mutationInAMutation_isFollowedAfterBoth() {
    check { players in
      grace.stats.win { players.append(alan) }
      players.append(Player("x", 2))
    }
  }

  func test_mutationInATransaction_isFollowed() {
    let view = players.sorted(on: [\.stats]) { $0.stats.wins < $1.stats.wins }
    withObservationTransaction {
      ada.stats.win { players.append(alan) }
    }
    XCTAssertEqual(view.map(\.name), ["alan", "grace", "ada"])
  }

  func test_mutationThatThrows_isFollowed() {
    let view = players.sorted(on: [\.stats]) { $0.stats.wins < $1.stats.wins }
    XCTAssertThrowsError(
      try ada.stats.win {
        players.append(alan)
        throw Stop()
      })
    XCTAssertEqual(view.map(\.name), ["ada", "alan", "grace"])
  }

  func test_viewIsUpToDate_whenObserversOfTheMutationAreNotified() {
    let view = players.sorted(on: [\.stats]) { $0.stats.wins < $1.stats.wins }
    observations.observe(ada, \.stats) { recorder, _, _ in recorder.write("stats \(view)") }
    observations.observeArray(players, elements: [\.stats]) { recorder, _, change in
      recorder.write("\(change.kind)")
    }
    ada.stats.win { players.append(alan) }
    XCTAssertEqual(
      recorder.events, ["insertion", "stats [alan3, grace5, ada12]", "element"])
  }

  func test_viewOfAnotherProperty_isUpToDateAtOnce() {
    let view = players.sorted(on: [\.rank]) { $0.rank < $1.rank }
    alan.rank = -1
    ada.stats.win {
      players.append(alan)
      XCTAssertEqual(view.map(\.name), ["alan", "ada", "grace"])
    }
  }

  func test_elementThatComesInItsOwnMutation_isFollowed() {
    for keyPath in [\Player.stats, \.total] as [PartialKeyPath<Player>] {
      let token = observations.observeArray(players, elements: [keyPath]) { recorder, _, change in
        recorder.write("\(change.kind) \(change.entries.map(\.element.name))")
      }
      ada.stats.win {
        players.remove(at: 0)
        players.append(ada)
      }
      ada.stats.wins = 2
      XCTAssertEqual(
        recorder.takeEvents(), ["removal [\"ada\"]", "insertion [\"ada\"]", "element [\"ada\"]"])
      token.invalidate()
      players.reverse()
    }
  }

  func test_observationThatEndsInAMutation_isReleased() {
    weak var object: Player?
    var view: View? = players.sorted(on: [\.stats]) { [alan] in
      object = alan
      return $0.stats.wins < $1.stats.wins
    }
    weak let released = view
    ada.stats.win {
      players.append(alan)
      XCTAssertEqual(view?.count, 2)
      view = nil
    }
    XCTAssertNil(released)
    XCTAssertNotNil(object)
    players.append(Player("x", 2))
  }

  func test_mutationThatAwaits_isFollowedOnAnyThread() async {
    let view = players.sorted(on: [\.stats]) { $0.stats.wins < $1.stats.wins }
    func fill(_ stats: inout Stats) async {
      players.append(alan)
      await Task.yield()
      stats.wins = 20
    }
    await fill(&ada.stats)
    XCTAssertEqual(view.map(\.name), ["alan", "grace", "ada"])
  }
}
