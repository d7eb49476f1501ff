import Dispatch

/// Observing dictionaries with a block that runs on a queue.
///
/// What waits for the queue is the changes, never the dictionary, which would be copied by each
/// edit. Each observation has a dictionary of its own, O(n) of memory, as it was delivered last.
///
/// With ``ObservationCoalescing/none`` each change is delivered. Others are joined, while they
/// wait, to one ``DictionaryChange/Kind/batch`` that leads from the dictionary delivered last to
/// the one now; to one ``DictionaryChange/Kind/value`` if only one property of one value has
/// changed; to one ``DictionaryChange/Kind/setting`` if everything was set. Nothing is delivered if
/// they have cancelled each other out.
extension ObservationController {
  /// Calls `handler` on `queue` after each change of the dictionary at `keyPath`.
  ///
  ///     observations.observeDictionary(
  ///       settings, \.values, on: indexing, coalescing: .latest
  ///     ) { index, _, change in
  ///       index.update(change.entries)
  ///     }
  ///
  /// The changes move to `queue` with their keys and values, which have to be `Sendable`; one job
  /// there delivers each, in order, also on a concurrent queue. `handler` runs with no lock held,
  /// after the edit has returned; not once the observation has ended, or observer or object are
  /// deallocated. It is released when the observation ends.
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
  ///   - queue: Serial or concurrent.
  ///   - coalescing: Which changes are joined: none, those made before a delivery begins, those of
  ///     an interval, or those made until nothing has changed for some time.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Receives observer and object as they are: use of them what may be used there.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of values. Delivering a change takes what the edit took.
  @discardableResult
  public func observeDictionary<Object: AnyObject, Key: Hashable & Sendable, Value: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableDictionary<Key, Value>>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeDictionary(
      object, keyPath, .keyed(at: keyPath), values, options, context, on: queue, coalescing, file,
      line, handler: handler)
  }

  /// Calls `handler` on `queue` after each change of a dictionary that may be missing, and then
  /// counts as an empty one.
  ///
  /// The changes move to `queue` with their keys and values, which have to be `Sendable`; one job
  /// there delivers each, in order, also on a concurrent queue. `handler` runs with no lock held,
  /// after the edit has returned; not once the observation has ended, or observer or object are
  /// deallocated. It is released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of values. Delivering a change takes what the edit took.
  @discardableResult
  public func observeDictionary<Object: AnyObject, Key: Hashable & Sendable, Value: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableDictionary<Key, Value>?>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeDictionary(
      object, keyPath, .keyed(at: keyPath), values, options, context, on: queue, coalescing, file,
      line, handler: handler)
  }

  /// Calls `handler` on `queue` after each change of a plain dictionary, found by comparing it
  /// before and after.
  ///
  /// The changes move to `queue` with their keys and values, which have to be `Sendable`; one job
  /// there delivers each, in order, also on a concurrent queue. `handler` runs with no lock held,
  /// after the edit has returned; not once the observation has ended, or observer or object are
  /// deallocated. It is released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Each change is O(n), even of a mutation in place, which copies the dictionary.
  @discardableResult
  public func observeDictionary<Object: AnyObject, Key: Hashable & Sendable, Value: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, [Key: Value]>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeDictionary(
      object, keyPath, .table(at: keyPath), values, options, context, on: queue, coalescing, file,
      line, handler: handler)
  }

  /// Calls `handler` on `queue` after each change of `dictionary`.
  ///
  /// The dictionary is the observed object, which a controller that retains keeps alive until it is
  /// unobserved. `handler` runs on `queue` with no lock held, after the edit has returned, in the
  /// order of the changes; not once the observation has ended, or observer or dictionary are
  /// deallocated. It receives the dictionary as it is, which belongs to the thread that edits it:
  /// use the change.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(n). Delivering a change takes what the edit took.
  @discardableResult
  public func observeDictionary<Key: Hashable & Sendable, Value: Sendable>(
    _ dictionary: ObservableDictionary<Key, Value>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler:
      @escaping @Sendable (Observer, ObservableDictionary<Key, Value>, DictionaryChange<Key, Value>)
      -> Void
  ) -> ObservationToken {
    observeDictionary(
      dictionary, \ObservableDictionary<Key, Value>.elements,
      .keyed(itself: ObservableDictionary<Key, Value>.self), values,
      options, context, on: queue, coalescing, file, line,
      handler: handler)
  }

  /// Registers a handler that runs on a queue; every `observeDictionary` on a queue ends here.
  func observeDictionary<Object: AnyObject, Key: Hashable & Sendable, Value: Sendable>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ values: [PartialKeyPath<Value>], _ options: ObservationOptions,
    _ context: ObservationContext?, on queue: DispatchQueue, _ coalescing: ObservationCoalescing,
    _ file: String, _ line: UInt,
    handler: @escaping @Sendable (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeKeyed(
      object, keyPath, witness, values, options, context, on: queue, coalescing, file, line
    ) { (observer: Observer, object: Object, change: KeyedChange<[Key: Value]>) in
      handler(observer, object, DictionaryChange(change))
    }
  }
}
