import ObservationController
import TestSupport
import XCTest

/// `.prior` handlers of a path that reads the array run before an edit of a batch and may edit the
/// array: every observer receives all edits, once, as contiguous changes.
final class ArrayBatchAnnouncementTests: TestCase {
  func test_C7_twoEditsInAPriorHandler_insideABatch_areDelivered() {
    let shelf = TileShelf([Tile("a", rank: 1)])
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    var isFirst = true
    observations.observe(shelf, \.totalRank, options: [.old, .prior]) { recorder, shelf, change in
      recorder.write(change)
      guard change.isPrior, isFirst else { return }
      isFirst = false
      shelf.tiles[0] = shelf.tiles[0]
      shelf.tiles[0] = shelf.tiles[0]
    }
    shelf.tiles.performBatchUpdates { shelf.tiles[0] = Tile("b", rank: 2) }
    shelf.tiles.append(Tile("c", rank: 3))
    XCTAssertEqual(
      recorder.events, ["about to change from 1", "1 → 2", "about to change from 2", "2 → 5"])
  }

  func test_C9_arrayObservedByAPriorHandler_insideABatch_receivesTheEdit() {
    let shelf = TileShelf([Tile("a", rank: 1)])
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    observations.observe(shelf, \.totalRank, options: .prior) { recorder, shelf, change in
      guard change.isPrior, recorder.events.isEmpty else { return recorder.write(change) }
      shelf.tiles.append(Tile("b", rank: 2))
      observations.observeArray(shelf, \.tiles) { recorder, _, change in recorder.write(change) }
      recorder.write("observed")
    }
    shelf.tiles.performBatchUpdates { shelf.tiles.append(Tile("c", rank: 3)) }
    XCTAssertEqual(
      recorder.events, ["observed", "→ 3", "about to change from 3", "→ 6", "batch +c32: a1 b2 c3"])
    shelf.tiles.removeLast()
    XCTAssertEqual(
      recorder.events.suffix(3), ["about to change from 6", "→ 3", "removal -c32: a1 b2"])
  }

  func test_C11_transactionInsideABatch_notifiesPathsAtItsEnd() {
    let shelf = TileShelf([Tile("a", rank: 1)])
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    observations.observe(shelf, \.totalRank, options: .old) { recorder, _, change in
      recorder.write(change)
    }
    observations.observeArray(shelf, \.tiles) { recorder, _, change in recorder.write(change) }
    shelf.tiles.performBatchUpdates {
      withObservationTransaction {
        shelf.tiles.append(Tile("b", rank: 2))
        XCTAssertEqual(recorder.events, [])
      }
      XCTAssertEqual(recorder.events, ["1 → 3"])
      shelf.tiles.append(Tile("c", rank: 3))
    }
    XCTAssertEqual(recorder.events, ["1 → 3", "3 → 6", "batch +b21 +c32: a1 b2 c3"])
  }

  func test_everyActionOfPriorHandlers_insideABatch_keepsObserversConsistent() {
    var cases = Cases(quickOneOutOf: 7)
    for setting in Setting.allCases {
      for first in Action.allCases {
        for second in Action.allCases where cases.takesNext() {
          Run(setting, first, second).check()
        }
      }
    }
  }
}

/// An action of a handler, or of the batch itself.
private enum Action: CaseIterable {
  case nothing, read, editTwice, batch, observeArray, observePath, editAndObserve, replaceArray
  case replaceArrayAndEdit, replaceArrayAndTakeItBack, transaction, transactionWithObserver
}

/// The position of a batch: an edit before it and one after it.
private enum Setting: CaseIterable {
  case batch, batchWithObserver, inTransaction, aroundTransaction, aroundTransactionWithEdit
}

private final class Run {
  private let (setting, first, second): (Setting, Action, Action)
  private let shelf = TileShelf([Tile("a", rank: 1), Tile("b", rank: 2)])
  private var replays: [ArrayReplay<Tile>] = []
  private var totals: [Total] = []
  private lazy var observations = ObservationController(observer: self)

  init(_ setting: Setting, _ first: Action, _ second: Action) {
    (self.setting, self.first, self.second) = (setting, first, second)
  }

