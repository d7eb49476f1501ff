import ObservationController

/// Holds a value of any type, and leads to it by a computed property too.
package final class Holder<Value> {
  @Observed package var value: Value

  package init(_ value: Value) {
    self.value = value
  }

  /// Observed as a path.
  package var copy: Value { value }
}
