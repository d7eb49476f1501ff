/// The changes of a set, in their order, for a `for await` loop.
///
/// Returned by `ObservationController.changes(ofSet:_:elements:options:coalescing:)`.
/// Changes wait until the loop takes them: the changes, not the set, so that edits copy
/// nothing. Applied one after the other they always lead to the set as it was with the last of
/// them.
///
/// The sequence and its observation end as those of ``ObservationChanges`` do. It is for one loop.
public struct ObservationSetChanges<SetElement: Hashable & Sendable> {
  let base: CollectionChanges<DeliveredTable<Set<SetElement>>>
}

extension ObservationSetChanges: AsyncSequence {
  /// One change.
  public typealias Element = SetChange<SetElement>

  /// The sequence ends, and never throws.
  public typealias Failure = Never

  /// Iterator for one task at a time. Keeps the observation active as long as it is held.
  public struct Iterator: AsyncIteratorProtocol {
    var changes: CollectionChanges<DeliveredTable<Set<SetElement>>>.Iterator

    /// Waits for a change.
    ///
    /// - Returns: `nil` when the observation has ended and all changes before that have been taken,
    ///   and when the task is cancelled, which ends the observation.
    public mutating func next() async -> SetChange<SetElement>? {
      await changes.next().map { SetChange($0) }
    }
  }

  /// Returns an iterator. Several iterators share the changes: each one goes to one of them.
  ///
  /// - Complexity: O(1).
  public func makeAsyncIterator() -> Iterator { Iterator(changes: base.makeIterator()) }
}

extension ObservationSetChanges: Sendable {}

/// Observing sets with a loop.
extension ObservationController {
  /// The changes of the set at `keyPath`, and of the properties in `elements`, from now on.
  ///
  ///     for await change in observations.changes(ofSet: library, \.tags, coalescing: .latest) {
  ///       index.update(change.inserted)
  ///     }
  ///
  /// The observation begins with this call, so that no change before the loop is lost. Each call
  /// makes an observation of its own. ``ObservationSetChanges`` says when it ends.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: A property, or any nested or computed path, that leads to the set.
  ///   - elements: The properties of elements to follow, which may be nested or computed.
  ///   - options: `.initial` makes the set as it is the first element, `.old` adds the elements
  ///     before each change, `.distinct` leaves out changes after which nothing differs.
  ///   - coalescing: Which changes are joined while the loop is busy: none; all of them; or those
  ///     of an interval, or until nothing has changed for some time, even if it is idle. Joined
  ///     changes are one ``SetChange/Kind/batch``, or none if they have cancelled each other out.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   elements.
  public func changes<Object: AnyObject, Element: Hashable & Sendable>(
    ofSet object: Object, _ keyPath: KeyPath<Object, ObservableSet<Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationSetChanges<Element> {
    ObservationSetChanges(
      base: changes(
        object, keyPath, .keyed(at: keyPath), elements, options, coalescing, file, line))
  }

  /// The changes of a set that may be missing, and then counts as an empty one, from now on.
  ///
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   elements.
  public func changes<Object: AnyObject, Element: Hashable & Sendable>(
    ofSet object: Object, _ keyPath: KeyPath<Object, ObservableSet<Element>?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationSetChanges<Element> {
    ObservationSetChanges(
      base: changes(
        object, keyPath, .keyed(at: keyPath), elements, options, coalescing, file, line))
  }

  /// The changes of a plain set, found by comparing it before and after, from now on.
  ///
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   elements; each change is O(n).
  public func changes<Object: AnyObject, Element: Hashable & Sendable>(
    ofSet object: Object, _ keyPath: KeyPath<Object, Set<Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationSetChanges<Element> {
    ObservationSetChanges(
      base: changes(
        object, keyPath, .table(at: keyPath), elements, options, coalescing, file, line))
  }

  /// The changes of `set`, and of the properties in `elements`, from now on.
  ///
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(n).
  public func changes<Element: Hashable & Sendable>(
    ofSet set: ObservableSet<Element>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationSetChanges<Element> {
    ObservationSetChanges(
      base: changes(
        set, \ObservableSet<Element>.elements, .keyed(itself: ObservableSet<Element>.self),
        elements, options, coalescing, file, line))
  }
}
