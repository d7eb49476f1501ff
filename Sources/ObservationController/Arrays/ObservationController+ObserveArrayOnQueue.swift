import Dispatch

/// Observing arrays with a block that runs on a queue.
///
/// What waits for the queue is the changes, never the array, which would be copied by each edit: an
/// edit stays O(1) where it is O(1), and takes O(1) of memory until it is delivered. Each
/// observation has an array of its own, O(n) of memory, as it was delivered last. A delivery takes
/// what its edits took, and joined ones O(n) in the elements behind the first place that they
/// changed.
///
/// With ``ObservationCoalescing/none`` each change is delivered. Others are joined, while they
/// wait, to one ``ArrayChange/Kind/batch`` whose entries lead from the array delivered last to the
/// one now, with ``ArrayChange/changedIndices``; to one ``ArrayChange/Kind/element`` if only one
/// property of one element has changed; to one ``ArrayChange/Kind/setting`` if all elements were
/// set. Nothing is delivered if they have cancelled each other out.
extension ObservationController {
  /// Calls `handler` on `queue` after each change of an array.
  ///
  ///     observations.observeArray(school, \.names, on: indexing, coalescing: .latest) {
  ///       index, _, change in
  ///       index.update(change.difference)
  ///     }
  ///
  /// The changes move to `queue` with their elements, which have to be `Sendable`; they are applied
  /// to an array of the observation's own, and delivered in order, one job on the queue for each
  /// delivery, also on a concurrent queue. `handler` runs there with no lock held, after the edit
  /// has returned; not once the observation has ended, or observer or object are deallocated. It is
  /// released when the observation ends.
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
  ///   - queue: Serial or concurrent.
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
  public func observeArray<Object: AnyObject, Element: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .array(at: keyPath), elements, options, context, on: queue, coalescing, file,
      line, handler: handler)
  }

  /// Calls `handler` on `queue` after each change of an array that may be missing, and then counts
  /// as an empty one.
  ///
  /// The changes move to `queue` with their elements, which have to be `Sendable`; they are applied
  /// to an array of the observation's own, and delivered in order, one job on the queue for each
  /// delivery, also on a concurrent queue. `handler` runs there with no lock held, after the edit
  /// has returned; not once the observation has ended, or observer or object are deallocated. It is
  /// released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of elements. Delivering a change takes what the edit took.
  @inlinable
  @discardableResult
  public func observeArray<Object: AnyObject, Element: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .array(at: keyPath), elements, options, context, on: queue, coalescing, file,
      line, handler: handler)
  }

  /// Calls `handler` on `queue` after each change of a plain array, found by comparing it before
  /// and after.
  ///
  /// The changes move to `queue` with their elements, which have to be `Sendable`; they are applied
  /// to an array of the observation's own, and delivered in order, one job on the queue for each
  /// delivery, also on a concurrent queue. `handler` runs there with no lock held, after the edit
  /// has returned; not once the observation has ended, or observer or object are deallocated. It is
  /// released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of elements. Delivering a change takes what the edit took.
  @inlinable
  @discardableResult
  public func observeArray<Object: AnyObject, Element: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, [Element]>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .values(at: keyPath), elements, options, context, on: queue, coalescing,
      file, line, handler: handler)
  }

  /// Calls `handler` on `queue` after each change of a plain array that may be missing, and then
  /// counts as an empty one.
  ///
  /// The changes move to `queue` with their elements, which have to be `Sendable`; they are applied
  /// to an array of the observation's own, and delivered in order, one job on the queue for each
  /// delivery, also on a concurrent queue. `handler` runs there with no lock held, after the edit
  /// has returned; not once the observation has ended, or observer or object are deallocated. It is
  /// released when the observation ends.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(d + n), d being the number of properties that `keyPath` reads,
  ///   n that of elements. Delivering a change takes what the edit took.
  @inlinable
  @discardableResult
  public func observeArray<Object: AnyObject, Element: Sendable>(
    _ object: Object, _ keyPath: KeyPath<Object, [Element]?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .values(at: keyPath), elements, options, context, on: queue, coalescing,
      file, line, handler: handler)
  }

  /// Calls `handler` on `queue` after each change of `array`.
  ///
  /// The array is the observed object, which a controller that retains keeps alive until it is
  /// unobserved. `handler` runs on `queue` with no lock held, after the edit has returned, in the
  /// order of the changes; not once the observation has ended, or observer or array are
  /// deallocated. It receives the array as it is, which belongs to the thread that edits it: use
  /// the change.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(n). Delivering a change takes what the edit took.
  @inlinable
  @discardableResult
  public func observeArray<Element: Sendable>(
    _ array: ObservableArray<Element>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler: @escaping @Sendable (Observer, ObservableArray<Element>, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      array, \ObservableArray<Element>.elements, .array(itself: ObservableArray<Element>.self),
      elements, options, context, on: queue, coalescing, file, line, handler: handler)
  }
}

