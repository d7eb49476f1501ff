/// The graphs that are measured: those of a public benchmark of reactive libraries (kairo, cellx,
/// layered graphs), and one of a sheet.
enum GraphShape: String, CaseIterable {
  case avoidable, broad, deep, diamond, mux, repeated, triangle, unstable
  case cellx10, cellx100, cellx1000
  case simple = "simple-2-10x5"
  case dynamic = "dynamic-6-10x10"
  case layeredDeep = "deep-3-5x500"
  case veryDynamic = "very-dynamic-6-100x15"
  case web = "web-4-1000x12"
  case wide = "wide-25-1000x5"
  case sheet

  /// How many writes follow each other before they begin again.
  var writes: Int {
    switch self {
    case .avoidable: 1_000
    case .broad, .deep: 50
    case .diamond: 500
    case .mux, .sheet: 20
    case .repeated, .triangle, .unstable: 100
    case .cellx10, .cellx100, .cellx1000: 2
    case .simple, .dynamic: 2_000
    case .layeredDeep: 10
    case .veryDynamic, .web: 30
    case .wide: 3
    }
  }

  /// How often they do in one measurement.
  var repetitions: Int {
    switch self {
    case .repeated, .triangle, .unstable: 5
    case .cellx10: 50
    case .cellx100: 5
    default: 1
    }
  }

  /// Whether every value may be computed each time it is read: elsewhere that takes for ever.
  var isFlat: Bool {
    switch self {
    case .cellx100, .cellx1000, .dynamic, .layeredDeep, .veryDynamic, .web, .wide: false
    default: true
    }
  }
}

/// A graph that is ready to be written to.
struct Graph {
  /// Does the write with that number, and reads the last value.
  private let write: (Int) -> Int

  /// Objects that live as long as the graph.
  private let peer: AnyObject

  init<Peer: GraphPeer>(_ shape: GraphShape, by type: Peer.Type) {
    let builder = GraphBuilder<Peer>()
    write = builder.make(shape)
    peer = builder
  }

  func perform(_ numbers: Range<Int>) {
    for number in numbers { graphCounts.sum &+= write(number) }
  }
}

/// A source or a value of a graph.
enum GraphCell<Peer: GraphPeer> {
  case source(Peer.Source)
  case value(Peer.Number)

  var read: Int {
    switch self {
    case .source(let source): source.number
    case .value(let value): value.value
    }
  }
}

final class GraphBuilder<Peer: GraphPeer> {
  typealias Source = Peer.Source
  typealias Number = Peer.Number
  typealias Cell = GraphCell<Peer>

  private let peer = Peer()
  private var kept: [AnyObject] = []

  private func value(_ body: @escaping () -> Int) -> Number {
    let value = Number {
      graphCounts.values += 1
      return body()
    }
    kept.append(value)
    return value
  }

  /// A value with an effect.
  private func observed(_ body: @escaping () -> Int) -> Number {
    let value = value(body)
    peer.observe(value)
    return value
  }

  /// - Returns: Does the write with that number, and reads the last value.
  func make(_ shape: GraphShape) -> (Int) -> Int {
    switch shape {
    case .avoidable: avoidable()
    case .broad: broad()
    case .deep: deep()
    case .diamond: diamond()
    case .mux: mux()
    case .repeated: repeated()
    case .triangle: triangle()
    case .unstable: unstable()
    case .cellx10: cellx(10)
    case .cellx100: cellx(100)
    case .cellx1000: cellx(1_000)
    case .simple: layered(shape, width: 10, layers: 5, reads: 2, leaves: 0.2)
    case .dynamic: layered(shape, width: 10, layers: 10, reads: 6, dynamic: 0.25, leaves: 0.2)
    case .layeredDeep: layered(shape, width: 5, layers: 500, reads: 3)
    case .veryDynamic: layered(shape, width: 100, layers: 15, reads: 6, dynamic: 0.5)
    case .web: layered(shape, width: 1_000, layers: 12, reads: 4, dynamic: 0.05)
    case .wide: layered(shape, width: 1_000, layers: 5, reads: 25)
    case .sheet: sheet()
    }
  }
}

// MARK: - Small ones

extension GraphBuilder {
  private func avoidable() -> (Int) -> Int {
    let head = Source(0)
    let first = value { head.number }
    let second = value {
      _ = first.value
      return 0
    }
    let third = value {
      workForAWhile()
      return second.value + 1
    }
    let fourth = value { third.value + 2 }
    let last = observed { fourth.value + 3 }
    return { write in
      head.number = write % 1_000 + 1
      return last.value
    }
  }

  private func broad() -> (Int) -> Int {
    let head = Source(0)
    let values = (0..<50).map { index in
      let first = value { head.number + index }
      return observed { first.value + 1 }
    }
    let last = values.last!
    return { write in
      head.number = write % 50 + 1
      return last.value
    }
  }

  private func deep() -> (Int) -> Int {
    let head = Source(0)
    var last = value { head.number + 1 }
    for _ in 1..<50 {
      let before = last
      last = value { before.value + 1 }
    }
    peer.observe(last)
    return { [last] write in
      head.number = write % 50 + 1
      return last.value
    }
  }

