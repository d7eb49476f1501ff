import ObservationController

/// The model of transaction tests: numbers, texts, a link, arrays, and paths that read several of
/// them.
package final class Parcel {
  @Observed package var width = 1
  @Observed package var height = 2
  @Observed package var label = "box"
  @Observed package var note: String?
  @Observed package var layers: [Int] = []
  @Observed package var content: Parcel?
  @Observed package var stamps: ObservableArray<Stamp> = []
  @Observed package var spares: [Stamp] = []

  package init(width: Int = 1, height: Int = 2) {
    self.width = width
    self.height = height
  }

  /// Reads both numbers, one of them twice.
  package var area: Int { width * height + width * 0 }

  /// Reads both numbers by way of other paths.
  package var innerArea: Int { (content?.width ?? 0) * (content?.height ?? 0) }
}

/// An element of arrays.
package final class Stamp: CustomStringConvertible {
  package let letter: String
  @Observed package var price: Int

  package init(_ letter: String, price: Int = 1) {
    self.letter = letter
    self.price = price
  }

  package var description: String { letter }
}