extension ObservationController {
  /// Registers a handler that runs on a queue; every `observeArray` on a queue ends here.
  @usableFromInline
  func observeArray<Object: AnyObject, Element: Sendable>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ elements: [PartialKeyPath<Element>], _ options: ObservationOptions,
    _ context: ObservationContext?, on queue: DispatchQueue, _ coalescing: ObservationCoalescing,
    _ file: String, _ line: UInt,
    handler: @escaping @Sendable (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, witness, elements, options, context, on: queue, coalescing, file, line,
      joining: QueuedChanges<DeliveredArray<Element>>(followsElements: !elements.isEmpty),
      handler: handler)
  }

  /// - Parameter changes: Joins changes that wait.
  func observeArray<Object: AnyObject, Element, Delivered: DeliveredCollection>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ elements: [PartialKeyPath<Element>], _ options: ObservationOptions,
    _ context: ObservationContext?, on queue: DispatchQueue, _ coalescing: ObservationCoalescing,
    _ file: String, _ line: UInt, joining changes: QueuedChanges<Delivered>,
    handler: @escaping @Sendable (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken where Delivered.Waiting.Change == ArrayChange<Element> {
    observe(
      keyPath, options, context, on: queue, coalescing, file, line, joining: changes,
      handler: handler
    ) { request, front, prepare in
      store.addArray(
        object, request, witness, elements, handler: front, prepare: prepare,
        invoke: ObservationHandler<Observer, Object, ArrayChange<Element>>.invocation)
    }
  }

  /// Registers a handler of the changes of a collection that runs on a queue.
  ///
  /// - Parameters:
  ///   - changes: Joins changes that wait.
  ///   - register: Registers the handler in front of the queue; receives also what begins with the
  ///     collection as it is.
  func observe<Object: AnyObject, Delivered: DeliveredCollection>(
    _ keyPath: AnyKeyPath, _ options: ObservationOptions, _ context: ObservationContext?,
    on queue: DispatchQueue, _ coalescing: ObservationCoalescing, _ file: String, _ line: UInt,
    joining changes: QueuedChanges<Delivered>,
    handler: @escaping @Sendable (Observer, Object, Delivered.Waiting.Change) -> Void,
    register: (
      ObservationRequest, ObservationHandler<Observer, Object, Delivered.Waiting.Change>,
      _ prepare: @escaping (ObservationToken, Delivered.Waiting.Change) -> Void
    ) -> ObservationToken
  ) -> ObservationToken {
    typealias Handler = ObservationHandler<Observer, Object, Delivered.Waiting.Change>
    let queued = QueuedHandler(
      Handler { handler($0, $1, $2.newValue) }, on: queue, coalescing: coalescing,
      joining: changes)
    var request = ObservationRequest(
      KeyPathAccess(naming: keyPath), options: options.subtracting(.prior), context: context,
      file: file, line: line)
    request.keepsElements = true
    let front: Handler = QueuedObservationHandler(queued) { _, _, change in
      _ = queued.add(old: nil, new: ValueBox(Delivered.Waiting(change.newValue)), change.kind)
    }
    return register(request, front) { token, initial in
      changes.begin(with: initial)
      queued.begin(for: token)
    }
  }
}
