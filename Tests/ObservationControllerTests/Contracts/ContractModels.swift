import ObservationController

/// An observer that writes down what it is told, as lines like `a: 0 → 1`.
final class Witness {
  private(set) var lines: [String] = []
  let name: String

  init(_ name: String = "") {
    self.name = name
  }

  func write(_ line: String) {
    lines.append(name.isEmpty ? line : "\(name): \(line)")
  }

  func write<Value>(_ change: ObservedChange<Value>) {
    write(change.description)
  }

  func clear() {
    lines = []
  }
}

/// A list that several observers write to, to show the order among them.
final class Ledger {
  var lines: [String] = []
}

final class Account {
  @Observed var balance = 0
  @Observed var limit = 0
  @Observed var owner: Holder?
  @Observed var notes: [String] = []
  @Observed var frame = Frame()

  init(balance: Int = 0, owner: Holder? = nil) {
    self.balance = balance
    self.owner = owner
  }

  /// Reads two properties, one of them twice.
  var available: Int { balance + limit + balance * 0 }

  /// Reads nothing that can be observed.
  let number = 42
  var doubled: Int { number * 2 }
}

final class Holder {
  @Observed var name: String
  @Observed var partner: Holder?

  init(_ name: String, partner: Holder? = nil) {
    self.name = name
    self.partner = partner
  }
}

struct Frame: Equatable {
  var x = 0
  var y = 0
}

struct Failure: Error {}

/// A class that is not `Equatable`, and a value that is not either.
final class Thing {}
struct Opaque {}

protocol Marked: AnyObject {}

final class Shelf {
  @Observed var thing = Thing()
  @Observed var maybe: Thing?
  @Observed var opaque = Opaque()
}

/// Calls a closure when it goes.
final class Sentinel {
  private let onDeinit: () -> Void

  init(_ onDeinit: @escaping () -> Void) {
    self.onDeinit = onDeinit
  }

  deinit {
    onDeinit()
  }
}

/// Refers to an object without keeping it alive.
final class Weak<Object: AnyObject> {
  private(set) weak var object: Object?

  init(_ object: Object?) {
    self.object = object
  }
}
