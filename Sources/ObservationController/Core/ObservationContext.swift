import Synchronization

/// Tells apart observations of one object and key path on the same controller.
///
///     observations.observe(person, \.name, context: "header") { view, _, change in
///       view.header = change.newValue
///     }
///     observations.observe(person, \.name, context: "footer") { view, _, change in
///       view.footer = change.newValue
///     }
///     observations.unobserve(person, \.name, context: "footer")
///
/// Observations of a library that must not meet those of its clients use a unique context, kept in a
/// constant; others are easier to tell apart in descriptions if they have a name.
public struct ObservationContext: Hashable, Sendable {
  private enum Identity: Hashable, Sendable {
    case unique(UInt64)
    case named(String)
  }

  private let identity: Identity

  /// Makes a context that equals its own copies only.
  ///
  /// - Complexity: O(1).
  public init() {
    identity = .unique(lastUniqueContext.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  /// Makes a context that equals every other one with the same name.
  ///
  /// - Complexity: O(1). Comparing contexts with names compares the names.
  public init(_ name: String) {
    identity = .named(name)
  }
}

private let lastUniqueContext = Atomic<UInt64>(0)

extension ObservationContext: ExpressibleByStringLiteral {
  /// Makes a context from a literal, as ``init(_:)`` does from a string.
  public init(stringLiteral name: String) {
    self.init(name)
  }
}

extension ObservationContext: CustomStringConvertible {
  /// The name, or a number for a unique context.
  public var description: String {
    switch identity {
    case .unique(let number): "#\(number)"
    case .named(let name): String(reflecting: name)
    }
  }
}
