import Synchronization

/// Options of an observation: the values that it delivers, and when.
///
/// `observe` has ``old`` by default, `observeArray` nothing. Naming options replaces the default.
///
///     observations.observe(
///       person, \.age, options: [.initial, .old, .distinct]
///     ) { view, _, change in
///       view.lines.append("\(change)")    // "initially 36", then "36 → 37"
///     }
public struct ObservationOptions: OptionSet, Hashable, Sendable {
  /// The options as bits.
  public let rawValue: UInt8

  /// Makes options from bits; those that name no option are kept, and mean nothing.
  @inlinable
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Delivers the current value once, before `observe` returns, with ``ObservedChange/isInitial``.
  @inlinable
  public static var initial: ObservationOptions { ObservationOptions(rawValue: 1 << 0) }

  /// Delivers the value before the change as ``ObservedChange/oldValue``.
  ///
  /// An in-place mutation (`person.tags.append("x")`) of an array, dictionary, set or string then
  /// copies the collection, O(n), because both values exist at once.
  @inlinable
  public static var old: ObservationOptions { ObservationOptions(rawValue: 1 << 1) }

  /// Delivers before the value is stored too, with ``ObservedChange/isPrior``.
  ///
  /// In a transaction both are delivered at its end. Arrays and coalesced deliveries leave it out.
  @inlinable
  public static var prior: ObservationOptions { ObservationOptions(rawValue: 1 << 2) }

  /// Delivers nothing when the new value equals the old one, or cannot be told apart from it.
  ///
  /// Values are compared by `==` where the type is `Equatable`, else by identity where they are
  /// class instances, or collections of these. A value that is not equal to itself, as nan, is
  /// left out after itself. On a type with neither, registering reports
  /// ``ObservationIssue/distinctNeedsEquatable(keyPath:file:line:)`` and every change is delivered.
  @inlinable
  public static var distinct: ObservationOptions { ObservationOptions(rawValue: 1 << 3) }
}

extension ObservationOptions: CustomStringConvertible {
  /// The names of the options, as in `[initial, old]`.
  public var description: String {
    let names: KeyValuePairs<ObservationOptions, String> = [
      .initial: "initial", .old: "old", .prior: "prior", .distinct: "distinct",
    ]
    return "[\(names.filter { contains($0.key) }.map(\.value).joined(separator: ", "))]"
  }
}

/// Which changes an observation on a queue or the main actor joins into one delivery.
///
///     observations.observeOnMainActor(
///       download, \.progress, coalescing: .interval(.milliseconds(16))
///     ) { view, _, change in
///       view.bar.progress = change.newValue
///     }
///
/// A joined delivery has the first old and the last new value. An initial delivery that changes are
/// joined to stays one, with the last value. With ``ObservationOptions/distinct`` a joined delivery
/// is left out if both values are equal; ``ObservationOptions/prior`` has no meaning then and is
/// left out.
///
/// A Boolean literal means ``latest`` or ``none``.
public enum ObservationCoalescing: Hashable, Sendable {
  /// One delivery for each change.
  case none

  /// One delivery for all changes that are made before it begins, so that at most one waits.
  ///
  /// While the target is busy, any number of changes is one delivery. An idle target begins each
  /// delivery at once, so that it may receive nearly as many as there are changes: handlers that
  /// draw on a screen, or are expensive otherwise, want ``interval(_:)``.
  case latest

  /// At most one delivery in each interval, of all changes made before it begins.
  ///
  /// The first change after a pause is delivered at once, and later ones at the end of the
  /// interval, so that no change waits longer than that for an idle target. The interval is counted
  /// from the beginning of a delivery, by the clock of `DispatchTime`. One that is not positive
  /// means ``latest``.
  case interval(Duration)

  /// One delivery once nothing has changed for this long, of all changes until then.
  ///
  /// For what is expensive, and of use only when its source rests: saving a document, searching for
  /// what is being typed. Each change begins the time anew, so that a source which never rests is
  /// never delivered. The initial delivery does not wait. The time is counted from the change, by
  /// the clock of `DispatchTime`. One that is not positive means ``latest``.
  case debounce(Duration)
}

extension ObservationCoalescing: ExpressibleByBooleanLiteral {
  /// Makes ``latest`` of `true`, and ``none`` of `false`.
  public init(booleanLiteral value: Bool) {
    self = value ? .latest : .none
  }
}

/// Distinguishes observations of one object and key path on the same controller.
///
///     observations.observe(person, \.name, context: "header") { view, _, change in
///       view.header = change.newValue
///     }
///     observations.observe(person, \.name, context: "footer") { view, _, change in
///       view.footer = change.newValue
///     }
///     observations.unobserve(person, \.name, context: "footer")
///
/// Observations of a library that must not meet those of its clients use a unique context, kept in
/// a constant; others are easier to distinguish in descriptions if they have a name.
public struct ObservationContext: Hashable, Sendable {
  private var name: String?

  /// Different for each context without a name.
  private var number: UInt64 = 0

  /// Makes a context that equals its own copies only.
  ///
  /// - Complexity: O(1).
  public init() {
    number = lastUniqueContext.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Makes a context that equals every other one with the same name.
  ///
  /// - Complexity: O(1). Comparing contexts with names compares the names.
  public init(_ name: String) {
    self.name = name
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
  /// The name in quotes, or a number for a unique context.
  public var description: String {
    name.map(String.init(reflecting:)) ?? "#\(number)"
  }
}
