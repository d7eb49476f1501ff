import Observation

/// Following models of the standard library's Observation with a loop.
extension ObservationController {
  /// The value at `keyPath` of an `Observable` object, and the new one after changes from now on.
  ///
  ///     for await title in observations.values(of: document, \.title) {
  ///       window.title = title
  ///     }
  ///
  /// The properties that the key path reads decide how it is followed:
  /// - A property of this library, ``TrackedObserved`` included: each of its changes is an element,
  ///   as for any object. Links that are Observation's alone are not followed then.
  /// - Only properties of Observation: the value is read again when one of them has changed, in the
  ///   isolation of this call, after what runs there just now. Several changes until then are one
  ///   element, which may equal the element before. Observation does not report which properties
  ///   were read: a key path that reads none of either gives its value, and no other.
  ///
  /// No change that is made in that isolation is missed: the last element is the last value. A
  /// change that is made elsewhere, which a `Sendable` object allows, may be noticed only with the
  /// next one: Observation notifies before the store, and not after it. An object that is not
  /// `Sendable` must stay in the isolation as long as it is followed.
  ///
  /// Without an isolation no code is known to run after a store. A key path that reads no property
  /// of this library is then reported as
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``, and the sequence ends at once, as
  /// it does if the observer has been deallocated.
  ///
  /// Each call makes an observation of its own, which ends as that of ``ObservationChanges`` does;
  /// also with the first change after the deallocation of the actor, which it does not keep alive.
  /// If the key path has read properties of other objects, the deallocation of an unretained object
  /// may be noticed only when one of them changes, or when the tables are next used.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: Read by this call, and twice for each element. Its values have to be `Sendable`.
  ///   - bufferingPolicy: Policy for values that the loop has not taken yet.
  ///   - isolation: Isolation that the object is used in, filled in by the compiler.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
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
