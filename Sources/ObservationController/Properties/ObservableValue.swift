import Observation

/// A derived value of its own, computed from properties of any objects.
///
///     let total = ObservableValue { cart.price + delivery.price }
///     observations.observe(total, \.value) { view, _, change in
///       view.show(change.newValue)
///     }
///
/// Its ``value`` is a ``Derived`` property, and everything said of those holds: dependencies are
/// found by reading, the closure runs when the value is read or observed, at most once for each
/// change, and only if a property that it has read directly has changed. It is observed, bound,
/// followed and derived from by `\.value`.
///
/// Retained by its users alone; retains the closure, and with it what that captures. As thread-safe
/// as the properties that the closure reads.
public final class ObservableValue<Value> {
  @usableFromInline let compute: () -> Value

  /// Storage of `value`, which is written out as the compiler would: so the code that uses it is
  /// compiled for the type of the values. A thousand instructions each time depend on that.
  @usableFromInline var _value: Derived<ObservableValue<Value>, Value>

  /// The value as it is now.
  ///
  /// - Complexity: O(1) while nothing that the closure reads has changed.
  @inlinable public var value: Value {
    Derived<ObservableValue<Value>, Value>[
      _enclosingInstance: self, wrapped: \ObservableValue<Value>.value,
      storage: \ObservableValue<Value>._value]
  }

  /// Makes a value that is computed by `compute`.
  ///
  /// - Parameters:
  ///   - compute: Runs on the thread that reads the value, or that changes what it reads, with no
  ///     lock held. Retained, with what it captures, as long as this object.
  ///   - file: File of the call, for issues.
  ///   - line: Line of the call, for issues.
  /// - Complexity: O(1); nothing is computed yet.
  @inlinable
  public init(_ compute: @escaping () -> Value, file: String = #fileID, line: UInt = #line) {
    self.compute = compute
    _value = Derived({ (value: ObservableValue) in value.compute() }, file: file, line: line)
  }
}

/// Tracked by Observation: a view, `Observations` or `withObservationTracking` that reads ``value``
/// is notified before the first change of what the value depends on.
extension ObservableValue: Observable {}

extension ObservableValue: CustomStringConvertible {
  /// The value's own description. Computes the value if it is out of date.
  public var description: String { String(describing: value) }
}

/// Runs `body`, and depends on nothing that it reads: inside of a getter, an expression or an
/// ``ObservationController/autorun(isolation:file:line:_:)``, what only `body` reads is no
/// dependency.
///
///     observations.autorun { view in
///       view.show(document.text, savedAt: withUntrackedReads { clock.time })
///     }
///
/// - Parameter body: Runs at once, on this thread.
/// - Returns: The result of `body`.
/// - Complexity: That of `body`.
public func withUntrackedReads<Result>(_ body: () throws -> Result) rethrows -> Result {
  try AccessTracker.withoutTracking(body)
}
