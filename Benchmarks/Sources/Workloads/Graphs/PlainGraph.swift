/// The least that a graph of values takes in Swift, for comparison: arrays of edges, three states,
/// and a global variable for who is being computed. One thread, no lifetimes, no order among
/// observers; marking and validating take stack for each level.
class PlainNode {
  fileprivate enum State: UInt8 {
    case clean, check, dirty
  }

  fileprivate final var state = State.dirty
  fileprivate final var isEffect = false
  fileprivate final var dependencies = ContiguousArray<Unmanaged<PlainNode>>()
  fileprivate final var cursor = 0
  fileprivate final var dependents = ContiguousArray<Unmanaged<PlainNode>>()

  /// - Returns: Whether the value is another one than before.
  fileprivate func compute() -> Bool { false }
}

// MARK: - Edges

extension PlainNode {
  @inline(__always)
  fileprivate final func track() {
    guard let reader else { return }
    let cursor = reader.cursor
    if cursor < reader.dependencies.count, reader.dependencies[cursor].toOpaque() == address {
      reader.cursor = cursor + 1
      return
    }
    reader.add(self)
  }

  fileprivate final var address: UnsafeMutableRawPointer {
    Unmanaged.passUnretained(self).toOpaque()
  }

  @inline(never)
  private final func add(_ dependency: PlainNode) {
    let address = dependency.address
    for index in 0..<min(cursor, dependencies.count)
    where dependencies[index].toOpaque() == address { return }
    removeRest()
    dependencies.append(.passUnretained(dependency))
    cursor += 1
    dependency.dependents.append(.passUnretained(self))
  }

  private final func removeRest() {
    while dependencies.count > cursor {
      dependencies.removeLast()._withUnsafeGuaranteedRef { $0.remove(self) }
    }
  }

  private final func remove(_ dependent: PlainNode) {
    let address = dependent.address
    if let index = dependents.firstIndex(where: { $0.toOpaque() == address }) {
      dependents.remove(at: index)
    }
  }
}

// MARK: - Marking and validating

extension PlainNode {
  @discardableResult
  fileprivate final func run() -> Bool {
    let outer = reader
    reader = self
    cursor = 0
    let isChanged = compute()
    if cursor < dependencies.count { removeRest() }
    reader = outer
    state = .clean
    return isChanged
  }

  fileprivate final func validate() {
    if state == .clean { return }
    if state == .check {
      var index = 0
      while index < dependencies.count {
        dependencies[index]._withUnsafeGuaranteedRef { if $0.state != .clean { $0.validate() } }
        if state == .dirty { break }
        index += 1
      }
      if state == .check {
        state = .clean
        return
      }
    }
    if run() { for each in dependents { each._withUnsafeGuaranteedRef { $0.state = .dirty } } }
  }

  private final func mark(_ effects: inout ContiguousArray<Unmanaged<PlainNode>>) {
    for dependent in dependents {
      dependent._withUnsafeGuaranteedRef { node in
        guard node.state == .clean else { return }
        node.state = .check
        if node.isEffect { effects.append(dependent) } else { node.mark(&effects) }
      }
    }
  }

  fileprivate final func markDependents() {
    var effects = ContiguousArray<Unmanaged<PlainNode>>()
    for dependent in dependents {
      dependent._withUnsafeGuaranteedRef { node in
        let wasClean = node.state == .clean
        node.state = .dirty
        guard wasClean else { return }
        if node.isEffect { effects.append(dependent) } else { node.mark(&effects) }
      }
    }
    if depth > 0 {
      pending.append(contentsOf: effects)
    } else {
      for effect in effects { effect._withUnsafeGuaranteedRef { $0.validate() } }
    }
  }
}

/// The node that is being computed. Everything here is used by one thread.
nonisolated(unsafe) private var reader: PlainNode?

/// How many transactions there are, one in another.
nonisolated(unsafe) private var depth = 0

/// Effects that wait for the end of the transaction.
nonisolated(unsafe) private var pending = ContiguousArray<Unmanaged<PlainNode>>()

// MARK: - Nodes

/// A stored property.
final class PlainSource: PlainNode, GraphSource {
  private var stored: Int

  init(_ number: Int) {
    stored = number
    super.init()
    state = .clean
  }

  var number: Int {
    get {
      track()
      return stored
    }
    set {
      if stored == newValue { return }
      stored = newValue
      markDependents()
    }
  }
}

/// A value that is computed from others.
final class PlainValue<Value: Equatable>: PlainNode, GraphValue {
  private var stored: Value?
  private let body: () -> Value

  init(_ body: @escaping () -> Value) { self.body = body }

  fileprivate override func compute() -> Bool {
    let new = body()
    if stored == new { return false }
    stored = new
    return true
  }

  var value: Value {
    track()
    if state != .clean { validate() }
    // Set by the first validation.
    return stored.unsafelyUnwrapped
  }
}

private final class PlainEffect: PlainNode {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) {
    self.body = body
    super.init()
    isEffect = true
    run()
  }

  fileprivate override func compute() -> Bool {
    body()
    return false
  }
}

/// The plain graph as a peer.
final class PlainGraph: GraphPeer {
  private var effects: [PlainEffect] = []

  static func transaction(_ body: () -> Void) {
    depth += 1
    body()
    depth -= 1
    guard depth == 0 else { return }
    let effects = pending
    pending = []
    for effect in effects { effect._withUnsafeGuaranteedRef { $0.validate() } }
  }

  func observe(_ value: PlainValue<Int>) {
    effects.append(
      PlainEffect {
        _ = value.value
        graphCounts.effects += 1
      })
  }
}

extension PlainGraph {
  typealias Source = PlainSource
  typealias Number = PlainValue<Int>
  typealias List = PlainValue<[Int]>
}
