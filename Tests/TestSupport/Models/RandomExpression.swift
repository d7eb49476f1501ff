/// A small expression over numbered cells, evaluated by objects and by a model.
package indirect enum RandomExpression: Sendable {
  case cell(Int)
  case sum(RandomExpression, RandomExpression)
  case half(RandomExpression)

  /// The second if the first is above the number, else the third.
  case branch(RandomExpression, above: Int, RandomExpression, RandomExpression)

  package static func random(
    over cells: Int, depth: Int = 3, using generator: inout SeededGenerator
  ) -> RandomExpression {
    func part() -> RandomExpression {
      random(over: cells, depth: depth - 1, using: &generator)
    }
    switch depth == 0 ? 0 : Int.random(in: 0..<5, using: &generator) {
    case 0, 1: return .cell(.random(in: 0..<cells, using: &generator))
    case 2: return .half(part())
    case 3: return .sum(part(), part())
    default: return .branch(part(), above: .random(in: 0..<4, using: &generator), part(), part())
    }
  }

  package func value(_ read: (Int) -> Int) -> Int {
    switch self {
    case .cell(let index): read(index)
    case .sum(let first, let second): first.value(read) + second.value(read)
    case .half(let part): part.value(read) / 2
    case .branch(let condition, let limit, let first, let second):
      condition.value(read) > limit ? first.value(read) : second.value(read)
    }
  }
}
