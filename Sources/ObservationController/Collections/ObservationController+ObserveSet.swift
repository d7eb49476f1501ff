/// Observing sets: which elements came and left, and which properties of elements changed.
///
/// As arrays are observed by `observeArray`. An observation of the set is apart from one of the
/// property that holds it, and ``unobserve(_:_:)`` ends both. `.initial` delivers the set as it is
/// as ``SetChange/Kind/initial``; `.old` adds the elements before each change, for which an edit
/// copies them, O(n); `.distinct` leaves out changes after which nothing differs, at the same
/// price; `.prior` has no meaning here.
///
/// Registering is O(1), with key paths of elements O(n). An edit costs what it costs the set. A
/// change of an element is O(1).
extension ObservationController {
  /// Calls `handler` after each change of the set at `keyPath` and, for elements that are in it at
  /// the time, of the properties in `elements`.
  ///
  ///     observations.observeSet(library, \.tags) { list, _, change in
  ///       list.add(change.inserted)
  ///       list.remove(change.removed)
  ///     }
  ///
  /// Observing the set of the same object, key path and context again returns the first token.
  /// Setting another set is ``SetChange/Kind/setting``. A key path that reads neither an
  /// observable property nor a set reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``.
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: A property, or any nested or computed path, that leads to the set, which is not
  ///     kept alive.
  ///   - elements: The properties of elements to follow, which may be nested or computed. Only of
  ///     elements that are objects. Not kept alive either.
  ///   - options: What is delivered, and when.
  ///   - context: Distinguishes observations of the same object and key path.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Runs on the thread that made the change, before the edit or assignment returns,
  ///     once for each change, with no lock held. Released when the observation ends.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `keyPath` reads; O(d + n) with
  ///   `elements`.
  @inlinable
  @discardableResult
  public func observeSet<Object: AnyObject, Element: Hashable>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableSet<Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, SetChange<Element>) -> Void
  ) -> ObservationToken {
    observeSet(
      object, keyPath, .keyed(at: keyPath), elements, options, context, isolation, file, line,
      handler)
  }

  /// Calls `handler` after each change of a set that may be missing, and then counts as an empty
  /// one.
  ///
  /// `handler` runs on the thread that made the change, before the edit or assignment returns, once
  /// for each change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   elements to follow.
  @inlinable
  @discardableResult
  public func observeSet<Object: AnyObject, Element: Hashable>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableSet<Element>?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, SetChange<Element>) -> Void
  ) -> ObservationToken {
    observeSet(
      object, keyPath, .keyed(at: keyPath), elements, options, context, isolation, file, line,
      handler)
  }

  /// Calls `handler` after each change of a plain set, found by comparing it before and after.
  ///
  ///     observations.observeSet(library, \.authors) { list, _, change in
  ///       list.add(change.inserted)
  ///     }
  ///
  /// Elements are the same if they cannot be told apart. An assignment that changes nothing is a
  /// ``SetChange/Kind/batch`` without elements, unless `.distinct` is asked for. `handler` runs on
  /// the thread that made the change, before the assignment returns, once for each change, with no
  /// lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Each change is O(n), even of a mutation in place, which copies the set.
  @inlinable
  @discardableResult
  public func observeSet<Object: AnyObject, Element: Hashable>(
    _ object: Object, _ keyPath: KeyPath<Object, Set<Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, SetChange<Element>) -> Void
  ) -> ObservationToken {
    observeSet(
      object, keyPath, .table(at: keyPath), elements, options, context, isolation, file, line,
      handler)
  }

  /// Calls `handler` after each change of `set` and, for elements that are in it at the time, of
  /// the properties in `elements`.
  ///
  /// The set is the observed object, which a controller that retains keeps alive until it is
  /// unobserved, and the key path is `\.elements`. `handler` runs on the thread that made the
  /// change, before the edit returns, once for each change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1); O(n) with `elements`.
  @inlinable
  @discardableResult
  public func observeSet<Element: Hashable>(
    _ set: ObservableSet<Element>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler:
      @escaping (Observer, ObservableSet<Element>, SetChange<Element>) -> Void
  ) -> ObservationToken {
    observeSet(
      set, \ObservableSet<Element>.elements, .keyed(itself: ObservableSet<Element>.self), elements,
      options, context, isolation, file, line, handler)
  }

  @inlinable
  func observeSet<Object: AnyObject, Element: Hashable>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ elements: [PartialKeyPath<Element>], _ options: ObservationOptions,
    _ context: ObservationContext?, _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    _ handler: @escaping (Observer, Object, SetChange<Element>) -> Void
  ) -> ObservationToken {
    observeKeyed(
      object, keyPath, witness, elements, options, context, isolation, file, line
    ) { (observer: Observer, object: Object, change: KeyedChange<Set<Element>>) in
      handler(observer, object, SetChange(change))
    }
  }
}
