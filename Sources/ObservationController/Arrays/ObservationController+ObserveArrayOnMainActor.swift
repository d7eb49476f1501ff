import Dispatch

/// Observing arrays with a block that runs on the main actor, wherever the array is edited.
///
/// Changes wait, are joined and delivered as on a queue, see
/// ``observeArray(_:elements:options:context:on:coalescing:file:line:handler:)``.
extension ObservationController {
  /// Calls `handler` on the main actor after each change of an array.
  ///
  ///     observations.observeArrayOnMainActor(
  ///       school, \.names, coalescing: .interval(.milliseconds(16))
  ///     ) { list, _, change in
  ///       list.animate(change.difference)
  ///     }
  ///
  /// A job on the main queue delivers the changes, also those made on the main thread. They are
  /// applied to an array of the observation's own, so that edits copy nothing, and delivered in
  /// order. `handler` runs with no lock held, after the edit has returned; not once the observation
  /// has ended, or observer or object are deallocated. It is released when the observation ends.
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains; not by changes that
  ///     wait.
  ///   - keyPath: A property, or any nested or computed path, that leads to the array.
  ///   - elements: The properties of elements to follow, as in
  ///     ``observeArray(_:elements:options:context:isolation:file:line:handler:)``.
  ///   - options: `.initial` delivers the array as it is before all changes, `.old` adds the
  ///     elements before each, `.distinct` leaves out changes after which the array, or the
  ///     property of the element, equals what it was. None of them makes an edit copy the array.
  ///   - context: Distinguishes observations of the same object and key path.
  ///   - coalescing: Which changes are joined: none, those made before a delivery begins, those of
  ///     an interval, or those made until nothing has changed for some time.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Receives observer and object as they are: use of them what may be used there.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of elements. Delivering a change takes what the edit took.
  @inlinable
  @discardableResult
  public func observeArrayOnMainActor<Object: AnyObject, Element: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .array(at: keyPath), elements, options, context, on: .main, coalescing, file,
      line, handler: onMainActor(handler))
  }

  /// Calls `handler` on the main actor after each change of an array that may be missing, and then
  /// counts as an empty one.
  ///
  /// A job on the main queue delivers the changes, also those made on the main thread. They are
  /// applied to an array of the observation's own, so that edits copy nothing, and delivered in
  /// order. `handler` runs with no lock held, after the edit has returned; not once the observation
  /// has ended, or observer or object are deallocated. It is released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of elements. Delivering a change takes what the edit took.
  @inlinable
  @discardableResult
  public func observeArrayOnMainActor<Object: AnyObject, Element: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .array(at: keyPath), elements, options, context, on: .main, coalescing, file,
      line, handler: onMainActor(handler))
  }

  /// Calls `handler` on the main actor after each change of a plain array, found by comparing it
  /// before and after.
  ///
  /// A job on the main queue delivers the changes, also those made on the main thread. They are
  /// applied to an array of the observation's own, so that edits copy nothing, and delivered in
  /// order. `handler` runs with no lock held, after the edit has returned; not once the observation
  /// has ended, or observer or object are deallocated. It is released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of elements. Delivering a change takes what the edit took.
  @inlinable
  @discardableResult
  public func observeArrayOnMainActor<Object: AnyObject, Element: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, [Element]>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .values(at: keyPath), elements, options, context, on: .main, coalescing,
      file, line, handler: onMainActor(handler))
  }

  /// Calls `handler` on the main actor after each change of a plain array that may be missing, and
  /// then counts as an empty one.
  ///
  /// A job on the main queue delivers the changes, also those made on the main thread. They are
  /// applied to an array of the observation's own, so that edits copy nothing, and delivered in
  /// order. `handler` runs with no lock held, after the edit has returned; not once the observation
  /// has ended, or observer or object are deallocated. It is released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of elements. Delivering a change takes what the edit took.
  @inlinable
  @discardableResult
  public func observeArrayOnMainActor<Object: AnyObject, Element: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, [Element]?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .values(at: keyPath), elements, options, context, on: .main, coalescing,
      file, line, handler: onMainActor(handler))
  }

  /// Calls `handler` on the main actor after each change of `array`.
  ///
  /// The array is the observed object, which a controller that retains keeps alive until it is
  /// unobserved. `handler` runs on the main actor with no lock held, after the edit has returned,
  /// in the order of the changes; not once the observation has ended, or observer or array are
  /// deallocated. It receives the array as it is, which belongs to the thread that edits it: use
  /// the change.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(n). Delivering a change takes what the edit took.
  @inlinable
  @discardableResult
  public func observeArrayOnMainActor<Element: Sendable>(
    _ array: ObservableArray<Element>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, ObservableArray<Element>, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      array, \ObservableArray<Element>.elements, .array(itself: ObservableArray<Element>.self),
      elements, options, context, on: .main, coalescing, file, line, handler: onMainActor(handler))
  }
}

extension ObservationController {
  /// The handler as one that runs on the main queue.
  @usableFromInline
  func onMainActor<Object: AnyObject, Change: Sendable>(
    _ handler: @escaping @MainActor (Observer, Object, Change) -> Void
  ) -> @Sendable (Observer, Object, Change) -> Void {
    { observer, object, change in
      // Unchecked, because they do not change threads here: the job that loaded them runs on the
      // main thread.
      nonisolated(unsafe) let (observer, object) = (observer, object)
      MainActor.assumeIsolated { handler(observer, object, change) }
    }
  }
}
