/// The changes of a list of sections, in their order, for a `for await` loop.
///
/// Returned by `ObservationController.changes(ofSections:elements:options:coalescing:)`. Edits wait
/// until the loop takes them: the edits, not the sections. Applied one after the other the changes
/// always lead to the sections as they were with the last of them.
///
/// The sequence and its observation end as those of ``ObservationChanges`` do. It is for one loop.
public struct ObservationSectionChanges<Key: Sendable, SectionElement: Sendable> {
  let base: CollectionChanges<DeliveredSections<Key, SectionElement>>
}

extension ObservationSectionChanges: AsyncSequence {
  /// One change.
  public typealias Element = SectionChange<Key, SectionElement>

  /// The sequence ends, and never throws.
  public typealias Failure = Never

  /// Iterator for one task at a time. Keeps the observation active as long as it is held.
  public struct Iterator: AsyncIteratorProtocol {
    var changes: CollectionChanges<DeliveredSections<Key, SectionElement>>.Iterator

    /// Waits for a change.
    ///
    /// - Returns: `nil` when the observation has ended and all changes before that have been taken,
    ///   and when the task is cancelled, which ends the observation.
    public mutating func next() async -> SectionChange<Key, SectionElement>? {
      await changes.next()?.elements.first?.change
    }
  }

  /// Returns an iterator. Several iterators share the changes: each one goes to one of them.
  ///
  /// - Complexity: O(1).
  public func makeAsyncIterator() -> Iterator { Iterator(changes: base.makeIterator()) }
}

extension ObservationSectionChanges: Sendable {}

/// Observing sections with a loop.
extension ObservationController {
  /// The changes of a list of sections, of what is in them and of the properties in `elements`,
  /// from now on.
  ///
  ///     for await change in observations.changes(ofSections: sections, coalescing: .latest) {
  ///       index.update(change.insertedRows, of: change.sections)
  ///     }
  ///
  /// The observation begins with this call, so that no change before the loop is lost. Each call
  /// makes an observation of its own. ``ObservationSectionChanges`` says when it ends.
  ///
  /// - Parameters:
  ///   - sections: Kept alive until the observation ends, if the controller retains.
  ///   - elements: The properties of elements to follow, which may be nested or computed.
  ///   - options: `.initial` makes the sections as they are the first element.
  ///   - coalescing: Which changes are joined while the loop is busy: none; all of them; or those
  ///     of an interval, or until nothing has changed for some time, even if it is idle. Joined
  ///     changes are one, or none if they have cancelled each other out.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A sequence for one loop.
  /// - Complexity: O(n).
  public func changes<Key: Hashable & Comparable & Sendable, SectionElement: Sendable>(
    ofSections sections: ObservableArray<ObservableSection<Key, SectionElement>>,
    elements: [PartialKeyPath<SectionElement>] = [], options: ObservationOptions = [],
    coalescing: ObservationCoalescing = .none, file: String = #fileID, line: UInt = #line
  ) -> ObservationSectionChanges<Key, SectionElement> {
    typealias List = ObservableArray<ObservableSection<Key, SectionElement>>
    return recordingSections(sections, elements, file, line) { witness, didRegister in
      ObservationSectionChanges(
        base: changes(
          sections, \List.sectionChanges, witness, [], options.intersection(.initial), coalescing,
          followsElements: !elements.isEmpty, file, line, didRegister: didRegister))
    }
  }
}
