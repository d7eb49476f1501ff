import ObservationController

/// Values of expressions, compared with computed paths and with derived values.
enum ExpressionsTopic {
  static var comparisons: [Comparison] {
    [
      Comparison("expression-two", count: 2_000, [expression]),
      Comparison("autorun-two", count: 2_000, [autorun]),
      Comparison("expression-thousand", count: 40, [thousandExpressions, thousandValues]),
      Comparison("derived-read-tracked", count: 20_000, [readTracked]),
    ]
  }

  /// An expression of two properties, of two objects, one of which is set.
  private static var expression: Workload {
    Workload(.observed) { count in
      let (object, other) = (ObservedLink(), ObservedLink())
      let tally = Tally()
      let controller = ObservationController(observer: tally)
      controller.observe {
        object.number + other.number
      } handler: { tally, change in
        tally.add(change.newValue, insteadOf: change.oldValue!)
      }
      return Run {
        setNumbers(of: object, count)
      } isRight: {
        withExtendedLifetime((controller, other)) { tally.sum == count }
      }
    }
  }

  private static var autorun: Workload {
    Workload(.observed) { count in
      let (object, other) = (ObservedLink(), ObservedLink())
      let tally = Tally()
      let controller = ObservationController(observer: tally)
      controller.autorun { tally in tally.sum = object.number + other.number }
      return Run {
        setNumbers(of: object, count)
      } isRight: {
        withExtendedLifetime((controller, other)) { tally.sum == count }
      }
    }
  }

  private static var thousandExpressions: Workload {
    Workload(.observed) { count in
      let object = ObservedLink()
      let tally = Tally()
      let controller = ObservationController(observer: tally)
      for index in 0..<1_000 {
        controller.observe {
          object.number + index
        } handler: { tally, change in
          tally.add(change.newValue, insteadOf: change.oldValue!)
        }
      }
      return Run {
        setNumbers(of: object, count)
      } isRight: {
        withExtendedLifetime(controller) { tally.sum == 1_000 * count }
      }
    }
  }

  /// As many derived properties, each observed by its key path.
  private static var thousandValues: Workload {
    Workload(.alone) { count in
      let object = ObservedLink()
      let tally = Tally()
      let controller = ObservationController(observer: tally)
      let values = (0..<1_000).map { ShiftedNumber(object, by: $0) }
      for value in values {
        controller.observe(value, \.number) { tally, _, change in
          tally.add(change.newValue, insteadOf: change.oldValue!)
        }
      }
      return Run {
        setNumbers(of: object, count)
      } isRight: {
        withExtendedLifetime((controller, values)) { tally.sum == 1_000 * count }
      }
    }
  }

  /// A clean value that Observation would track, while nothing is tracked.
  private static var readTracked: Workload {
    Workload(.observed) { count in
      let object = ObservedLink()
      object.number = 3
      let value = ObservableValue { object.number }
      _ = value.value
      var sum = 0
      return Run {
        for _ in 0..<count { sum &+= value.value }
      } isRight: {
        sum == count * 3
      }
    }
  }
}

private final class ShiftedNumber {
  private let link: ObservedLink
  private let distance: Int
  @Derived({ (shifted: ShiftedNumber) in shifted.link.number + shifted.distance })
  var number: Int

  init(_ link: ObservedLink, by distance: Int) { (self.link, self.distance) = (link, distance) }
}

@inline(never)
private func set(_ number: Int, of link: ObservedLink) { link.number = number }

@inline(never)
private func setNumbers(of link: ObservedLink, _ count: Int) {
  for number in stride(from: 1, through: count, by: 1) { set(number, of: link) }
}
