import ObservationController

/// The observed objects and observers of programs.
final class Node: ObservationDelegate {
  let number: Int
  private let journal: Journal

  @Observed var a = 0
  @Observed var b = 0
  @Observed var tags: [Int] = []
  @Observed var spot = Spot()
  @Observed var link: Node?
  @Observed var list: ObservableArray<Node> = []
  var plain = 0

  /// The controllers of which this is the observer, if it owns them.
  var owned: [ObservationController<Node>] = []

  init(_ number: Int, _ journal: Journal) {
    self.number = number
    self.journal = journal
  }

  var sum: Int { a + b }

  /// Its dependencies change with their values.
  var chosen: Int? { a.isMultiple(of: 2) ? b : link?.b }

  /// A path over a derived value: it changes when one of the stored properties does.
  var total: Int { a * 100 + (link?.a ?? 0) }

  @Derived({ (node: Node) -> Int in node.a * 100 + (node.link?.a ?? 0) }) var derivedTotal: Int
}

/// Neither `Equatable` nor a class.
struct Spot {
  var x = 0
}

extension Node {
  func receive<Value>(_ change: ObservedChange<Value>, of object: Node) {
    journal.receive(self, object, change, nil)
  }

  func receive<Value>(_ change: ObservedChange<Value>) {
    journal.receive(self, nil, change, nil)
  }

  func receive() {
    journal.receive(self)
  }

  func observeValue(
    at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
    context: ObservationContext?
  ) {
    journal.receive(self, object as? Node, change, nil)
  }
}
