/// Changes of an array of 1 to 1,000,000 objects.
///
/// `ObservedElements` also follows a property of each element, which no other peer does.
enum ArraysTopic {
  static var comparisons: [Comparison] {
    (0...6).flatMap { exponent in
      let n = Int(pow10: exponent)
      return [
        editing(.append, "array-append", n, count: 200),
        editing(.insert, "array-insert", n, count: n < 100_000 ? 200 : 20),
      ]
    }
      + [1_000, 100_000, 1_000_000].flatMap {
        [
          editing(.replace, "array-batch", $0, count: 5),
          editing(.removeLast, "array-remove-last", $0, count: 200),
        ]
      }
  }

  private static func editing(_ edit: Edit, _ name: String, _ n: Int, count: Int) -> Comparison {
    Comparison(
      "\(name)-\(n)", count: count, isCountFixed: true, duration: .forMeasuring(objects: n),
      [
        editing(edit, .plain, n) { cells, _ in PlainList(cells) },
        editing(edit, .didSet, n) { DidSetList($0, observedBy: $1) },
        editing(edit, .observed, n) { ObservedList($0, observedBy: $1) },
        editing(edit, .elements, n) { ObservedList($0, elements: [\.number], observedBy: $1) },
      ]
        // Copies the array each time, which takes too long with a million.
        + (n > 100_000 ? [] : [editing(edit, .published, n) { PublishedList($0, observedBy: $1) }]))
  }

  private static func editing<List: CellList>(
    _ edit: Edit, _ peer: Peer, _ n: Int, _ make: @escaping ([List.Element], Tally) -> List
  ) -> Workload {
    // The array of the run before, which has been put back as it was: to make one of a million
    // observed elements takes longer than all that is measured with it.
    var kept: (list: List, tally: Tally)?
    return Workload(peer) { count in
      let tally = kept?.tally ?? Tally()
      let list = kept?.list ?? make((0..<n).map { _ in List.Element() }, tally)
      kept = (list, tally)
      let cells = (0..<edit.size * count).map { _ in List.Element() }
      edit.prepare(list, with: cells)
      tally.sum = 0
      return Run {
        edit.perform(on: list, with: cells)
      } isRight: {
        defer { list.remove(edit.added(to: n, count)) }
        return tally.sum == edit.tallied(by: peer, n, count)
          && list.count == n + edit.added(to: n, count).count
      }
    }
  }
}

/// A change of an array.
private enum Edit {
  case append

  /// At the front, which moves all elements.
  case insert

  /// The first 1,000 elements, or all if there are fewer, by others; delivered as one change.
  case replace

  case removeLast

  /// How many new elements one takes.
  var size: Int { self == .replace ? 1_000 : 1 }

  func prepare<List: CellList>(_ list: List, with cells: [List.Element]) {
    guard self == .removeLast else { return }
    for cell in cells { list.append(cell) }
  }

  func perform<List: CellList>(on list: List, with cells: [List.Element]) {
    switch self {
    case .append:
      for cell in cells { appendOne(cell, to: list) }
    case .insert:
      for cell in cells { insertOne(cell, into: list) }
    case .replace:
      for start in stride(from: 0, to: cells.count, by: size) {
        replaceAsOne(with: cells[start..<start + size], in: list)
      }
    case .removeLast:
      for _ in cells { removeOne(from: list) }
    }
  }

  /// Indices of the elements that `count` edits have added to `n`.
  func added(to n: Int, _ count: Int) -> Range<Int> {
    switch self {
    case .append: n..<n + count
    case .insert: 0..<count
    case .replace, .removeLast: 0..<0
    }
  }

  /// Sum that the handlers arrive at, see ``CellList``.
  func tallied(by peer: Peer, _ n: Int, _ count: Int) -> Int {
    switch peer {
    case .plain:
      0
    case .observed, .elements:
      switch self {
      case .append: (0..<count).reduce(0) { $0 + 1 + n + $1 }
      case .insert: count
      // One entry for what left and one for what came, the first of them at the front.
      case .replace: 2 * size * count
      // One entry, with no new index.
      case .removeLast: count
      }
    default:
      switch self {
      case .append, .insert: (1...count).reduce(0) { $0 + n + $1 }
      case .replace: n * count
      case .removeLast: (0..<count).reduce(0) { $0 + n + $1 }
      }
    }
  }
}

@inline(never)
private func appendOne<List: CellList>(_ cell: List.Element, to list: List) { list.append(cell) }

@inline(never)
private func insertOne<List: CellList>(_ cell: List.Element, into list: List) {
  list.insertAtFront(cell)
}

@inline(never)
private func replaceAsOne<List: CellList>(with cells: ArraySlice<List.Element>, in list: List) {
  list.replaceFront(with: cells)
}

@inline(never)
private func removeOne<List: CellList>(from list: List) { list.removeLast() }
