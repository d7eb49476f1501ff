import ObservationController

extension TileOperation {
  /// Every edit of an array of so many elements with every valid index and range.
  ///
  /// - Parameters:
  ///   - tiles: To insert and to remove; two or more.
  package static func all(count: Int, _ tiles: [Tile]) -> [TileOperation] {
    let several = [[], [tiles[0]], [tiles[1], tiles[0]]]
    let ranges = (0...count).flatMap { start in (start...count).map { start..<$0 } }
    var all: [TileOperation] = tiles.flatMap { [.append($0), .remove($0)] }
    all += several.flatMap { [.appendAll($0), .setElements($0), .removeTiles($0)] }
    for index in 0...count {
      all += tiles.map { .insert($0, at: index) }
      all.append(.insertAll(several[2], at: index))
    }
    for range in ranges {
      all.append(.removeSubrange(range))
      all += several.map { .replace(range, with: $0) }
    }
    all += [
      .insertAll([], at: count), .removeAll, .sort(isDescending: false), .sort(isDescending: true),
      .popLast, .add([]), .add(several[2]), .reverse, .shuffle(seed: 1), .shuffle(seed: 2),
      .partition(rank: 2), .partition(rank: 3),
    ]
    guard count > 0 else { return all }
    all += [.removeFirst, .removeLast]
    for index in 0..<count {
      all.append(.removeAt(index))
      all += tiles.map { .set(index, to: $0) }
      for other in 0..<count { all += [.swap(index, other), .move(from: index, to: other)] }
    }
    return all
  }

  /// Some of each kind, at both ends and in between.
  package static func some(count: Int, _ tiles: [Tile]) -> [TileOperation] {
    let middle = count / 2
    var some: [TileOperation] = [
      .append(tiles[0]), .insert(tiles[1], at: 0), .insertAll([tiles[0], tiles[1]], at: middle),
      .remove(tiles[1]), .removeAll, .sort(isDescending: true), .setElements([tiles[1], tiles[0]]),
      .popLast, .reverse, .shuffle(seed: 3), .partition(rank: 2),
    ]
    guard count > 0 else { return some }
    some += [
      .removeFirst, .removeAt(middle), .removeSubrange(middle..<count),
      .replace(0..<middle, with: [tiles[1]]), .replace(middle..<count, with: [tiles[0], tiles[1]]),
      .swap(0, count - 1), .move(from: 0, to: count - 1), .move(from: count - 1, to: middle),
      .set(middle, to: tiles[0]),
      .batch([.removeLast, .insert(tiles[0], at: 0)]),
    ]
    return some
  }

  /// Any edit but a batch of an array of so many elements, which has `limit` at most afterwards.
  package static func random(
    count: Int, limit: Int, _ tiles: [Tile], using generator: inout SeededGenerator
  ) -> TileOperation {
    func index(below end: Int) -> Int { .random(in: 0..<end, using: &generator) }
    let tile = tiles[index(below: tiles.count)]
    let many = (0..<index(below: 4)).map { _ in tiles[index(below: tiles.count)] }
    let choice = index(below: 100)
    if count >= limit || count > 0 && choice < 24 {
      let start = index(below: count)
      let range = start..<min(count, start + index(below: 5))
      let removals: [TileOperation] = [
        .removeAt(start), .removeLast, .removeFirst, .removeSubrange(range),
        .removeTiles(Array(tiles.prefix(3))), .remove(tile), .replace(range, with: many.dropLast()),
        .popLast,
      ]
      return choice == 0 ? .removeAll : removals[index(below: removals.count)]
    }
    switch choice {
    case 24..<28: return .setElements(many)
    case 28..<32: return .sort(isDescending: choice == 28)
    case 32..<35: return .reverse
    case 35..<38: return .partition(rank: index(below: 4))
    case 38..<41: return .shuffle(seed: UInt64(choice))
    case 41..<43: return .add(many)
    case 43..<45: return .append(tile)
    case 45..<50: return .insertAll(many, at: index(below: count + 1))
    case 50..<54: return .appendAll(many)
    case 54..<60 where count > 0: return .set(index(below: count), to: tile)
    case 60..<66 where count > 0: return .swap(index(below: count), index(below: count))
    case 66..<72 where count > 0: return .move(from: index(below: count), to: index(below: count))
    case 72..<88: return .setRank(tile, index(below: 4))
    case 88..<97: return .setShown(tile, index(below: 3) > 0)
    default: return .insert(tile, at: index(below: count + 1))
    }
  }
}
