import ObservationController

/// Updating an array of 100,000 rows to others, compared with making one dictionary of their ids.
enum UpdatesTopic {
  static var comparisons: [Comparison] {
    UpdateKind.allCases.map { kind in
      Comparison("update-\(kind)", count: 20, isCountFixed: true, [ofIDs, updates(kind)])
    }
  }

  private static let count = 100_000

  private static var ofIDs: Workload {
    Workload(.plain) { times in
      let rows = Row.rows(count)
      let tally = Tally()
      return Run {
        for _ in 0..<times {
          let places = Dictionary(uniqueKeysWithValues: zip(rows.lazy.map(\.id), rows.indices))
          tally.sum += places.count
        }
      } isRight: {
        tally.sum == times * count
      }
    }
  }

  private static func updates(_ kind: UpdateKind) -> Workload {
    Workload(.observed) { times in
      let set = UpdateSet(count, kind)
      return Run {
        for time in 0..<times { set.update(isOdd: time % 2 == 0) }
      } isRight: {
        set.entries == times * kind.entries
      }
    }
  }
}

enum UpdateKind: CaseIterable {
  case same, moved, replaced

  /// The entries of each update.
  var entries: Int {
    switch self {
    case .same: 0
    case .moved: 10
    case .replaced: 20
    }
  }
}

struct Row: Identifiable {
  let id: Int
  var number = 0

  static func rows(_ n: Int) -> [Row] { (0..<n).map { Row(id: $0 &* 7_919) } }
}

/// An observed array, and two states between which it is updated.
final class UpdateSet: GrowthSet {
  private let tally = Tally()
  private let array: ObservableArray<Row>
  private let controller: ObservationController<Tally>
  private let even: [Row]
  private var odd: [Row]
  private let isEach: Bool

  init(_ n: Int, _ kind: UpdateKind, isEach: Bool = false) {
    even = Row.rows(n)
    odd = Row.rows(n)
    self.isEach = isEach
    array = ObservableArray(even)
    let places = isEach ? Array(odd.indices) : (0..<10).map { $0 * (n / 10) }
    switch kind {
    case .same: break
    case .moved: for place in places.reversed() { odd.append(odd.remove(at: place)) }
    case .replaced: for place in places { odd[place].number += 1 }
    }
    controller = ObservationController(observer: tally)
    controller.observeArray(array) { tally, _, change in tally.sum += change.entries.count }
  }

  static func replacingAll(_ n: Int) -> UpdateSet { UpdateSet(n, .replaced, isEach: true) }

  var entries: Int { tally.sum }

  func update(isOdd: Bool) { array.update(to: isOdd ? odd : even) }

  func updateOnce() { update(isOdd: true) }

  var isRight: Bool { tally.sum == (isEach ? 2 * even.count : 20) }
}
