import ObservationController
import TestSupport

/// Derived values of two numbers, in a diamond, a branch and a chain. Writes down what it computes.
final class Figure {
  @Observed var a = 1
  @Observed var b = 2
  @Observed var isLarge = false
  @Observed private(set) var secret = 7

  /// What was computed, in order.
  let computed = LineRecorder()

  @Derived({ (figure: Figure) in
    figure.computed.write("sum")
    return figure.a + figure.b
  }) var sum: Int

  @Derived({ (figure: Figure) in
    figure.computed.write("double")
    return figure.a * 2
  }) var double: Int

  @Derived({ (figure: Figure) in
    figure.computed.write("square")
    return figure.a * figure.a
  }) var square: Int

  /// Reads two that read the same.
  @Derived({ (figure: Figure) in
    figure.computed.write("both")
    return "\(figure.a): \(figure.double) \(figure.square)"
  }) var both: String

  @Derived({ (figure: Figure) in
    figure.computed.write("branch")
    return figure.isLarge ? figure.a : figure.b
  }) var branch: Int

  /// Reads one that reads another one, and nothing itself.
  @Derived({ (figure: Figure) in
    figure.computed.write("text")
    return "\(figure.branch)"
  }) var text: String

  @Derived({ (figure: Figure) in figure.secret + 1 }) var next: Int

  /// Computed each time, from derived values.
  var plain: String { "\(sum) \(double)" }

  func setSecret(_ value: Int) { secret = value }
}

/// Derived from other objects: a link, arrays, and properties of their elements.
final class Branch {
  @Observed var name: String
  @Observed var parent: Branch?
  @Observed var leaves: ObservableArray<Leaf> = []
  @Observed var spares: [Leaf] = []
  @AtomicObserved var visits = 0
  var computed = 0

  @Derived({ (branch: Branch) in (branch.parent?.path ?? "") + "/" + branch.name })
  var path: String

  @Derived({ (branch: Branch) -> Int in
    branch.computed += 1
    return branch.leaves.reduce(0) { $0 + $1.weight }
  }) var weight: Int

  @Derived({ (branch: Branch) in branch.leaves.count }) var count: Int
  @Derived({ (branch: Branch) in branch.spares.map(\.weight) }) var weights: [Int]
  @Derived({ (branch: Branch) in branch.spares.first?.label }) var firstLabel: String?
  @Derived({ (branch: Branch) in branch.visits * 10 }) var score: Int

  init(_ name: String, parent: Branch? = nil) {
    self.name = name
    self.parent = parent
  }
}

/// An element with a derived property.
final class Leaf {
  let letter: String
  @Observed var weight: Int
  @Observed var isFresh = true
  @Derived({ (leaf: Leaf) in leaf.letter + (leaf.isFresh ? "\(leaf.weight)" : "") })
  var label: String

  init(_ letter: String, weight: Int = 1) {
    self.letter = letter
    self.weight = weight
  }
}

extension Leaf: CustomStringConvertible {
  var description: String { letter }
}
