import ObservationController
import OpenCombine

/// An object with an array, which is observed for as long as the object is there.
///
/// A handler adds to the tally how many cells the array has then. Only this library reports what
/// has changed: there it adds the number of entries of the change and the index of the first.
protocol CellList: AnyObject {
  associatedtype Element: Cell
  var count: Int { get }
  func append(_ cell: Element)
  func insertAtFront(_ cell: Element)
  func removeLast()

  /// Replaces as many cells from the front on, delivered as one change.
  func replaceFront(with cells: ArraySlice<Element>)

  func remove(_ range: Range<Int>)
}

final class PlainList: CellList {
  private var cells: [PlainCell]

  init(_ cells: [PlainCell]) {
    self.cells = cells
  }

  var count: Int { cells.count }
  func append(_ cell: PlainCell) { cells.append(cell) }
  func insertAtFront(_ cell: PlainCell) { cells.insert(cell, at: 0) }
  func removeLast() { cells.removeLast() }
  func replaceFront(with new: ArraySlice<PlainCell>) { cells.replaceFront(with: new) }
  func remove(_ range: Range<Int>) { cells.removeSubrange(range) }
}

final class DidSetList: CellList {
  private var handlers: [([PlainCell]) -> Void] = []
  private var cells: [PlainCell] {
    didSet {
      for handler in handlers { handler(cells) }
    }
  }

  init(_ cells: [PlainCell], observedBy tally: Tally) {
    self.cells = cells
    handlers = [{ cells in tally.sum &+= cells.count }]
  }

  var count: Int { cells.count }
  func append(_ cell: PlainCell) { cells.append(cell) }
  func insertAtFront(_ cell: PlainCell) { cells.insert(cell, at: 0) }
  func removeLast() { cells.removeLast() }
  func replaceFront(with new: ArraySlice<PlainCell>) { cells.replaceFront(with: new) }
  func remove(_ range: Range<Int>) { cells.removeSubrange(range) }
}

final class PublishedList: CellList {
  @Published private var cells: [PlainCell]
  private var sink: AnyCancellable?

  init(_ cells: [PlainCell], observedBy tally: Tally) {
    self.cells = cells
    sink = $cells.dropFirst().sink { cells in tally.sum &+= cells.count }
  }

  var count: Int { cells.count }
  func append(_ cell: PlainCell) { cells.append(cell) }
  func insertAtFront(_ cell: PlainCell) { cells.insert(cell, at: 0) }
  func removeLast() { cells.removeLast() }
  func replaceFront(with new: ArraySlice<PlainCell>) { cells.replaceFront(with: new) }
  func remove(_ range: Range<Int>) { cells.removeSubrange(range) }
}

/// An array observed with this library, with its elements too if it is given key paths.
final class ObservedList: CellList {
  let cells: ObservableArray<ObservedCell>
  private let controller: ObservationController<Tally>

  init(
    _ cells: [ObservedCell], elements: [PartialKeyPath<ObservedCell>] = [],
    observedBy tally: Tally
  ) {
    self.cells = ObservableArray(cells)
    controller = ObservationController(observer: tally)
    controller.observeArray(self.cells, elements: elements) { tally, _, change in
      // Once: each look makes another array.
      let entries = change.entries
      tally.sum &+= entries.count &+ (entries[0].newIndex ?? 0)
    }
  }

  var count: Int { cells.count }
  func append(_ cell: ObservedCell) { cells.append(cell) }
  func insertAtFront(_ cell: ObservedCell) { cells.insert(cell, at: 0) }
  func removeLast() { cells.removeLast() }
  func remove(_ range: Range<Int>) { cells.removeSubrange(range) }

  func replaceFront(with new: ArraySlice<ObservedCell>) {
    cells.performBatchUpdates {
      for (index, cell) in new.enumerated() { cells[index] = cell }
    }
  }
}

extension [PlainCell] {
  fileprivate mutating func replaceFront(with new: ArraySlice<PlainCell>) {
    for (index, cell) in new.enumerated() { self[index] = cell }
  }
}
