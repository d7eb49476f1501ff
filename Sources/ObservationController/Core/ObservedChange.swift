/// One change of an observed value, as a handler receives it.
///
/// A change may be kept: it holds its values and what was registered, and nothing else alive.
public struct ObservedChange<Value> {
  /// The value before the change; `nil` without ``ObservationOptions/old`` and for an initial
  /// delivery.
  public let oldValue: Value?

  /// The value after the change; for a prior change, the value that is still there.
  public let newValue: Value

  @usableFromInline let registration: ObservationRegistration
  @usableFromInline let kind: ObservationDelivery.Kind

  @inlinable
  init(
    oldValue: Value?, newValue: Value, registration: ObservationRegistration,
    kind: ObservationDelivery.Kind
  ) {
    self.oldValue = oldValue
    self.newValue = newValue
    self.registration = registration
    self.kind = kind
  }
}

extension ObservedChange {
  /// Whether this is the delivery that ``ObservationOptions/initial`` asks for.
  @inlinable public var isInitial: Bool { kind == .initial }

  /// Whether this is the delivery before the value is stored, asked for by
  /// ``ObservationOptions/prior``.
  @inlinable public var isPrior: Bool { kind == .prior }

  /// The key path that was registered.
  @inlinable public var keyPath: AnyKeyPath { registration.keyPath }

  /// The context that was registered.
  @inlinable public var context: ObservationContext? { registration.context }
}

extension ObservedChange: CustomStringConvertible {
  /// The values on one line, as in `1 → 2`.
  public var description: String {
    switch kind {
    case .initial: "initially \(newValue)"
    case .prior: "about to change from \(newValue)"
    case .change: oldValue.map { "\($0) → \(newValue)" } ?? "→ \(newValue)"
    }
  }
}

/// Values are immutable and the registration is `Sendable`.
extension ObservedChange: Sendable where Value: Sendable {}
