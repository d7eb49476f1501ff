/// The changes of an array, in their order, for a `for await` loop.
///
/// Returned by `ObservationController.changes(ofArray:_:elements:options:coalescing:)`.
/// Changes wait until the loop takes them: the changes, not the array, so that edits copy nothing.
/// Applied one after the other they always lead to the array as it was with the last of them.
///
/// The sequence and its observation end as those of ``ObservationChanges`` do. It is for one loop.
public struct ObservationArrayChanges<ArrayElement: Sendable> {
  let base: CollectionChanges<DeliveredArray<ArrayElement>>
}

extension ObservationArrayChanges: AsyncSequence {
  /// One change.
  public typealias Element = ArrayChange<ArrayElement>

  /// The sequence ends, and never throws.
  public typealias Failure = Never

  /// Iterator for one task at a time. Keeps the observation active as long as it is held.
  public struct Iterator: AsyncIteratorProtocol {
    var changes: CollectionChanges<DeliveredArray<ArrayElement>>.Iterator

    /// Waits for a change.
    ///
    /// - Returns: `nil` when the observation has ended and all changes before that have been taken,
    ///   and when the task is cancelled, which ends the observation.
    public mutating func next() async -> ArrayChange<ArrayElement>? { await changes.next() }
  }

  /// Returns an iterator. Several iterators share the changes: each one goes to one of them.
  ///
  /// - Complexity: O(1).
  public func makeAsyncIterator() -> Iterator { Iterator(changes: base.makeIterator()) }
}

extension ObservationArrayChanges: Sendable {}

/// Observing arrays with a loop.
extension ObservationController {
  /// The changes of the array at `keyPath`, of its elements and of the properties in `elements`,
  /// from now on.
  ///
  ///     for await change in observations.changes(ofArray: school, \.names, coalescing: .latest) {
  ///       index.update(change.difference)
  ///     }
  ///
  /// The observation begins with this call, so that no change before the loop is lost. Each call
  /// makes an observation of its own. ``ObservationArrayChanges`` says when it ends.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: A property, or any nested or computed path, that leads to the array.
  ///   - elements: The properties of elements to follow, which may be nested or computed.
  ///   - options: `.initial` makes the array as it is the first element, `.old` adds the elements
  ///     before each change, `.distinct` leaves out changes after which the array, or the property
  ///     of the element, equals what it was.
  ///   - coalescing: Which changes are joined while the loop is busy: none; all of them; or those
  ///     of an interval, or until nothing has changed for some time, even if it is idle. Joined
  ///     changes are one ``ArrayChange/Kind/batch``, or none if they have cancelled each other out.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   elements. A change takes O(1) of memory, in its entries, until it is taken.
  @inlinable
  public func changes<Object: AnyObject, Element: Sendable>(
    ofArray object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationArrayChanges<Element> {
    changes(
      object, keyPath, .array(at: keyPath), elements, options, coalescing, file, line)
  }

  /// The changes of an array that may be missing, and then counts as an empty one, from now on.
  ///
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   elements.
  @inlinable
  public func changes<Object: AnyObject, Element: Sendable>(
    ofArray object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationArrayChanges<Element> {
    changes(
      object, keyPath, .array(at: keyPath), elements, options, coalescing, file, line)
  }

  /// The changes of a plain array, found by comparing it before and after, from now on.
  ///
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   elements; each change is O(n).
  @inlinable
  public func changes<Object: AnyObject, Element: Sendable>(
    ofArray object: Object, _ keyPath: KeyPath<Object, [Element]>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationArrayChanges<Element> {
    changes(
      object, keyPath, .values(at: keyPath), elements, options, coalescing, file, line)
  }

  /// The changes of a plain array that may be missing, and then counts as an empty one, from now
  /// on.
  ///
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   elements; each change is O(n).
  @inlinable
  public func changes<Object: AnyObject, Element: Sendable>(
    ofArray object: Object, _ keyPath: KeyPath<Object, [Element]?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationArrayChanges<Element> {
    changes(
      object, keyPath, .values(at: keyPath), elements, options, coalescing, file, line)
  }

  /// The changes of `array`, of its elements and of the properties in `elements`, from now on.
  ///
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(n) in the elements.
  @inlinable
  public func changes<Element: Sendable>(
    ofArray array: ObservableArray<Element>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationArrayChanges<Element> {
    changes(
      array, \ObservableArray<Element>.elements, .array(itself: ObservableArray<Element>.self),
      elements, options, coalescing, file, line)
  }

  /// Registers the observation of a sequence.
  @usableFromInline
  func changes<Object: AnyObject, Element: Sendable>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ elements: [PartialKeyPath<Element>], _ options: ObservationOptions,
    _ coalescing: ObservationCoalescing, _ file: String, _ line: UInt
  ) -> ObservationArrayChanges<Element> {
    ObservationArrayChanges(
      base: changes(
        object, keyPath, witness, elements, options, coalescing, followsElements: !elements.isEmpty,
        file, line))
  }

  /// Registers the observation of a sequence of changes of an array.
  ///
  /// - Parameters:
  ///   - followsElements: Whether changes of elements are delivered.
  ///   - didRegister: Receives the token.
  func changes<Object: AnyObject, Element, Delivered: DeliveredCollection>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ elements: [PartialKeyPath<Element>], _ options: ObservationOptions,
    _ coalescing: ObservationCoalescing, followsElements: Bool, _ file: String, _ line: UInt,
    didRegister: (ObservationToken) -> Void = { _ in }
  ) -> CollectionChanges<Delivered>
  where Delivered.Waiting.Change == ArrayChange<Element>, Element: Sendable {
    changes(
      of: object, keyPath, options, coalescing, followsElements: followsElements, file, line
    ) { request, handler, prepare in
      let token = store.addArray(
        object, request, witness, elements, handler: handler, prepare: prepare,
        invoke: type(of: handler).invocation)
      didRegister(token)
      return token
    }
  }
}
