import ObservationController

/// The element of most arrays in these tests, which may occur several times.
package final class Tile: Hashable, CustomStringConvertible {
  package let letter: String
  @Observed package var rank: Int
  @Observed package var isShown = true

  /// Reads one property or two.
  package var weight: Int { isShown ? rank : -1 }

  package init(_ letter: String, rank: Int = 0) {
    self.letter = letter
    self.rank = rank
  }

  /// Tiles with the letters from a on.
  package static func row(ranks: [Int]) -> [Tile] {
    ranks.enumerated().map { number, rank in
      Tile(String(UnicodeScalar(UInt8(97 + number))), rank: rank)
    }
  }

  package var description: String { "\(letter)\(rank)\(isShown ? "" : "-")" }

  package static func == (left: Tile, right: Tile) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Sorts by few ranks, so that many tiles are equal.
  package static func isBefore(_ left: Tile, _ right: Tile) -> Bool { left.rank < right.rank }
}

/// Holds arrays as properties.
package final class TileShelf {
  @Observed package var tiles: ObservableArray<Tile>
  @Observed package var spares: [Tile] = []
  @Observed package var numbers: [Int] = []

  /// Reads the array, and a property of each tile.
  package var totalRank: Int { tiles.reduce(0) { $0 + $1.rank } }

  package init(_ tiles: [Tile] = []) {
    self.tiles = ObservableArray(tiles)
  }
}
