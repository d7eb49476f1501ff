import ObservationController

/// One edit, of an `ObservableArray` and of the array that models it.
package indirect enum TileOperation {
  case append(Tile)
  case appendAll([Tile])
  case insert(Tile, at: Int)
  case insertAll([Tile], at: Int)
  case removeAt(Int)
  case removeLast
  case removeFirst
  case removeSubrange(Range<Int>)
  case removeAll
  case removeTiles([Tile])
  case remove(Tile)
  case replace(Range<Int>, with: [Tile])
  case swap(Int, Int)
  case move(from: Int, to: Int)
  case popLast
  case add([Tile])
  case sort(isDescending: Bool)
  case reverse
  case shuffle(seed: UInt64)
  case partition(rank: Int)
  case setElements([Tile])
  case set(Int, to: Tile)
  case setRank(Tile, Int)
  case setShown(Tile, Bool)
  case batch([TileOperation])
}

extension TileOperation {
  package typealias Kind = ArrayChange<Tile>.Kind

  /// Edits `array`, and asserts nothing.
  ///
  /// - Returns: The kind of the one change that observers receive, and the array after it, unless a
  /// handler edits it; no kind if there is no change.
  @discardableResult
  package func perform(on array: ObservableArray<Tile>) -> (kind: Kind?, elements: [Tile]) {
    var model = array.elements
    guard case .batch(let operations) = self else {
      let kind = edit(&model)
      edit(array)
      return (kind, model)
    }
    var isEdited = false
    array.performBatchUpdates {
      for operation in operations {
        let result = operation.perform(on: array)
        if result.kind != nil { isEdited = true }
        model = result.elements
      }
    }
    return (isEdited ? .batch : nil, model)
  }

  private func edit(_ array: ObservableArray<Tile>) {
    switch self {
    case .append(let tile): array.append(tile)
    case .appendAll(let tiles): array.append(contentsOf: tiles)
    case .insert(let tile, let index): array.insert(tile, at: index)
    case .insertAll(let tiles, let index): array.insert(contentsOf: tiles, at: index)
    case .removeAt(let index): array.remove(at: index)
    case .removeLast: array.removeLast()
    case .removeFirst: array.removeFirst()
    case .removeSubrange(let range): array.removeSubrange(range)
    case .removeAll: array.removeAll()
    case .removeTiles(let tiles): array.removeAll { tiles.contains($0) }
    case .remove(let tile): array.remove(tile)
    case .replace(let range, let tiles): array.replaceSubrange(range, with: tiles)
    case .swap(let first, let second): array.swapAt(first, second)
    case .move(let source, let destination): array.move(from: source, to: destination)
    case .popLast: array.popLast()
    case .add(let tiles): array += tiles
    case .sort(let isDescending): array.sort(by: Self.order(isDescending))
    case .reverse: array.reverse()
    case .shuffle(let seed):
      var generator = SeededGenerator(seed: seed)
      array.shuffle(using: &generator)
    case .partition(let rank): array.partition { $0.rank < rank }
    case .setElements(let tiles): array.setElements(tiles)
    // Every other one in place.
    case .set(let index, let tile) where index.isMultiple(of: 2): array[index] = tile
    case .set(let index, let tile): assign(tile, to: &array[index])
    case .setRank(let tile, let rank) where rank.isMultiple(of: 2): tile.rank = rank
    case .setRank(let tile, let rank): assign(rank, to: &tile.rank)
    case .setShown(let tile, let isShown): tile.isShown = isShown
    case .batch: break
    }
  }

  private func assign<Value>(_ new: Value, to place: inout Value) { place = new }

  private func edit(_ model: inout [Tile]) -> Kind? {
    let before = model
    switch self {
    case .append(let tile): model.append(tile)
    case .appendAll(let tiles), .add(let tiles): model += tiles
    case .insert(let tile, let index): model.insert(tile, at: index)
    case .insertAll(let tiles, let index): model.insert(contentsOf: tiles, at: index)
    case .removeAt(let index): model.remove(at: index)
    case .removeLast: model.removeLast()
    case .removeFirst: model.removeFirst()
    case .removeSubrange(let range): model.removeSubrange(range)
    case .removeAll: model = []
    case .removeTiles(let tiles): model.removeAll { tiles.contains($0) }
    case .remove(let tile): model.removeAll { $0 === tile }
    case .replace(let range, let tiles):
      model.replaceSubrange(range, with: tiles)
      guard !range.isEmpty || !tiles.isEmpty else { return nil }
      return range.isEmpty ? .insertion : tiles.isEmpty ? .removal : .replacement
    case .swap(let first, let second):
      model.swapAt(first, second)
      return first == second ? nil : .move
    case .move(let source, let destination):
      model.insert(model.remove(at: source), at: destination)
      return source == destination ? nil : .move
    case .sort(let isDescending):
      let areInOrder = Self.order(isDescending)
      // Stable, as the library promises and the standard library does not.
      model = model.enumerated().sorted {
        areInOrder($0.element, $1.element)
          || $0.offset < $1.offset && !areInOrder($1.element, $0.element)
      }.map(\.element)
      let isSorted = zip(before, before.dropFirst()).allSatisfy { !areInOrder($1, $0) }
      return isSorted ? nil : .move
    case .popLast: _ = model.popLast()
    case .reverse: return Self.reorder(&model) { $0.reverse() }
    case .shuffle(let seed):
      return Self.reorder(&model) { order in
        var generator = SeededGenerator(seed: seed)
        order.shuffle(using: &generator)
      }
    case .partition(let rank):
      return Self.reorder(&model) { order in
        _ = order.partition { before[$0].rank < rank }
      }
    case .setElements(let tiles):
      model = tiles
      return .setting
    case .set(let index, let tile):
      model[index] = tile
      return .replacement
    case .setRank, .setShown, .batch: return nil
    }
    return model.count == before.count ? nil : model.count > before.count ? .insertion : .removal
  }

  /// Sorts the elements by their indices, also where a tile occurs twice.
  private static func reorder(_ model: inout [Tile], _ body: (inout [Int]) -> Void) -> Kind? {
    var order = Array(model.indices)
    body(&order)
    defer { model = order.map { [model] in model[$0] } }
    return order == Array(model.indices) ? nil : .move
  }

  private static func order(_ isDescending: Bool) -> (Tile, Tile) -> Bool {
    { isDescending ? Tile.isBefore($1, $0) : Tile.isBefore($0, $1) }
  }
}
