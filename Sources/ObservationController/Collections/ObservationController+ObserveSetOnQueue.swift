import Dispatch

/// Observing sets with a block that runs on a queue.
///
/// What waits for the queue is the changes, never the set, which would be copied by each edit.
/// Each observation has a set of its own, O(n) of memory, as it was delivered last.
///
/// With ``ObservationCoalescing/none`` each change is delivered. Others are joined, while they
/// wait, to one ``SetChange/Kind/batch`` that leads from the set delivered last to the one
/// now; to one ``SetChange/Kind/element`` if only one property of one element has changed; to
/// one ``SetChange/Kind/setting`` if everything was set. Nothing is delivered if they have
/// cancelled each other out.
extension ObservationController {
  /// Calls `handler` on `queue` after each change of the set at `keyPath`.
  ///
  ///     observations.observeSet(
  ///       library, \.tags, on: indexing, coalescing: .latest
  ///     ) { index, _, change in
  ///       index.update(change.inserted)
  ///     }
  ///
  /// The changes move to `queue` with their elements, which have to be `Sendable`; one job there
  /// delivers each, in order, also on a concurrent queue. `handler` runs with no lock held, after
  /// the edit has returned; not once the observation has ended, or observer or object are
  /// deallocated. It is released when the observation ends.
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains; not by changes that
  ///     wait.
  ///   - keyPath: A property, or any nested or computed path, that leads to the set.
  ///   - elements: The properties of elements to follow, which may be nested or computed.
  ///   - options: `.initial` delivers the set as it is before all changes, `.old` adds the
  ///     elements before each, `.distinct` leaves out changes after which nothing differs. None of
  ///     them makes an edit copy the set.
  ///   - context: Distinguishes observations of the same object and key path.
  ///   - queue: Serial or concurrent.
  ///   - coalescing: Which changes are joined: none, those made before a delivery begins, those of
  ///     an interval, or those made until nothing has changed for some time.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Receives observer and object as they are: use of them what may be used there.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of elements. Delivering a change takes what the edit took.
  @discardableResult
  public func observeSet<Object: AnyObject, Element: Hashable & Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableSet<Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, SetChange<Element>) -> Void
  ) -> ObservationToken {
    observeSet(
      object, keyPath, .keyed(at: keyPath), elements, options, context, on: queue, coalescing, file,
      line, handler: handler)
  }

  /// Calls `handler` on `queue` after each change of a set that may be missing, and then counts as
  /// an empty one.
  ///
  /// The changes move to `queue` with their elements, which have to be `Sendable`; one job there
  /// delivers each, in order, also on a concurrent queue. `handler` runs with no lock held, after
  /// the edit has returned; not once the observation has ended, or observer or object are
  /// deallocated. It is released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of elements. Delivering a change takes what the edit took.
  @discardableResult
  public func observeSet<Object: AnyObject, Element: Hashable & Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableSet<Element>?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, SetChange<Element>) -> Void
  ) -> ObservationToken {
    observeSet(
      object, keyPath, .keyed(at: keyPath), elements, options, context, on: queue, coalescing, file,
      line, handler: handler)
  }

  /// Calls `handler` on `queue` after each change of a plain set, found by comparing it before and
  /// after.
  ///
  /// The changes move to `queue` with their elements, which have to be `Sendable`; one job there
  /// delivers each, in order, also on a concurrent queue. `handler` runs with no lock held, after
  /// the edit has returned; not once the observation has ended, or observer or object are
  /// deallocated. It is released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Each change is O(n), even of a mutation in place, which copies the set.
  @discardableResult
  public func observeSet<Object: AnyObject, Element: Hashable & Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, Set<Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, SetChange<Element>) -> Void
  ) -> ObservationToken {
    observeSet(
      object, keyPath, .table(at: keyPath), elements, options, context, on: queue, coalescing, file,
      line, handler: handler)
  }

  /// Calls `handler` on `queue` after each change of `set`.
  ///
  /// The set is the observed object, which a controller that retains keeps alive until it is
  /// unobserved. `handler` runs on `queue` with no lock held, after the edit has returned, in the
  /// order of the changes; not once the observation has ended, or observer or set are
  /// deallocated. It receives the set as it is, which belongs to the thread that edits it: use
  /// the change.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(n). Delivering a change takes what the edit took.
  @discardableResult
  public func observeSet<Element: Hashable & Sendable>(
    _ set: ObservableSet<Element>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, ObservableSet<Element>, SetChange<Element>) -> Void
  ) -> ObservationToken {
    observeSet(
      set, \ObservableSet<Element>.elements, .keyed(itself: ObservableSet<Element>.self), elements,
      options, context, on: queue, coalescing, file, line,
      handler: handler)
  }

  /// Registers a handler that runs on a queue; every `observeSet` on a queue ends here.
  func observeSet<Object: AnyObject, Element: Hashable & Sendable>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ elements: [PartialKeyPath<Element>], _ options: ObservationOptions,
    _ context: ObservationContext?, on queue: DispatchQueue, _ coalescing: ObservationCoalescing,
    _ file: String, _ line: UInt,
    handler: @escaping @Sendable (Observer, Object, SetChange<Element>) -> Void
  ) -> ObservationToken {
    observeKeyed(
      object, keyPath, witness, elements, options, context, on: queue, coalescing, file, line
    ) { (observer: Observer, object: Object, change: KeyedChange<Set<Element>>) in
      handler(observer, object, SetChange(change))
    }
  }
}
