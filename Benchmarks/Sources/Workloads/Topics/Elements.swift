/// Changes of a property of the elements of an array, which are delivered with the index.
///
/// `Observed` is the same property of objects that are observed one by one, and delivered without
/// an index.
enum ElementsTopic {
  static var comparisons: [Comparison] {
    (0...6).map { changingOne(of: Int(pow10: $0)) }
      + [1_000, 100_000, 1_000_000].flatMap { [changingEach(of: $0), changingMoved(of: $0)] }
  }

  /// The element in the middle, again and again.
  private static func changingOne(of n: Int) -> Comparison {
    Comparison(
      "array-element-\(n)", count: 10_000, duration: .forMeasuring(objects: n),
      [
        observedAlone(cells: 1),
        changing(n) { count in repeatElement(n / 2, count: count) },
      ])
  }

  /// One element after the other, all of them.
  private static func changingEach(of n: Int) -> Comparison {
    Comparison(
      "array-each-\(n)", count: max(10_000, n), isCountFixed: true,
      duration: .forMeasuring(objects: n),
      [
        observedAlone(cells: n),
        changing(n) { count in (0..<count).lazy.map { $0 % n } },
      ])
  }

  /// The element in the middle, after insertions that have moved the elements behind them.
  private static func changingMoved(of n: Int) -> Comparison {
    Comparison(
      "array-moved-\(n)", count: 10_000, duration: .forMeasuring(objects: n),
      [
        observedAlone(cells: 1),
        changing(n, insertions: 100) { count in repeatElement(n / 2, count: count) },
      ])
  }

  private static func observedAlone(cells n: Int) -> Workload {
    var kept: (cells: [ObservedCell], tally: Tally, observers: AnyObject)?
    return Workload(.observed) { count in
      let tally = kept?.tally ?? Tally()
      let cells = kept?.cells ?? (0..<n).map { _ in ObservedCell() }
      let observers = kept?.observers ?? ObservedCell.observe(cells, by: tally)
      kept = (cells, tally, observers)
      tally.sum = 0
      let before = cells.reduce(0) { $0 + $1.number }
      return Run {
        setNumbers(of: cells, at: (0..<count).lazy.map { $0 % n })
      } isRight: {
        tally.sum == cells.reduce(0) { $0 + $1.number } - before
      }
    }
  }

  /// - Parameters:
  ///   - insertions: How often a cell is inserted, at places that are spread over the array.
  ///   - indices: The elements to change, by their place before the insertions.
  private static func changing(
    _ n: Int, insertions: Int = 0, _ indices: @escaping (Int) -> some Sequence<Int>
  ) -> Workload {
    var kept: Fixture?
    return Workload(.elements) { count in
      let fixture = kept ?? Fixture(n, insertions: insertions)
      kept = fixture
      fixture.tally.sum = 0
      return Run {
        setNumbers(of: fixture.cells, at: indices(count))
      } isRight: {
        // Each handler adds the index, and 1 for the one entry of its change.
        fixture.tally.sum == indices(count).reduce(0) { $0 + fixture.places[$1] + 1 }
      }
    }
  }
}

/// An array whose elements are observed.
private final class Fixture {
  let tally = Tally()
  let cells: [ObservedCell]
  private let list: ObservedList

  /// Index of each cell in the array.
  let places: [Int]

  init(_ n: Int, insertions: Int) {
    cells = (0..<n).map { _ in ObservedCell() }
    list = ObservedList(cells, elements: [\.number], observedBy: tally)
    for insertion in 0..<insertions {
      list.cells.insert(ObservedCell(), at: insertion * n / insertions)
    }
    let indices = Dictionary(
      uniqueKeysWithValues: list.cells.enumerated().map { (ObjectIdentifier($1), $0) })
    places = cells.map { indices[ObjectIdentifier($0)]! }
  }
}

@inline(never)
private func setNumbers(of cells: [ObservedCell], at indices: some Sequence<Int>) {
  var number = 0
  for index in indices {
    number += 1
    set(number, inCell: cells[index])
  }
}
