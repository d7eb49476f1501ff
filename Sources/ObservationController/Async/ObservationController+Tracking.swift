import Observation

/// Following models of the standard library's Observation with a loop.
extension ObservationController {
  /// The value at `keyPath` of an `Observable` object, and the new one after changes from now on.
  ///
  ///     for await title in observations.values(of: document, \.title) {
  ///       window.title = title
  ///     }
  ///
  /// What the key path reads decides:
  /// - A property of this library, ``TrackedObserved`` included: each of its changes is an element, as
  ///   for any object. Links that are Observation's alone are not followed then.
  /// - Only properties of Observation: the value is read again when one of them has changed, in the
  ///   isolation of this call, after what runs there just now. Several changes until then are one
  ///   element, and one may equal the element before. As Observation does not tell what was read, a key
  ///   path that reads nothing of either gives its value, and no other.
  ///
  /// Of changes that are made in that isolation, none is missed: the last element is the last value. One
  /// that is made elsewhere, which a `Sendable` object allows, may be noticed with the next one only:
  /// Observation tells before the store, and can't tell after it. An object that is not `Sendable` must
  /// stay in the isolation as long as it is followed.
  ///
  /// Without an isolation there is nothing that comes after a store. A key path that reads no property
  /// of this library is then reported as ``ObservationIssue/nothingObservable(keyPath:file:line:)``, and
  /// the sequence ends at once, as it does if the observer has gone.
  ///
  /// The observation is one of its own, and ends as ``ObservationChanges`` tells; also with the first
  /// change after the end of the actor, which it does not keep alive. If the key path has read properties
  /// of other objects, that an unretained object has gone may be noticed only when one of them changes,
  /// or when the tables are next used.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: Read by this call, and twice for each element. Its values have to be `Sendable`.
  ///   - bufferingPolicy: What becomes of values that nobody has taken yet.
  ///   - isolation: Where the object is used, which the compiler fills in.
  ///   - file: Where the registration stands, for issues and descriptions.
  ///   - line: Likewise.
  /// - Returns: A sequence for one loop.
  /// - Complexity: Each element costs a task on `isolation`.
  public func values<Object: AnyObject & Observable, Value: Sendable>(
    of object: Object, _ keyPath: KeyPath<Object, Value>,
    bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    isolation: isolated (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> ObservationValues<Value> {
    let actor = isolation.flatMap { isolation in
      AccessTracker.track({ _ = object[keyPath: keyPath] }).first == nil ? isolation : nil
    }
    return ObservationValues(
      stream(of: keyPath, .initial, bufferingPolicy, file: file, line: line) {
        request, source in
        guard let actor else {
          return register(object, keyPath, request, isolation: nil) {
            source.send($2.newValue)
          }
        }
        let (info, reader) = store.add(
          object, request, invoke: TrackedReader<Object, Value>.invocation
        ) { TrackedReader(keyPath, of: $0, on: actor, sendingTo: source) }
        reader.read()
        return info
      })
  }
}
