import ObservationController
import TestSupport
import XCTest

/// Observing lists of sections that are no views by sections, and handlers that never come to rest.
final class SectionListTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)
  private let tiles = Tile.row(ranks: [2, 0, 2, 1])
  private lazy var source = ObservableArray(tiles)
  private lazy var sections = source.sections(on: [\.rank]) { $0.rank }

  func test_listOfSections_thatIsSetAnew_keepsThoseThatStay() {
    let list = ObservableArray([sections[0], sections[1]])
    let replay = SectionReplay(of: list) { $0.isShown ? 1 : 0 }
    observations.observeSections(list, elements: [\.isShown]) { recorder, _, change in
      replay.receive(change)
      recorder.append("\(change)")
    }
    list.setElements([sections[2], sections[0]])
    XCTAssertEqual(recorder.takeEvents(), ["removed sections 1, inserted sections 0"])
    tiles[0].rank = 0
    XCTAssertEqual(recorder.takeEvents(), ["moved rows 0.0→1.0, changed rows 1.0"])
    list.setElements(list.elements)
    XCTAssertEqual(recorder.takeEvents(), [])
    list.swapAt(0, 1)
    XCTAssertEqual(recorder.takeEvents().count, 1)
    tiles[2].isShown = false
    XCTAssertEqual(recorder.takeEvents(), ["changed rows 1.0"])
    XCTAssertTrue(replay.isDrawn)
    XCTAssertEqual(replay.flaws, [])
  }

  func test_listThatHasASectionTwice_changesInBothPlaces() {
    let list = ObservableArray([sections[2], sections[0], sections[2]])
    observations.observeSections(list, elements: [\.rank]) { recorder, _, change in
      recorder.append("\(change)")
    }
    withObservationTransaction { source.append(Tile("e", rank: 2)) }
    XCTAssertEqual(recorder.takeEvents(), ["inserted rows 0.2 2.2"])
    list.removeLast()
    XCTAssertEqual(recorder.takeEvents(), ["removed sections 2"])
    source.removeLast()
    XCTAssertEqual(recorder.takeEvents(), ["removed rows 0.2"])
  }

  func test_C8_handlerThatChangesSectionsForEver_isStopped_andUpToDate() {
    let last = SectionReplay(of: sections) { $0.isShown ? 1 : 0 }
    let issues = collectingIssues {
      observations.observeSections(sections, context: "first") { [tiles] _, _, _ in
        tiles[0].rank = 1 - tiles[0].rank % 2
      }
      observations.observeSections(sections, context: "last") { _, _, change in
        last.receive(change)
      }
      tiles[0].rank = 1
    }
    guard case .cycle? = issues.first else { return XCTFail("\(issues)") }
    XCTAssertEqual(last.flaws, [])
    XCTAssertEqual(last.sections.map(\.key), sections.map(\.key))
    XCTAssertEqual(last.sections.map(\.elements), sections.map(\.elements.elements))
  }
}
