import ObservationController

/// Changes of what live views depend on besides their elements: a parameter, and edits in front of
/// a window or among duplicates. By hand, everything is made anew with the standard library.
enum ViewParametersTopic {
  static var comparisons: [Comparison] {
    [1_000, 10_000, 100_000].flatMap { n in
      [
        comparison("filtered", n, { $0.useFilter() }, { $0.setLimit($1) }),
        comparison("sorted", n, { $0.useOrder() }, { $0.setPivot($1) }),
        comparison("reversed", n, { $0.useOrder() }, { $0.setDirection($1) }),
        comparison("mapped", n, { $0.useImages() }, { $0.setLimit($1) }),
        comparison("window", n, { $0.useWindow() }, { $0.setPage($1) }),
        comparison("window-edit", n, { $0.useWindow() }, { $0.editAtFront($1) }),
        comparison("unique-edit", n, { $0.useUnique() }, { $0.editAtFront($1) }),
        comparison("flattened-edit", n, { $0.useFlattened() }, { $0.editInner($1) }),
      ]
    }
  }

  private static func comparison(
    _ name: String, _ n: Int, _ use: @escaping (any ShownCells) -> Void,
    _ operate: @escaping (any ShownCells, Int) -> Void
  ) -> Comparison {
    func workload(_ peer: Peer, _ make: @escaping ([ObservedCell]) -> any ShownCells) -> Workload {
      Workload(peer) { count in
        let cells = makeCells(n)
        let (shown, other) = (make(cells), HandMadeCells(cells))
        use(shown)
        use(other)
        return Run {
          for index in 1...count { operate(shown, index) }
        } isRight: {
          operate(other, count)
          return shown.isShowing(the: other)
        }
      }
    }
    return Comparison(
      "view-parameter-\(name)-\(n)", count: max(4, 1_000_000 / n), duration: .seconds(1),
      [workload(.observed) { ViewedCells($0) }, workload(.didSet) { HandMadeCells($0) }])
  }

  private static func makeCells(_ n: Int) -> [ObservedCell] {
    var generator = Scrambler()
    return (0..<n).shuffled(using: &generator).map { number in
      let cell = ObservedCell()
      cell.number = number
      return cell
    }
  }
}

/// What a list shows of cells, and the ways to change it.
protocol ShownCells: AnyObject {
  var cellCount: Int { get }
  var limit: Int { get set }
  var order: CellOrder { get set }
  var page: Range<Int> { get set }
  var shown: [ObservedCell] { get }
  func useFilter()
  func useOrder()
  func useImages()
  func useWindow()
  func useUnique()
  func useFlattened()
  func editAtFront(_ index: Int)
  func editInner(_ index: Int)
}

extension ShownCells {
  /// One in a thousand cells comes or leaves.
  func setLimit(_ index: Int) { limit = cellCount / 2 + index % 2 * max(cellCount / 1_000, 1) }

  /// Two in a thousand cells move.
  func setPivot(_ index: Int) { order.pivot = index % 2 }

  func setDirection(_ index: Int) { order.isDescending = index.isMultiple(of: 2) }

  func setPage(_ index: Int) { page = index % 500..<index % 500 + 50 }

  func isShowing(the other: some ShownCells) -> Bool {
    shown.count == other.shown.count && zip(shown, other.shown).allSatisfy { $0 === $1 }
  }
}

struct CellOrder {
  var isDescending = false

  /// Cells with this remainder come first.
  var pivot = 0

  func precedes(_ first: ObservedCell, _ second: ObservedCell) -> Bool {
    isDescending ? key(of: first) > key(of: second) : key(of: first) < key(of: second)
  }

  private func key(of cell: ObservedCell) -> Int {
    let number = cell.number
    return number % 1_000 == pivot ? number - 1_000_000 : number
  }
}

/// Live views with parameters.
final class ViewedCells: ShownCells {
  @Observed var limit = 0
  @Observed var order = CellOrder()
  @Observed var page = 0..<50
  private let cells: ObservableArray<ObservedCell>
  private var inner: [ObservableArray<ObservedCell>] = []
  private var view: ObservableArray<ObservedCell>?
  private let other = ObservedCell()

  init(_ cells: [ObservedCell]) { self.cells = ObservableArray(cells) }

  var cellCount: Int { cells.count }
  var shown: [ObservedCell] { view?.elements ?? [] }

  func useFilter() {
    view = cells.filtered(on: [\.number], with: self, \.limit) { $0.number < $1 }
  }

  func useOrder() {
    view = cells.sorted(on: [\.number], with: self, \.order) { $2.precedes($0, $1) }
  }

  func useImages() {
    view = cells.mapped(on: [\.number], with: self, \.limit) { [first = cells[0]] in
      $0.number < $1 ? $0 : first
    }
  }

  func useWindow() { view = cells.window(with: self, \.page) }

  func useUnique() { view = cells.unique(on: []) { $0.number / 2 } }

  func useFlattened() {
    inner = stride(from: 0, to: cells.count, by: 100).map {
      ObservableArray(cells.elements[$0..<$0 + 100])
    }
    view = ObservableArray(inner).flattened()
  }

  func editAtFront(_ index: Int) {
    cells.insert(cells[cells.count / 2], at: 0)
    cells.removeFirst()
  }

  func editInner(_ index: Int) {
    inner[index % inner.count].append(other)
    inner[index % inner.count].removeLast()
  }
}

/// Arrays that are made anew after each change.
final class HandMadeCells: ShownCells {
  var limit = 0 { didSet { update() } }
  var order = CellOrder() { didSet { update() } }
  var page = 0..<50 { didSet { update() } }
  private var cells: [ObservedCell] { didSet { update() } }
  private var inner: [[ObservedCell]] = [] { didSet { update() } }
  private(set) var shown: [ObservedCell] = []
  private let other = ObservedCell()
  private var make: (HandMadeCells) -> [ObservedCell] = { _ in [] }

  init(_ cells: [ObservedCell]) { self.cells = cells }

  var cellCount: Int { cells.count }

  private func use(_ make: @escaping (HandMadeCells) -> [ObservedCell]) {
    self.make = make
    update()
  }

  private func update() { shown = make(self) }

  func useFilter() {
    use { list in
      let limit = list.limit
      return list.cells.filter { $0.number < limit }
    }
  }

  func useOrder() {
    use { list in
      let order = list.order
      return list.cells.sorted { order.precedes($0, $1) }
    }
  }

  func useImages() {
    use { list in
      let (limit, first) = (list.limit, list.cells[0])
      return list.cells.map { $0.number < limit ? $0 : first }
    }
  }

  func useWindow() { use { Array($0.cells[$0.page.clamped(to: 0..<$0.cells.count)]) } }

  func useUnique() {
    use { list in
      var seen: Set<Int> = []
      return list.cells.filter { seen.insert($0.number / 2).inserted }
    }
  }

  func useFlattened() {
    inner = stride(from: 0, to: cells.count, by: 100).map { Array(cells[$0..<$0 + 100]) }
    use { $0.inner.flatMap { $0 } }
  }

  func editAtFront(_ index: Int) {
    cells.insert(cells[cells.count / 2], at: 0)
    cells.removeFirst()
  }

  func editInner(_ index: Int) {
    inner[index % inner.count].append(other)
    inner[index % inner.count].removeLast()
  }
}
