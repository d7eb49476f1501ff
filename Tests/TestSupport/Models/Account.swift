import ObservationController

/// Numbers, a link, an array and a struct.
package final class Account {
  @Observed package var balance = 0
  @Observed package var limit = 0
  @Observed package var owner: Person?
  @Observed package var notes: [String] = []
  @Observed package var frame = Frame()

  package init(balance: Int = 0, owner: Person? = nil) {
    self.balance = balance
    self.owner = owner
  }

  /// Reads two properties, one of them twice.
  package var available: Int { balance + limit + balance * 0 }

  /// Reads no observable property.
  package let number = 42
  package var doubled: Int { number * 2 }
}

/// Leads to an account by a constant, and has no observable property.
package final class Facade {
  package let account: Account

  package init(_ account: Account) {
    self.account = account
  }
}

package struct Frame: Equatable {
  package var x: Int
  package var y: Int

  package init(x: Int = 0, y: Int = 0) {
    (self.x, self.y) = (x, y)
  }
}

package struct Failure: Error {
  package init() {}
}

/// A class that is not `Equatable`, and a value that is not either.
package final class Thing {
  package init() {}
}
package struct Opaque {
  package init() {}
}

package protocol Marked: AnyObject {}

package final class Shelf {
  @Observed package var thing = Thing()
  @Observed package var maybe: Thing?
  @Observed package var opaque = Opaque()

  package init() {}
}

/// Sets its property in its `deinit`.
package final class Farewell {
  @Observed package var state = "here"

  package init() {}

  deinit {
    state = "deinit"
  }

  package var text: String { "is " + state }
}

/// Calls a closure in its `deinit`.
package final class Sentinel {
  private let onDeinit: () -> Void

  package init(_ onDeinit: @escaping () -> Void) {
    self.onDeinit = onDeinit
  }

  deinit {
    onDeinit()
  }
}

/// Refers to an object without keeping it alive.
package final class Weak<Object: AnyObject> {
  package private(set) weak var object: Object?

  package init(_ object: Object?) {
    self.object = object
  }
}
