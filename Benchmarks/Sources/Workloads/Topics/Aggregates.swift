import ObservationController

/// Changes of a property of the elements of an array that an aggregate follows, whose value is
/// observed.
///
/// `ObservedElements` is the same array, observed with its elements, and without an aggregate.
enum AggregatesTopic {
  static var comparisons: [Comparison] {
    [1_000, 1_000_000].flatMap { n in
      [
        changing("count", n) { $0.count(on: [\.number]) { !$0.number.isMultiple(of: 2) } },
        changing("sum", n) { $0.sum(of: \.number) },
        changing("min", n) { $0.min(of: \.number) },
        changing("max", n) { $0.max(of: \.number) },
      ]
    }
  }

  private static func changing<Value>(
    _ name: String, _ n: Int,
    _ aggregate: @escaping (ObservableArray<ObservedCell>) -> ObservableValue<Value>
  ) -> Comparison {
    var kept: (cells: [ObservedCell], tally: Tally, observers: [AnyObject])?
    var alone: (cells: [ObservedCell], tally: Tally, observers: [AnyObject])?
    return Comparison(
      "aggregate-\(name)-\(n)", count: 10_000, duration: .forMeasuring(objects: n),
      [
        Workload(.elements) { count in
          let fixture =
            alone
            ?? {
              let (cells, tally) = ((0..<n).map { _ in ObservedCell() }, Tally())
              let list = ObservedList(cells, elements: [\.number], observedBy: tally)
              return (cells, tally, [list])
            }()
          alone = fixture
          return Run {
            setNumbers(of: fixture.cells, count)
          } isRight: {
            fixture.tally.sum > 0
          }
        },
        Workload(.observed) { count in
          let fixture =
            kept
            ?? {
              let (cells, tally) = ((0..<n).map { _ in ObservedCell() }, Tally())
              let value = aggregate(ObservableArray(cells))
              let controller = ObservationController(observer: tally)
              controller.observe(value, \.value) { tally, _, _ in tally.sum &+= 1 }
              return (cells, tally, [value, controller])
            }()
          kept = fixture
          return Run {
            setNumbers(of: fixture.cells, count)
          } isRight: {
            withExtendedLifetime(fixture) { name == "min" || fixture.tally.sum > 0 }
          }
        },
      ])
  }
}

/// The element in the middle, again and again; the number is odd, then even.
@inline(never)
private func setNumbers(of cells: [ObservedCell], _ count: Int) {
  for number in 1...max(count, 1) { set(number, inCell: cells[cells.count / 2]) }
}
