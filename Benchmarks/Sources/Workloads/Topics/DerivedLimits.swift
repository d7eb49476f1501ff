import Foundation
import ObservationController

/// Memory and stack that derived values need, and two graphs on two threads.
enum DerivedLimitsTopic {
  static var comparisons: [Comparison] {
    [
      Comparison("derived-bytes", count: 10_000, isCountFixed: true, measures: [.bytes], [bytes]),
      Comparison("derived-stack", count: 1_000, isCountFixed: true, measures: [.bytes], [stack]),
      Comparison("chain-20000", count: 4, isCountFixed: true, [chain(20_000)]),
      Comparison("derived-order-200", count: 1, isCountFixed: true, [order(200)]),
      Comparison("derived-order-400", count: 1, isCountFixed: true, [order(400)]),
      Comparison(
        "derived-threads", count: 20_000, isCountFixed: true, duration: .seconds(5),
        [1, 2].flatMap { [ThreadsTopic.setting(DidSetModel.self, .didSet, $0), graphs($0)] }),
    ]
  }

  /// Bytes that the first reading of a derived value leaves allocated, subjects of its two
  /// dependencies included.
  private static var bytes: Workload {
    Workload(.observed) { count in
      // Allocations made once for all values.
      _ = DerivedPair().sum
      let pairs = (0..<count).map { _ in DerivedPair() }
      return Run {
        for pair in pairs { _ = pair.sum }
      } isRight: {
        pairs.allSatisfy { $0.sum == 3 }
      }
    }
  }

  /// The stack that each value takes of a chain which is read for the first time, at the end.
  private static var stack: Workload {
    Workload(.observed) { count in
      let depth = Depth()
      var chain = [DeepLink(depth, nil)]
      for _ in 1..<count { chain.append(DeepLink(depth, chain.last)) }
      return Run {
        onThread(withStack: 8 << 20) { [last = Unchecked(chain.last!)] in _ = last.value.value }
      } isRight: {
        chain.last!.value == count
      } bytes: {
        Int(depth.highest - depth.lowest)
      }
    }
  }

  /// A chain that is read from its beginning and observed at its end, on a thread with little
  /// stack.
  private static func chain(_ length: Int) -> Workload {
    Workload(.observed) { count in
      let tally = Tally()
      return Run {
        onThread(withStack: 512 << 10) {
          var chain = DerivedLink.chain(of: length)
          for link in chain { _ = link.value }
          let controller = ObservationController(observer: tally)
          controller.observe(chain.last!, \.value) { tally, _, change in
            tally.add(change.newValue, insteadOf: change.oldValue!)
          }
          for number in 2...count + 1 { chain[0].number = number }
          controller.unobserveAll()
          // From the end: otherwise each link would free the one before, which takes stack.
          while chain.popLast() != nil {}
        }
      } isRight: {
        tally.sum == count
      }
    }
  }

  /// Values that all read the same properties, as many, each in another order; read for the first
  /// time, and once more in a changed order.
  private static func order(_ size: Int) -> Workload {
    Workload(.observed) { count in
      let sheets = (0..<count).map { _ in OrderedSheet(size) }
      return Run {
        for sheet in sheets {
          sheet.read()
          sheet.turn = 1
          sheet.read()
        }
      } isRight: {
        sheets.allSatisfy { $0.rows.allSatisfy { $0.sum == size * (size - 1) / 2 } }
      }
    }
  }

  /// As many graphs, each set and observed on a thread of its own.
  private static func graphs(_ threads: Int) -> Workload {
    Workload(.observed, variant: "-\(threads)") { count in
      // Memory in between, so that no two threads write to one line of the processor's cache.
      var margins: [[UInt8]] = []
      let graphs = Unchecked(
        (0..<threads).map { _ in
          margins.append(Array(repeating: 0, count: 1_000))
          return ChainedGraph()
        })
      return Run {
        onThreads(threads) { graphs.value[$0].set(count) }
      } isRight: {
        withExtendedLifetime(margins) { graphs.value.allSatisfy { $0.tally.sum == count } }
      }
    }
  }
}

private final class DerivedPair {
  @Observed var first = 1
  @Observed var second = 2
  @Derived({ (pair: DerivedPair) in pair.first + pair.second }) var sum: Int
}

/// As many values as properties.
private final class OrderedSheet {
  final class Cell {
    @Observed var number: Int
    init(_ number: Int) { self.number = number }
  }

  final class Row {
    private unowned let sheet: OrderedSheet
    private let index: Int

    @Derived({ (row: Row) -> Int in
      let (cells, turn) = (row.sheet.cells, row.sheet.turn)
      // No factor in common with the size.
      let factor = turn & 1 == row.index & 1 ? 7 : 3
      var (sum, place) = (0, row.index)
      for _ in cells.indices {
        place = (place + factor) % cells.count
        sum += cells[place].number
      }
      return sum
    }) var sum: Int

    init(_ sheet: OrderedSheet, _ index: Int) { (self.sheet, self.index) = (sheet, index) }
  }

  private let cells: [Cell]
  @Observed var turn = 0
  private(set) var rows: [Row] = []

  init(_ size: Int) {
    cells = (0..<size).map { Cell($0) }
    rows = (0..<size).map { Row(self, $0) }
  }

  func read() { for row in rows { _ = row.sum } }
}

/// A chain of ten values with an observer.
private final class ChainedGraph {
  private let chain = DerivedLink.chain(of: 10)
  let tally = Tally()
  private let controller: ObservationController<Tally>

  init() {
    controller = ObservationController(observer: tally)
    controller.observe(chain.last!, \.value) { tally, _, change in
      tally.add(change.newValue, insteadOf: change.oldValue!)
    }
  }

  func set(_ count: Int) {
    for number in 2...count + 1 { chain[0].number = number }
  }
}

/// How far the stack has grown. Used by one thread at a time.
private final class Depth: @unchecked Sendable {
  private(set) var lowest = UInt.max
  private(set) var highest: UInt = 0

  @inline(never)
  func note() {
    var local = 0
    withUnsafePointer(to: &local) { local in
      lowest = min(lowest, UInt(bitPattern: local))
      highest = max(highest, UInt(bitPattern: local))
    }
  }
}

/// A link of a chain that notes where it begins and where it ends.
private final class DeepLink {
  private let depth: Depth
  private let before: DeepLink?
  private var isLast = true

  @Derived({ (link: DeepLink) in
    if link.isLast || link.before == nil { link.depth.note() }
    return (link.before?.value ?? 0) + 1
  }) var value: Int

  init(_ depth: Depth, _ before: DeepLink?) {
    self.depth = depth
    self.before = before
    before?.isLast = false
  }
}

/// Calls `body` on a new thread, and waits for its end.
private func onThread(withStack size: Int, _ body: @escaping @Sendable () -> Void) {
  let end = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    end.signal()
  }
  thread.stackSize = size
  thread.start()
  end.wait()
}
