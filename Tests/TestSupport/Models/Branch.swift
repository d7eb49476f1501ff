import ObservationController

/// Derived from other objects: a link, arrays, and properties of their elements.
package final class Branch {
  @Observed package var name: String
  @Observed package var parent: Branch?
  @Observed package var leaves: ObservableArray<Leaf> = []
  @Observed package var spares: [Leaf] = []
  @AtomicObserved package var visits = 0
  package var computed = 0

  @Derived({ (branch: Branch) in (branch.parent?.path ?? "") + "/" + branch.name })
  package var path: String

  @Derived({ (branch: Branch) -> Int in
    branch.computed += 1
    return branch.leaves.reduce(0) { $0 + $1.weight }
  }) package var weight: Int

  @Derived({ (branch: Branch) in branch.leaves.count }) package var count: Int
  @Derived({ (branch: Branch) in branch.spares.map(\.weight) }) package var weights: [Int]
  @Derived({ (branch: Branch) in branch.spares.first?.label }) package var firstLabel: String?
  @Derived({ (branch: Branch) in branch.visits * 10 }) package var score: Int

  package init(_ name: String, parent: Branch? = nil) {
    self.name = name
    self.parent = parent
  }
}

/// An element with a derived property.
package final class Leaf {
  package let letter: String
  @Observed package var weight: Int
  @Observed package var isFresh = true
  @Derived({ (leaf: Leaf) in leaf.letter + (leaf.isFresh ? "\(leaf.weight)" : "") })
  package var label: String

  package init(_ letter: String, weight: Int = 1) {
    self.letter = letter
    self.weight = weight
  }
}

extension Leaf: CustomStringConvertible {
  package var description: String { letter }
}
