/// What the compiler says where the property that holds an ``ObservableArray`` is observed, and its edits are
/// most likely meant.
///
/// They differ from the others by their last label, which nobody writes; who means it passes `handler:`.
extension ObservationController {
  /// Calls `handler` when another array is set, and never when the array is edited; `observeArray` does both.
  ///
  /// A path that reads the array, as `\.students.count`, is told of edits too.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message: "Tells that another array is set, never of edits; use observeArray, which tells both"
  )
  @inlinable
  @discardableResult
  public func observe<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    whenSet handler: @escaping (Observer, Object, ObservedChange<ObservableArray<Element>>) -> Void
  ) -> ObservationToken {
    observe(
      object, keyPath, options, context, by: .block, isolation, file, line, handler: handler)
  }

  /// Calls `handler` when another array is set, or none, and never when the array is edited; `observeArray`
  /// does both.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message: "Tells that another array is set, never of edits; use observeArray, which tells both"
  )
  @inlinable
  @discardableResult
  public func observe<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>?>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    whenSet handler: @escaping (Observer, Object, ObservedChange<ObservableArray<Element>?>) -> Void
  ) -> ObservationToken {
    observe(
      object, keyPath, options, context, by: .block, isolation, file, line, handler: handler)
  }
}
