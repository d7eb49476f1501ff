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
  /// The values, as in `1 → 2`.
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

/// The fallback of an observation that was registered without a handler and without an action.
///
/// One method for everything that an observer observes, as `observeValue(forKeyPath:…)` is in
/// key-value observing. The controller holds the observer weakly, as always.
///
///     final class Table: ObservationDelegate {
///       private lazy var observations = ObservationController(observer: self)
///
///       func observeValue(
///         at keyPath: AnyKeyPath, of object: AnyObject,
///         change: ObservedChange<Any>, context: ObservationContext?
///       ) {
///         switch keyPath {
///         case \Person.name: header = change.newValue as? String
///         default: reload()
///         }
///       }
///     }
public protocol ObservationDelegate: AnyObject {
  /// Notifies the observer of one change of one observed value.
  ///
  /// Called once for each change, on the thread that made it, before the assignment returns, with
  /// no lock held.
  ///
  /// - Parameters:
  ///   - keyPath: The key path that was registered.
  ///   - object: The observed object, where the key path starts.
  ///   - change: The values, typed as `Any`.
  ///   - context: The context that was registered.
  func observeValue(
    at keyPath: AnyKeyPath, of object: AnyObject,
    change: ObservedChange<Any>, context: ObservationContext?)
}
