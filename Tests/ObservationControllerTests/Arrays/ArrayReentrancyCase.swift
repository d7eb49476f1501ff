import ObservationController
import TestSupport
import XCTest

/// Test case for handlers that edit the array being delivered.
///
/// Each observer replays its changes; every change has to apply to the array replayed so far.
class ArrayReentrancyCase: TestCase {
  let tiles = [Tile("a", rank: 3), Tile("b", rank: 2), Tile("c", rank: 1)]
  let new = [Tile("x"), Tile("y"), Tile("z")]
  lazy var array = ObservableArray(tiles)
  lazy var observations = ObservationController(observer: self)

  /// The observers and their changes, in order.
  let recorder = LineRecorder()
  var replays: [ArrayReplay<Tile>] = []

  override func tearDown() {
    startAgain()
  }

  /// Adds another observer, numbered from 1, which records and replays the changes of `array`.
  @discardableResult
  func observe(
    _ array: ObservableArray<Tile>? = nil, elements: [PartialKeyPath<Tile>] = [],
    then act: @escaping (ArrayChange<Tile>) -> Void = { _ in }
  ) -> ObservationToken {
    let array = array ?? self.array
    let replay = ArrayReplay<Tile>(array.elements, hasOld: elements.isEmpty)
    replays.append(replay)
    let number = replays.count
    return replay.follow(
      array, elements: elements, by: observations, context: ObservationContext("\(number)")
    ) { [unowned self] change in
      recorder.write("\(number) \(change.kind)")
      act(change)
    }
  }

  /// Calls `act` at the first of its calls only.
  func once(
    _ act: @escaping (ArrayChange<Tile>) -> Void
  ) -> (ArrayChange<Tile>) -> Void {
    var isFirst = true
    return { change in
      guard isFirst else { return }
      isFirst = false
      act(change)
    }
  }

  /// Checks all replays, and begins with an unobserved array.
  func startAgain() {
    for replay in replays { XCTAssertEqual(replay.flaws, []) }
    observations.unobserveAll()
    array = ObservableArray(tiles)
    recorder.clear()
    replays = []
  }

  func assertConsistent(file: StaticString = #filePath, line: UInt = #line) {
    for replay in replays {
      XCTAssertEqual(replay.elements, array.elements, file: file, line: line)
    }
  }
}

extension ArrayReplay {
  /// The values of element properties, in order.
  var values: [String] { changes.compactMap { $0.elementChange.map { "\($0)" } } }
}