  /// Follows a path that reads the array, and records changes that are not contiguous.
  private final class Total {
    var value: Int
    var flaws: [String] = []

    init(_ value: Int) { self.value = value }

    func receive(_ change: ObservedChange<Int>) {
      // Before a change, the value last delivered is still stored.
      let known = change.isPrior ? change.newValue : change.oldValue
      if known != value { flaws.append("\(change), knew \(value)") }
      value = change.newValue
    }
  }

  func check() {
    observeArray()
    observePath { [unowned self] in perform(first) }
    let array = shelf.tiles
    switch setting {
    case .batch: array.performBatchUpdates(edit)
    case .batchWithObserver:
      array.performBatchUpdates {
        shelf.tiles[0] = Tile("x", rank: 10)
        observePath { [unowned self] in perform(second) }
        edit()
      }
    case .inTransaction: withObservationTransaction { array.performBatchUpdates(edit) }
    case .aroundTransaction:
      array.performBatchUpdates {
        withObservationTransaction(edit)
        shelf.tiles[0] = Tile("y", rank: 20)
      }
    case .aroundTransactionWithEdit:
      array.performBatchUpdates {
        shelf.tiles[0] = Tile("y", rank: 20)
        withObservationTransaction(edit)
        shelf.tiles[0] = Tile("z", rank: 30)
      }
    }
    assertConsistent("after the batch")
    array.append(Tile("l", rank: 40))
    shelf.tiles.append(Tile("m", rank: 50))
    assertConsistent("later")
  }

  private func edit() {
    shelf.tiles[0] = Tile("n", rank: 60)
    perform(second)
    shelf.tiles[0] = shelf.tiles[shelf.tiles.count - 1]
  }

  private func perform(_ act: Action) {
    switch act {
    case .nothing: break
    case .read: _ = shelf.totalRank
    case .editTwice: editTwice()
    case .batch: shelf.tiles.performBatchUpdates(editTwice)
    case .observeArray: observeArray()
    case .observePath: observePath {}
    case .editAndObserve:
      editTwice()
      observeArray()
      observePath {}
      editTwice()
    case .replaceArray: shelf.tiles = [shelf.tiles[0]]
    case .replaceArrayAndEdit:
      editTwice()
      shelf.tiles = [shelf.tiles[0]]
      editTwice()
    case .replaceArrayAndTakeItBack:
      let tiles = shelf.tiles
      shelf.tiles = [tiles[0]]
      observeArray()
      shelf.tiles = tiles
    case .transaction: withObservationTransaction(editTwice)
    case .transactionWithObserver:
      withObservationTransaction {
        editTwice()
        observeArray()
        observePath {}
        editTwice()
      }
    }
  }

  private func editTwice() {
    shelf.tiles.append(shelf.tiles[0])
    shelf.tiles[0] = Tile("e", rank: 70)
  }

  private func observeArray() {
    let replay = ArrayReplay(shelf.tiles.elements)
    replays.append(replay)
    observations.observeArray(shelf, \.tiles, context: nextContext) { replay.receive($2) }
  }

  private func observePath(then act: @escaping () -> Void) {
    let total = Total(shelf.totalRank)
    totals.append(total)
    var act: (() -> Void)? = act
    observations.observe(shelf, \.totalRank, options: [.old, .prior], context: nextContext) {
      _, _, change in
      total.receive(change)
      guard change.isPrior else { return }
      let next = act
      act = nil
      next?()
    }
  }

  /// A controller has one observation for each key path and context.
  private var nextContext: ObservationContext {
    ObservationContext("\(replays.count) \(totals.count)")
  }

  private func assertConsistent(_ time: String) {
    for replay in replays {
      XCTAssertEqual(replay.elements, shelf.tiles.elements, "\(self) \(time)")
      XCTAssertEqual(replay.flaws, [], "\(self) \(time)")
    }
    for total in totals {
      XCTAssertEqual(total.value, shelf.totalRank, "\(self) \(time)")
      XCTAssertEqual(total.flaws, [], "\(self) \(time)")
    }
  }
}

extension Run: CustomStringConvertible {
  var description: String { "\(setting), \(first), \(second)" }
}
