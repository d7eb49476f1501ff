/// The changes of one value, in their order, for a `for await` loop.
///
/// Returned by ``ObservationController/changes(of:_:options:bufferingPolicy:file:line:)``. Changes
/// wait in a buffer until the loop takes them, and keep their values alive meanwhile, and nothing
/// else.
///
/// The loop ends, after the changes in the buffer, when the observation does: when the object or
/// key path is unobserved, when the controller or an unretained object is deallocated, and when the
/// observer is, at the latest with the next change if the controller still exists. The observation
/// ends when no loop is left to take changes: when the loop's task is cancelled, and when the
/// sequence and its iterators are released. Leaving the loop by `break` is enough if nothing else
/// holds the sequence.
///
///     @MainActor
///     final class Badge {
///       func follow(_ account: Account) {
///         let changes = observations.changes(of: account, \.unread)
///         // Held weakly: the loop waits as long as the controller lives, which `self` owns.
///         task = Task { [weak self] in
///           for await change in changes { self?.show(change.newValue) }
///         }
///       }
///     }
///
/// A sequence is for one loop, as an `AsyncStream` is: with several iterators, each change goes to
/// one of them. Each call of the controller returns another sequence.
public struct ObservationChanges<Value> {
  let stream: AsyncStream<ObservedChange<Value>>
}

extension ObservationChanges: AsyncSequence {
  /// One change.
  public typealias Element = ObservedChange<Value>

  /// The sequence ends, and never throws.
  public typealias Failure = Never

  /// Iterator for one task at a time. Keeps the observation active as long as it is held.
  ///
  /// `next()` waits for a change. It returns `nil` when the observation has ended and all changes
  /// before that have been taken, and when the task is cancelled, which ends the observation.
  public typealias Iterator = AsyncStream<ObservedChange<Value>>.Iterator

  /// Returns an iterator. Several iterators share the changes: each one goes to one of them.
  ///
  /// - Complexity: O(1).
  public func makeAsyncIterator() -> Iterator {
    stream.makeAsyncIterator()
  }
}

/// A stream is `Sendable` where its elements are.
extension ObservationChanges: Sendable where Value: Sendable {}

/// The current value, and the new value after each change, for a `for await` loop.
///
/// Returned by ``ObservationController/values(of:_:bufferingPolicy:isolation:file:line:)-bssh``.
/// Values wait in a buffer until the loop takes them.
///
/// The sequence and its observation end as those of ``ObservationChanges`` do. It is for one loop.
public struct ObservationValues<Value> {
  let stream: AsyncStream<Value>
}

extension ObservationValues: AsyncSequence {
  /// One value.
  public typealias Element = Value

  /// The sequence ends, and never throws.
  public typealias Failure = Never

  /// Iterator for one task at a time. Keeps the observation active as long as it is held.
  ///
  /// `next()` waits for a value. It returns `nil` when the observation has ended and all values
  /// before that have been taken, and when the task is cancelled, which ends the observation.
  public typealias Iterator = AsyncStream<Value>.Iterator

  /// Returns an iterator. Several iterators share the values: each one goes to one of them.
  ///
  /// - Complexity: O(1).
  public func makeAsyncIterator() -> Iterator {
    stream.makeAsyncIterator()
  }
}

/// A stream is `Sendable` where its elements are.
extension ObservationValues: Sendable where Value: Sendable {}

/// Observing with a loop.
extension ObservationController {
  /// The changes of the value at `keyPath`, one by one, from now on.
  ///
  ///     for await change in observations.changes(of: account, \.balance) {
  ///       ledger.append(change.newValue - (change.oldValue ?? 0))
  ///     }
  ///
  /// The observation begins with this call, so that no change before the loop is lost. Each call
  /// makes an observation of its own. ``ObservationChanges`` says when it ends.
  ///
  /// A key path that reads no observable property reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``; the sequence then ends at once, as
  /// it does if the observer has been deallocated.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it. The
  ///     values may go to another thread, so that they have to be `Sendable`.
  ///   - options: Options of the observation: `.initial` and `.prior` are elements too.
  ///   - bufferingPolicy: Policy for changes that the loop has not taken yet.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A sequence for one loop.
  /// - Complexity: As ``observe(_:_:options:context:isolation:file:line:handler:)``.
  public func changes<Object: AnyObject, Value: Sendable>(
    of object: Object, _ keyPath: KeyPath<Object, Value>,
    options: ObservationOptions = .old,
    bufferingPolicy: AsyncStream<ObservedChange<Value>>.Continuation.BufferingPolicy = .unbounded,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationChanges<Value> {
    ObservationChanges(
      stream: stream(of: .reading(keyPath), options, bufferingPolicy, file: file, line: line) {
        request, send in
        register(object, request, isolation: nil) { send($2) }
      })
  }

  /// The value at `keyPath`, and the new one after each change from now on.
  ///
  ///     for await name in observations.values(of: person, \.name) {
  ///       title = name
  ///     }
  ///
  /// Everything else is as with ``changes(of:_:options:bufferingPolicy:file:line:)``.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it; its
  ///     values have to be `Sendable`.
  ///   - bufferingPolicy: Policy for values that the loop has not taken yet; `.bufferingNewest(1)`
  ///     where only the latest one matters.
  ///   - isolation: Not used: the compiler prefers the method for `Observable` objects to this one
  ///     only if both have these parameters.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A sequence for one loop.
  /// - Complexity: As ``observe(_:_:options:context:isolation:file:line:handler:)``.
  public func values<Object: AnyObject, Value: Sendable>(
    of object: Object, _ keyPath: KeyPath<Object, Value>,
    bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> ObservationValues<Value> {
    values(of: object, keyPath, trackedOn: nil, bufferingPolicy, file: file, line: line)
  }

  /// A stream that an observation of its own feeds, and which ends with it.
  ///
  ///     token ──▶ handler ──▶ end, buffer ◀── sequence, iterator     strong
  ///       ▲                        │
  ///       └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘                                weak
  ///
  /// The end of the observation releases the handler, outside of every lock, and with it what
  /// finishes the stream. The buffer invalidates the token when no iterator is left. Neither calls
  /// the other under a lock.
  ///
  /// - Parameter register: Registers the observation, whose handler keeps the function that sends.
  func stream<Element: Sendable>(
    of access: KeyPathAccess, _ options: ObservationOptions,
    _ bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy, file: String, line: UInt,
    register: (ObservationRequest, @escaping (Element) -> Void) -> ObservationToken
  ) -> AsyncStream<Element> {
    let request = ObservationRequest(
      access, options: options, isOneOfMany: true, file: file, line: line)
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: bufferingPolicy)
    let end = ReleaseAction { continuation.finish() }
    let token = register(request) { element in
      withExtendedLifetime(end) { _ = continuation.yield(element) }
    }
    continuation.onTermination = { [weak token] _ in token?.invalidate() }
    if store.isDone(token) { token.invalidate() }
    return stream
  }
}
