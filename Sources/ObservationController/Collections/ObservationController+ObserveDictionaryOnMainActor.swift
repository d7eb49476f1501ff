import Dispatch

/// Observing dictionaries with a block that runs on the main actor, wherever they are edited.
///
/// Changes wait, are joined and delivered as on a queue, see
/// ``observeDictionary(_:values:options:context:on:coalescing:file:line:handler:)``.
extension ObservationController {
  /// Calls `handler` on the main actor after each change of the dictionary at `keyPath`.
  ///
  ///     observations.observeDictionaryOnMainActor(
  ///       settings, \.values, coalescing: .latest
  ///     ) { index, _, change in
  ///       index.update(change.entries)
  ///     }
  ///
  /// A job on the main queue delivers the changes, also those made on the main thread. `handler`
  /// runs with no lock held, after the edit has returned; not once the observation has ended, or
  /// observer or object are deallocated. It is released when the observation ends.
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains; not by changes that
  ///     wait.
  ///   - keyPath: A property, or any nested or computed path, that leads to the dictionary.
  ///   - values: The properties of values to follow, which may be nested or computed.
  ///   - options: `.initial` delivers the dictionary as it is before all changes, `.old` adds the
  ///     elements before each, `.distinct` leaves out changes after which nothing differs. None of
  ///     them makes an edit copy the dictionary.
  ///   - context: Distinguishes observations of the same object and key path.
  ///   - coalescing: Which changes are joined: none, those made before a delivery begins, those of
  ///     an interval, or those made until nothing has changed for some time.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Receives observer and object as they are: use of them what may be used there.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of values. Delivering a change takes what the edit took.
  @discardableResult
  public func observeDictionaryOnMainActor<
    Object: AnyObject, Key: Hashable & Sendable, Value: Sendable
  >(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableDictionary<Key, Value>>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeDictionary(
      object, keyPath, .keyed(at: keyPath), values, options, context, on: .main, coalescing, file,
      line, handler: onMainActor(handler))
  }

  /// Calls `handler` on the main actor after each change of a dictionary that may be missing, and
  /// then counts as an empty one.
  ///
  /// A job on the main queue delivers the changes, also those made on the main thread. `handler`
  /// runs with no lock held, after the edit has returned; not once the observation has ended, or
  /// observer or object are deallocated. It is released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of values. Delivering a change takes what the edit took.
  @discardableResult
  public func observeDictionaryOnMainActor<
    Object: AnyObject, Key: Hashable & Sendable, Value: Sendable
  >(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableDictionary<Key, Value>?>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeDictionary(
      object, keyPath, .keyed(at: keyPath), values, options, context, on: .main, coalescing, file,
      line, handler: onMainActor(handler))
  }

  /// Calls `handler` on the main actor after each change of a plain dictionary, found by comparing
  /// it before and after.
  ///
  /// A job on the main queue delivers the changes, also those made on the main thread. `handler`
  /// runs with no lock held, after the edit has returned; not once the observation has ended, or
  /// observer or object are deallocated. It is released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Each change is O(n), even of a mutation in place, which copies the dictionary.
  @discardableResult
  public func observeDictionaryOnMainActor<
    Object: AnyObject, Key: Hashable & Sendable, Value: Sendable
  >(
    _ object: Object, _ keyPath: KeyPath<Object, [Key: Value]>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @MainActor (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeDictionary(
      object, keyPath, .table(at: keyPath), values, options, context, on: .main, coalescing, file,
      line, handler: onMainActor(handler))
  }

  /// Calls `handler` on the main actor after each change of `dictionary`.
  ///
  /// The dictionary is the observed object, which a controller that retains keeps alive until it is
  /// unobserved. `handler` runs on the main actor with no lock held, after the edit has returned,
  /// in the order of the changes; not once the observation has ended, or observer or dictionary are
  /// deallocated. It receives the dictionary as it is, which belongs to the thread that edits it:
  /// use the change.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(n). Delivering a change takes what the edit took.
  @discardableResult
  public func observeDictionaryOnMainActor<Key: Hashable & Sendable, Value: Sendable>(
    _ dictionary: ObservableDictionary<Key, Value>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler:
      @escaping @MainActor (
        Observer, ObservableDictionary<Key, Value>, DictionaryChange<Key, Value>
      ) -> Void
  ) -> ObservationToken {
    observeDictionary(
      dictionary, \ObservableDictionary<Key, Value>.elements,
      .keyed(itself: ObservableDictionary<Key, Value>.self), values,
      options, context, on: .main, coalescing, file, line,
      handler: onMainActor(handler))
  }
}
