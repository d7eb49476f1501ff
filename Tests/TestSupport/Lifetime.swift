import Synchronization
import XCTest

/// Counts the tickets that are alive; any thread may make and drop them.
///
/// A closure that captures a ticket, or an object that stores one, is counted for as long as it
/// lives:
///
///     let handlers = LifetimeCounter()
///     controller.observe(person, \.name) { [ticket = handlers.makeTicket()] _, _, _ in
///       _ = ticket
///     }
///     XCTAssertEqual(handlers.count, 1)
package final class LifetimeCounter: Sendable {
  /// A counted object.
  package final class Ticket: Sendable {
    private let counter: LifetimeCounter

    fileprivate init(_ counter: LifetimeCounter) {
      self.counter = counter
      counter.alive.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { counter.alive.wrappingSubtract(1, ordering: .relaxed) }
  }

  private let alive = Atomic<Int>(0)

  package init() {}

  /// The number of tickets that are alive.
  package var count: Int { alive.load(ordering: .relaxed) }

  package func makeTicket() -> Ticket { Ticket(self) }
}

/// The numbers of live objects of each kind that a program makes.
package struct Census: Sendable {
  package let observers = LifetimeCounter()
  package let objects = LifetimeCounter()
  package let values = LifetimeCounter()
  package let elements = LifetimeCounter()
  package let closures = LifetimeCounter()

  package init() {}

  /// Counts that are not 0, by name.
  package var survivors: [String] {
    [
      ("observers", observers), ("objects", objects), ("values", values), ("elements", elements),
      ("closures", closures),
    ].filter { $0.1.count != 0 }.map { "\($0.1.count) \($0.0) left" }
  }
}

/// An observer that reports when its `deinit` begins.
package final class Visitor: Sendable {
  package let isInDeinit: Flag
  private let ticket: LifetimeCounter.Ticket

  package init(_ census: Census) {
    isInDeinit = Flag()
    ticket = census.observers.makeTicket()
  }

  deinit { isInDeinit.set() }
}

/// Asserts that the object that `body` makes, uses and returns is released.
package func assertReleased<Object: AnyObject>(
  file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Object
) rethrows {
  weak var object: Object?
  object = try body()
  XCTAssertNil(object, "still alive", file: file, line: line)
}

/// Runs `body` in its own frame, so that what it makes and does not return is released afterwards.
@inline(never)
package func scoped<Result>(_ body: () throws -> Result) rethrows -> Result {
  try body()
}
