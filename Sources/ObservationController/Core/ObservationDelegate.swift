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
  /// Tells the observer of one change of one observed value.
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
