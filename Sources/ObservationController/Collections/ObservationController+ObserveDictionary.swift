/// Observing dictionaries: which keys came, left and got other values, and which properties of
/// values changed.
///
/// As arrays are observed by `observeArray`. An observation of the dictionary is apart from one of
/// the property that holds it, and ``unobserve(_:_:)`` ends both. `.initial` delivers the
/// dictionary as it is as ``DictionaryChange/Kind/initial``; `.old` adds the elements before each
/// change, for which an edit copies them, O(n); `.distinct` leaves out changes after which nothing
/// differs, at the same price; `.prior` has no meaning here.
///
/// Registering is O(1), with key paths of values O(n). An edit costs what it costs the dictionary.
/// A change of a value is O(1), and O(n) for a value that has several keys.
extension ObservationController {
  /// Calls `handler` after each change of the dictionary at `keyPath` and, for values that are in
  /// it at the time, of the properties in `values`.
  ///
  ///     observations.observeDictionary(settings, \.values) { panel, _, change in
  ///       for entry in change.entries { panel.show(entry.newValue, for: entry.key) }
  ///     }
  ///
  /// Observing the dictionary of the same object, key path and context again returns the first
  /// token. Setting another dictionary is ``DictionaryChange/Kind/setting``. A key path that reads
  /// neither an observable property nor a dictionary reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``.
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: A property, or any nested or computed path, that leads to the dictionary, which
  ///     is not kept alive.
  ///   - values: The properties of values to follow, which may be nested or computed. Only of
  ///     values that are objects. Not kept alive either.
  ///   - options: What is delivered, and when.
  ///   - context: Distinguishes observations of the same object and key path.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Runs on the thread that made the change, before the edit or assignment returns,
  ///     once for each change, with no lock held. Released when the observation ends.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `keyPath` reads; O(d + n) with
  ///   `values`.
  @inlinable
  @discardableResult
  public func observeDictionary<Object: AnyObject, Key: Hashable, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableDictionary<Key, Value>>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeDictionary(
      object, keyPath, .keyed(at: keyPath), values, options, context, isolation, file, line,
      handler)
  }

  /// Calls `handler` after each change of a dictionary that may be missing, and then counts as an
  /// empty one.
  ///
  /// `handler` runs on the thread that made the change, before the edit or assignment returns, once
  /// for each change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   values to follow.
  @inlinable
  @discardableResult
  public func observeDictionary<Object: AnyObject, Key: Hashable, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableDictionary<Key, Value>?>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeDictionary(
      object, keyPath, .keyed(at: keyPath), values, options, context, isolation, file, line,
      handler)
  }

  /// Calls `handler` after each change of a plain dictionary, found by comparing it before and
  /// after.
  ///
  ///     observations.observeDictionary(cart, \.amounts) { list, _, change in
  ///       list.show(change.entries)
  ///     }
  ///
  /// Values are the same if they cannot be told apart. An assignment that changes nothing is a
  /// ``DictionaryChange/Kind/batch`` without entries, unless `.distinct` is asked for. `handler`
  /// runs on the thread that made the change, before the assignment returns, once for each change,
  /// with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Each change is O(n), even of a mutation in place, which copies the dictionary.
  @inlinable
  @discardableResult
  public func observeDictionary<Object: AnyObject, Key: Hashable, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, [Key: Value]>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeDictionary(
      object, keyPath, .table(at: keyPath), values, options, context, isolation, file, line,
      handler)
  }

  /// Calls `handler` after each change of `dictionary` and, for values that are in it at the time,
  /// of the properties in `values`.
  ///
  /// The dictionary is the observed object, which a controller that retains keeps alive until it is
  /// unobserved, and the key path is `\.elements`. `handler` runs on the thread that made the
  /// change, before the edit returns, once for each change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1); O(n) with `values`.
  @inlinable
  @discardableResult
  public func observeDictionary<Key: Hashable, Value>(
    _ dictionary: ObservableDictionary<Key, Value>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler:
      @escaping (Observer, ObservableDictionary<Key, Value>, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeDictionary(
      dictionary, \ObservableDictionary<Key, Value>.elements,
      .keyed(itself: ObservableDictionary<Key, Value>.self), values,
      options, context, isolation, file, line, handler)
  }

  @inlinable
  func observeDictionary<Object: AnyObject, Key: Hashable, Value>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ values: [PartialKeyPath<Value>], _ options: ObservationOptions,
    _ context: ObservationContext?, _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    _ handler: @escaping (Observer, Object, DictionaryChange<Key, Value>) -> Void
  ) -> ObservationToken {
    observeKeyed(
      object, keyPath, witness, values, options, context, isolation, file, line
    ) { (observer: Observer, object: Object, change: KeyedChange<[Key: Value]>) in
      handler(observer, object, DictionaryChange(change))
    }
  }
}
