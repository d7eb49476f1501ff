import ObservationController

/// Derived values: a chain of them, each of which reads the one before.
///
/// The cost of a node is the difference of two lengths.
enum DerivedTopic {
  static var comparisons: [Comparison] {
    [
      Comparison("derived-read", count: 20_000, [read]),
      Comparison("derived-validate-100", count: 1_000, [change(100, reaches: false)]),
      Comparison("derived-validate-200", count: 1_000, [change(200, reaches: false)]),
      Comparison("derived-compute-100", count: 1_000, [change(100, reaches: true)]),
      Comparison("derived-compute-200", count: 1_000, [change(200, reaches: true)]),
      Comparison("derived-observed-1", count: 2_000, [observe(1)]),
      Comparison("derived-observed-100", count: 1_000, [observe(100)]),
      Comparison(
        "derived-dirty", count: 20_000,
        [
          Workload(.alone) { setBeforeDirtyValues($0) },
          Workload(.observed) { setBeforeDirtyValues($0, besidePath: true) },
        ]),
    ]
  }

  private static var read: Workload {
    Workload(.observed) { count in
      let chain = DerivedLink.chain(of: 2)
      let last = chain.last!
      _ = last.value
      return Run {
        var sum = 0
        for _ in 0..<count { sum &+= last.value }
        chain[0].number = sum
      } isRight: {
        chain[0].number == count * 3
      }
    }
  }

  /// The beginning is set, and the end is read.
  ///
  /// - Parameter reaches: Whether the change reaches the end; if not, the second value ends it.
  private static func change(_ length: Int, reaches: Bool) -> Workload {
    Workload(.observed) { count in
      let chain = DerivedLink.chain(of: length)
      chain[0].mask = reaches ? -1 : 0
      let (first, last) = (chain[0], chain.last!)
      for link in chain { _ = link.value }
      return Run {
        for number in 1...count {
          first.number = number
          _ = last.value
        }
      } isRight: {
        withExtendedLifetime(chain) { last.value == length + (reaches ? count : 0) }
      }
    }
  }

  /// A property is set from which 5,000 values derive that nobody reads any more.
  ///
  /// - Parameter besidePath: Whether a path to an instance is observed, with its old value, which
  ///   reads other properties of the same graph.
  private static func setBeforeDirtyValues(_ count: Int, besidePath: Bool = false) -> Run {
    let sheet = WideSheet(columns: 5_000)
    for column in sheet.columns { _ = column.value }
    sheet.number = -1
    let tally = Tally()
    let controller = ObservationController(observer: tally)
    if besidePath {
      controller.observe(sheet, \.holder.link) { tally, _, change in
        tally.add(change.newValue.number, insteadOf: change.oldValue!.number)
      }
    }
    return Run {
      for number in 1...count { set(number, in: sheet) }
    } isRight: {
      // The path has been observed all the time.
      let next = ObservedLink()
      next.number = 1
      sheet.holder.link = next
      return withExtendedLifetime(controller) {
        tally.sum == (besidePath ? 1 : 0) && sheet.columns[2].value == count + 3
      }
    }
  }

  /// The beginning is set, and the end is observed.
  private static func observe(_ length: Int) -> Workload {
    Workload(.observed) { count in
      let chain = DerivedLink.chain(of: length)
      let first = chain[0]
      for link in chain { _ = link.value }
      let tally = Tally()
      let controller = ObservationController(observer: tally)
      controller.observe(chain.last!, \.value) { tally, _, change in
        tally.add(change.newValue, insteadOf: change.oldValue!)
      }
      return Run {
        for number in 2...count + 1 { first.number = number }
      } isRight: {
        withExtendedLifetime((chain, controller)) { tally.sum == count }
      }
    }
  }
}

/// Values that derive from one, and a path beside them that leads to an instance.
private final class WideSheet {
  final class Column {
    private unowned let sheet: WideSheet
    private let index: Int
    @Derived({ (column: Column) in column.sheet.base + column.index }) var value: Int

    init(_ sheet: WideSheet, _ index: Int) { (self.sheet, self.index) = (sheet, index) }
  }

  @Observed var number = 0
  @Observed var holder = ObservedHolder()
  /// Puts the number and what the path reads into one graph.
  @Derived({ (sheet: WideSheet) in sheet.number + sheet.holder.link.number }) var base: Int
  private(set) var columns: [Column] = []

  init(columns count: Int) { columns = (0..<count).map { Column(self, $0) } }
}

/// A link of a chain of derived values.
final class DerivedLink {
  @Observed var number = 1
  @Observed var mask = -1
  private let before: DerivedLink?
  @Derived({ (link: DerivedLink) in
    (link.before?.value ?? link.number & link.mask) + 1
  }) var value: Int

  init(_ before: DerivedLink?) { self.before = before }

  static func chain(of length: Int) -> [DerivedLink] {
    var chain: [DerivedLink] = []
    for _ in 0..<length { chain.append(DerivedLink(chain.last)) }
    return chain
  }
}

@inline(never)
private func set(_ number: Int, in sheet: WideSheet) { sheet.number = number }
