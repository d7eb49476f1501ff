import Observation

/// Sequences without a controller of one's own.
///
///     iterator ──▶ buffer ──▶ token ──▶ handler ──▶ controller ──▶ object      strong
///                                          ▲             │
///                                          └─────────────┘              strong, until it ends
///
/// The observation ends when no iterator is left, or its task is cancelled, and releases the
/// handler. So whoever leaves the loop leaves nothing behind.
extension ObservationChanges where Value: Sendable {
  /// Makes a sequence of the changes of the value at `keyPath`, one by one, from now on.
  ///
  ///     for await change in ObservationChanges(of: account, \.balance) {
  ///       ledger.append(change.newValue - (change.oldValue ?? 0))
  ///     }
  ///
  /// Each makes an observation of its own, which begins with this call, so that no change before
  /// the loop is lost, and ends as ``ObservationChanges`` says, though with no controller or
  /// observer: when the sequence and its iterators are released, the task is cancelled, or an
  /// unretained object is deallocated. A key path that reads no observable property reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``; the sequence then ends at once.
  ///
  /// - Parameters:
  ///   - object: Retained until the observation ends, unless `retainsObserved` is `false`.
  ///   - keyPath: As ``ObservationController/changes(of:_:options:bufferingPolicy:file:line:)`` has
  ///     it.
  ///   - options: Options of the observation: `.initial` and `.prior` are elements too.
  ///   - retainsObserved: Whether to keep the object alive. If not, its deallocation ends the loop.
  ///   - bufferingPolicy: Policy for changes that the loop has not taken yet.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Complexity: O(d), d being the number of properties that `keyPath` reads.
  public init<Object: AnyObject>(
    of object: Object, _ keyPath: KeyPath<Object, Value>, options: ObservationOptions = .old,
    retainsObserved: Bool = true,
    bufferingPolicy: AsyncStream<ObservedChange<Value>>.Continuation.BufferingPolicy = .unbounded,
    file: String = #fileID, line: UInt = #line
  ) {
    let controller = SequenceObserver.makeController(retainsObserved)
    stream = controller.stream(
      of: .reading(keyPath), options, bufferingPolicy, file: file, line: line
    ) { request, send in
      controller.register(object, request, isolation: nil) {
        (_, _, change: ObservedChange<Value>) in
        withExtendedLifetime(controller) { send(change) }
      }
    }
  }
}

extension ObservationValues where Value: Sendable {
  /// Makes a sequence of the value at `keyPath`, and of the new one after each change from now on.
  ///
  ///     for await name in ObservationValues(of: person, \.name) {
  ///       title = name
  ///     }
  ///
  /// Begins and ends as a sequence by
  /// ``ObservationChanges/init(of:_:options:retainsObserved:bufferingPolicy:file:line:)`` does.
  ///
  /// - Parameters:
  ///   - object: Retained until the observation ends, unless `retainsObserved` is `false`.
  ///   - keyPath: As ``ObservationController/changes(of:_:options:bufferingPolicy:file:line:)`` has
  ///     it.
  ///   - retainsObserved: Whether to keep the object alive. If not, its deallocation ends the loop.
  ///   - bufferingPolicy: Policy for values that the loop has not taken yet; `.bufferingNewest(1)`
  ///     where only the latest one matters.
  ///   - isolation: Not used: the compiler prefers the one for `Observable` objects to this one
  ///     only if both have these parameters.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Complexity: O(d), d being the number of properties that `keyPath` reads.
  public init<Object: AnyObject>(
    of object: Object, _ keyPath: KeyPath<Object, Value>, retainsObserved: Bool = true,
    bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) {
    let controller = SequenceObserver.makeController(retainsObserved)
    self = controller.values(
      of: object, keyPath, trackedOn: nil, bufferingPolicy, file: file, line: line,
      retaining: controller)
  }

  /// Makes a sequence of the value at `keyPath` of an `Observable` object, and of the new one after
  /// changes from now on.
  ///
  /// Follows properties of Observation too, in the isolation of this call, as
  /// ``ObservationController/values(of:_:bufferingPolicy:isolation:file:line:)-bssh`` says.
  ///
  /// - Parameters:
  ///   - object: Retained until the observation ends, unless `retainsObserved` is `false`.
  ///   - keyPath: Read by this call, and twice for each element.
  ///   - retainsObserved: Whether to keep the object alive. If not, its deallocation ends the loop.
  ///   - bufferingPolicy: Policy for values that the loop has not taken yet.
  ///   - isolation: Isolation that the object is used in, filled in by the compiler.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Complexity: Each element costs a task on `isolation`.
  public init<Object: AnyObject & Observable>(
    of object: Object, _ keyPath: KeyPath<Object, Value>, retainsObserved: Bool = true,
    bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    isolation: isolated (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) {
    let controller = SequenceObserver.makeController(retainsObserved)
    let actor = controller.actor(tracking: object, keyPath, on: isolation)
    self = controller.values(
      of: object, keyPath, trackedOn: actor, bufferingPolicy, file: file, line: line,
      retaining: controller)
  }
}

/// Observer of all sequences without a controller.
private final class SequenceObserver: Sendable {
  private static let shared = SequenceObserver()

  static func makeController(_ retainsObserved: Bool) -> ObservationController<SequenceObserver> {
    ObservationController(observer: shared, retainsObserved: retainsObserved)
  }
}
