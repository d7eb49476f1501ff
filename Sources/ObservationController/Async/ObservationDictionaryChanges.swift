/// The changes of a dictionary, in their order, for a `for await` loop.
///
/// Returned by `ObservationController.changes(ofDictionary:_:values:options:coalescing:)`.
/// Changes wait until the loop takes them: the changes, not the dictionary, so that edits copy
/// nothing. Applied one after the other they always lead to the dictionary as it was with the last
/// of them.
///
/// The sequence and its observation end as those of ``ObservationChanges`` do. It is for one loop.
public struct ObservationDictionaryChanges<Key: Hashable & Sendable, Value: Sendable> {
  let base: CollectionChanges<DeliveredTable<[Key: Value]>>
}

extension ObservationDictionaryChanges: AsyncSequence {
  /// One change.
  public typealias Element = DictionaryChange<Key, Value>

  /// The sequence ends, and never throws.
  public typealias Failure = Never

  /// Iterator for one task at a time. Keeps the observation active as long as it is held.
  public struct Iterator: AsyncIteratorProtocol {
    var changes: CollectionChanges<DeliveredTable<[Key: Value]>>.Iterator

    /// Waits for a change.
    ///
    /// - Returns: `nil` when the observation has ended and all changes before that have been taken,
    ///   and when the task is cancelled, which ends the observation.
    public mutating func next() async -> DictionaryChange<Key, Value>? {
      await changes.next().map { DictionaryChange($0) }
    }
  }

  /// Returns an iterator. Several iterators share the changes: each one goes to one of them.
  ///
  /// - Complexity: O(1).
  public func makeAsyncIterator() -> Iterator { Iterator(changes: base.makeIterator()) }
}

extension ObservationDictionaryChanges: Sendable {}

/// Observing dictionaries with a loop.
extension ObservationController {
  /// The changes of the dictionary at `keyPath`, and of the properties in `values`, from now on.
  ///
  ///     let changes = observations.changes(
  ///       ofDictionary: settings, \.values, coalescing: .latest)
  ///     for await change in changes {
  ///       cache.update(change.entries)
  ///     }
  ///
  /// The observation begins with this call, so that no change before the loop is lost. Each call
  /// makes an observation of its own. ``ObservationDictionaryChanges`` says when it ends.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: A property, or any nested or computed path, that leads to the dictionary.
  ///   - values: The properties of values to follow, which may be nested or computed.
  ///   - options: `.initial` makes the dictionary as it is the first element, `.old` adds the
  ///     elements before each change, `.distinct` leaves out changes after which nothing differs.
  ///   - coalescing: Which changes are joined while the loop is busy: none; all of them; or those
  ///     of an interval, or until nothing has changed for some time, even if it is idle. Joined
  ///     changes are one ``DictionaryChange/Kind/batch``, or none if they have cancelled each other
  ///     out.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   values.
  public func changes<Object: AnyObject, Key: Hashable & Sendable, Value: Sendable>(
    ofDictionary object: Object, _ keyPath: KeyPath<Object, ObservableDictionary<Key, Value>>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationDictionaryChanges<Key, Value> {
    ObservationDictionaryChanges(
      base: changes(
        object, keyPath, .keyed(at: keyPath), values, options, coalescing, file, line))
  }

  /// The changes of a dictionary that may be missing, and then counts as an empty one, from now on.
  ///
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   values.
  public func changes<Object: AnyObject, Key: Hashable & Sendable, Value: Sendable>(
    ofDictionary object: Object, _ keyPath: KeyPath<Object, ObservableDictionary<Key, Value>?>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationDictionaryChanges<Key, Value> {
    ObservationDictionaryChanges(
      base: changes(
        object, keyPath, .keyed(at: keyPath), values, options, coalescing, file, line))
  }

  /// The changes of a plain dictionary, found by comparing it before and after, from now on.
  ///
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   values; each change is O(n).
  public func changes<Object: AnyObject, Key: Hashable & Sendable, Value: Sendable>(
    ofDictionary object: Object, _ keyPath: KeyPath<Object, [Key: Value]>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationDictionaryChanges<Key, Value> {
    ObservationDictionaryChanges(
      base: changes(
        object, keyPath, .table(at: keyPath), values, options, coalescing, file, line))
  }

  /// The changes of `dictionary`, and of the properties in `values`, from now on.
  ///
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(n).
  public func changes<Key: Hashable & Sendable, Value: Sendable>(
    ofDictionary dictionary: ObservableDictionary<Key, Value>,
    values: [PartialKeyPath<Value>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationDictionaryChanges<Key, Value> {
    ObservationDictionaryChanges(
      base: changes(
        dictionary, \ObservableDictionary<Key, Value>.elements,
        .keyed(itself: ObservableDictionary<Key, Value>.self), values,
        options, coalescing, file, line))
  }
}