  private func diamond() -> (Int) -> Int {
    let head = Source(0)
    let values = (0..<5).map { _ in value { head.number + 1 } }
    let sum = observed { values.reduce(0) { $0 + $1.value } }
    return { write in
      head.number = write % 500 + 1
      return sum.value
    }
  }

  private func mux() -> (Int) -> Int {
    let heads = (0..<100).map { _ in Source(0) }
    let all = Peer.List { heads.map(\.number) }
    kept.append(all)
    let values = (0..<100).map { index in value { all.value[index] } }
      .map { value in observed { value.value + 1 } }
    return { write in
      let index = write % 10
      heads[index].number = write % 20 < 10 ? index + 1 : index * 2
      return values[index].value
    }
  }

  private func repeated() -> (Int) -> Int {
    let head = Source(0)
    let sum = observed {
      var sum = 0
      for _ in 0..<30 { sum += head.number }
      return sum
    }
    return { write in
      head.number = write % 100 + 1
      return sum.value
    }
  }

  private func triangle() -> (Int) -> Int {
    let head = Source(0)
    var last = Cell.source(head)
    var read: [Cell] = []
    for _ in 0..<10 {
      let before = last
      read.append(before)
      last = .value(value { before.read + 1 })
    }
    let sum = observed { [read] in read.reduce(0) { $0 + $1.read } }
    return { write in
      head.number = write % 100 + 1
      return sum.value
    }
  }

  private func unstable() -> (Int) -> Int {
    let head = Source(0)
    let double = value { head.number * 2 }
    let inverse = value { -head.number }
    let sum = observed {
      var sum = 0
      for _ in 0..<20 { sum += head.number % 2 != 0 ? double.value : inverse.value }
      return sum
    }
    return { write in
      head.number = write % 100 + 1
      return sum.value
    }
  }
}

@inline(never)
private func workForAWhile() {
  var sum = 0
  for number in 0..<100 { sum &+= number }
  if sum == -1 { print(sum) }
}

// MARK: - Large ones

extension GraphBuilder {
  private func cellx(_ layers: Int) -> (Int) -> Int {
    let sources = (1...4).map { Source($0) }
    var layer = sources.map { Cell.source($0) }
    for _ in 0..<layers {
      let before = layer
      layer = [
        .value(observed { before[1].read }),
        .value(observed { before[0].read &- before[2].read }),
        .value(observed { before[1].read &+ before[3].read }),
        .value(observed { before[2].read }),
      ]
    }
    return { [layer] write in
      Peer.transaction {
        for (index, source) in sources.enumerated() {
          source.number = write % 2 == 0 ? 4 - index : index + 1
        }
      }
      return layer.reduce(0) { $0 &+ $1.read }
    }
  }

  /// - Parameters:
  ///   - dynamic: The share of values that leave out one of their neighbours now and then.
  ///   - leaves: The share of the last layer that is read.
  private func layered(
    _ shape: GraphShape, width: Int, layers: Int, reads: Int, dynamic: Double = 0,
    leaves share: Double = 1
  ) -> (Int) -> Int {
    let sources = (0..<width).map { Source($0) }
    var layer = sources.map { Cell.source($0) }
    var random = LinearCongruentialGenerator()
    for _ in 1..<layers {
      let before = layer
      layer = (0..<width).map { place in
        let neighbours = (0..<reads).map { before[(place + $0) % width] }
        return .value(random.next() < 1 - dynamic ? sum(neighbours) : changingSum(neighbours))
      }
    }
    let leaves = stride(from: 0, to: Double(width), by: 1 / share).map { layer[Int($0)] }
    let all = Number { leaves.reduce(0) { $0 &+ $1.read } }
    kept.append(all)
    peer.observe(all)
    let writes = shape.writes
    return { write in
      let (run, number) = write.quotientAndRemainder(dividingBy: writes)
      let source = number % width
      sources[source].number = number + source + run + 1
      var sum = 0
      for leaf in leaves { sum &+= leaf.read }
      return sum
    }
  }

  private func sum(_ cells: [Cell]) -> Number {
    value {
      var sum = 0
      for cell in cells { sum = sum &+ cell.read }
      return sum
    }
  }

  private func changingSum(_ cells: [Cell]) -> Number {
    let (first, others) = (cells[0], Array(cells.dropFirst()))
    return value {
      var sum = first.read
      let leavesOut = sum & 1 != 0
      let left = sum % others.count
      for index in others.indices where !(leavesOut && index == left) {
        sum = sum &+ others[index].read
      }
      return sum
    }
  }

  private func sheet() -> (Int) -> Int {
    let cells = (0..<1_000).map { row in (0..<10).map { Source(row + $0) } }
    let rows = cells.map { cells in value { cells.reduce(0) { $0 + $1.number } } }
    let total = observed { rows.reduce(0) { $0 + $1.value } }
    return { write in
      cells[write * 7 % 1_000][write % 10].number += 1
      return total.value
    }
  }
}

private struct LinearCongruentialGenerator {
  private var state: UInt32 = 1

  mutating func next() -> Double {
    state = state &* 1_664_525 &+ 1_013_904_223
    return Double(state) / 4_294_967_296
  }
}
