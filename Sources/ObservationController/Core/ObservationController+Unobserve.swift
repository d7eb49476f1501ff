/// Ending observations. Each of these may be called anywhere, also inside a handler, in a deinit and
/// on another thread. Once it returns, no delivery on this thread follows, and on another thread at
/// most the call already running finishes.
extension ObservationController {
  /// Ends the observations of `keyPath` on `object`, of whatever context.
  ///
  /// Nothing happens if there is none. Ends each of them as ``ObservationToken/invalidate()`` does.
  ///
  /// - Complexity: O(k) in the observations to end, whatever else is observed; each as
  ///   ``ObservationToken/invalidate()``.
  public func unobserve<Object: AnyObject>(_ object: Object, _ keyPath: PartialKeyPath<Object>) {
    store.end(store.infosToEnd(of: object, at: keyPath))
  }

  /// Ends the observation of `keyPath` on `object` with this context; `nil` is the one that was
  /// registered without a context.
  ///
  /// Nothing happens if there is none. Ends each of them as ``ObservationToken/invalidate()`` does.
  ///
  /// - Complexity: O(k) in the observations to end, whatever else is observed; each as
  ///   ``ObservationToken/invalidate()``.
  public func unobserve<Object: AnyObject>(
    _ object: Object, _ keyPath: PartialKeyPath<Object>, context: ObservationContext?
  ) {
    store.end(store.infosToEnd(of: object, at: keyPath, context: .some(context)))
  }

  /// Ends all observations of `object`, and lets go of it.
  ///
  /// Nothing happens if it is not observed. Ends each of them as ``ObservationToken/invalidate()``
  /// does.
  ///
  /// - Complexity: O(n) in this controller's observations of `object`; each as
  ///   ``ObservationToken/invalidate()``.
  public func unobserve(_ object: AnyObject) {
    store.end(store.infosToEnd(of: object))
  }

  /// Ends all observations, and lets go of all observed objects.
  ///
  /// Nothing happens if there is none. Ends each of them as ``ObservationToken/invalidate()`` does.
  ///
  /// - Complexity: O(n) in this controller's observations.
  public func unobserveAll() {
    store.endAll()
  }

  /// Whether `keyPath` of `object` is observed by this controller, with whatever context.
  ///
  /// - Complexity: O(k) in this controller's observations of `keyPath`.
  public func isObserving<Object: AnyObject>(
    _ object: Object, _ keyPath: PartialKeyPath<Object>
  ) -> Bool {
    !store.infos(of: object, at: keyPath).isEmpty
  }
}
