import ObservationController

/// An element of an array changes its section, there and back: in a view by sections of 100
/// elements each, in groups, and with an observer of all sections.
///
/// `ObservedElements` is the same array, observed with its elements, and without a view.
enum SectionsTopic {
  static var comparisons: [Comparison] {
    [1_000, 1_000_000].flatMap { n in
      [
        changing("section", n) { cells, _ in [cells.sections(on: [\.number]) { $0.number }] },
        changing("section-observed", n) { cells, tally in
          let sections = cells.sections(on: [\.number]) { $0.number }
          let controller = ObservationController(observer: tally)
          controller.observeSections(sections) { tally, _, change in
            tally.sum &+= change.movedRows.count
          }
          return [sections, controller]
        },
        changing("group", n) { cells, _ in [cells.grouped(on: [\.number]) { $0.number }] },
      ]
    }
  }

  private static func changing(
    _ name: String, _ n: Int,
    _ view: @escaping (ObservableArray<ObservedCell>, Tally) -> [AnyObject]
  ) -> Comparison {
    var kept: (cells: [ObservedCell], tally: Tally, observers: [AnyObject])?
    var alone: (cells: [ObservedCell], tally: Tally, observers: [AnyObject])?
    return Comparison(
      "\(name)-\(n)", count: 10_000, duration: .forMeasuring(objects: n),
      [
        Workload(.elements) { count in
          let fixture =
            alone
            ?? {
              let (cells, tally) = (numberedCells(n), Tally())
              let list = ObservedList(cells, elements: [\.number], observedBy: tally)
              return (cells, tally, [list])
            }()
          alone = fixture
          return Run {
            changeSection(ofOneOf: fixture.cells, count)
          } isRight: {
            fixture.tally.sum > 0
          }
        },
        Workload(.observed) { count in
          let fixture =
            kept
            ?? {
              let (cells, tally) = (numberedCells(n), Tally())
              return (cells, tally, view(ObservableArray(cells), tally))
            }()
          kept = fixture
          return Run {
            changeSection(ofOneOf: fixture.cells, count)
          } isRight: {
            withExtendedLifetime(fixture) { name != "section-observed" || fixture.tally.sum > 0 }
          }
        },
      ])
  }

  private static func numberedCells(_ n: Int) -> [ObservedCell] {
    (0..<n).map { index in
      let cell = ObservedCell()
      cell.number = index / 100
      return cell
    }
  }
}

/// The element in the middle, again and again.
@inline(never)
private func changeSection(ofOneOf cells: [ObservedCell], _ count: Int) {
  let first = cells.count / 200
  for number in 0..<count { set(first + (number & 1), inCell: cells[cells.count / 2]) }
}
