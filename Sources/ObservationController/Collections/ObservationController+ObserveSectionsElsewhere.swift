import Dispatch

/// Observing sections with a block that runs on a queue or on the main actor.
///
/// What waits is the edits, never the sections. Each observation has sections of its own, as they
/// were delivered last. With ``ObservationCoalescing/none`` each change is delivered. Others are
/// joined, while they wait, to one change that leads from the sections delivered last to those now;
/// none is delivered if they have cancelled each other out.
extension ObservationController {
  /// Calls `handler` on `queue` after each change of a list of sections, of what is in them and of
  /// the properties in `elements`.
  ///
  ///     observations.observeSections(sections, on: indexing, coalescing: .latest) {
  ///       index, _, change in
  ///       index.update(change.insertedRows, of: change.sections)
  ///     }
  ///
  /// The changes move to `queue` with their keys and elements, which have to be `Sendable`; one job
  /// there delivers each, in order, also on a concurrent queue. `handler` runs with no lock held,
  /// after the edit has returned; not once the observation has ended, or observer or list are
  /// deallocated. It is released when the observation ends.
  ///
  /// - Parameters:
  ///   - sections: Kept alive until it is unobserved, if the controller retains; not by changes
  ///     that wait.
  ///   - elements: The properties of elements to follow, as in
  ///     ``observeSections(_:elements:options:context:isolation:file:line:handler:)``.
  ///   - options: `.initial` delivers the sections as they are before all changes.
  ///   - context: Distinguishes observations of the same list.
  ///   - queue: Serial or concurrent.
  ///   - coalescing: Which changes are joined: none, those made before a delivery begins, those of
  ///     an interval, or those made until nothing has changed for some time.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Receives observer and list as they are: use of them what may be used there.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(n). Delivering a change takes what the edit took.
  @discardableResult
  public func observeSections<Key: Hashable & Comparable & Sendable, Element: Sendable>(
    _ sections: ObservableArray<ObservableSection<Key, Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    on queue: DispatchQueue, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler:
      @escaping @Sendable (
        Observer, ObservableArray<ObservableSection<Key, Element>>, SectionChange<Key, Element>
      ) -> Void
  ) -> ObservationToken {
    typealias List = ObservableArray<ObservableSection<Key, Element>>
    return recordingSections(sections, elements, file, line) { witness, didRegister in
      let token = observeArray(
        sections, \List.sectionChanges, witness, [], options.intersection(.initial), context,
        on: queue, coalescing, file, line,
        joining: QueuedChanges<DeliveredSections<Key, Element>>(
          followsElements: !elements.isEmpty)
      ) { observer, list, change in
        if let change = change.elements.first?.change { handler(observer, list, change) }
      }
      didRegister(token)
      return token
    }
  }

  /// Calls `handler` on the main actor after each change of a list of sections, of what is in them
  /// and of the properties in `elements`.
  ///
  ///     observations.observeSectionsOnMainActor(sections, coalescing: .latest) {
  ///       list, _, change in
  ///       list.apply(change)
  ///     }
  ///
  /// `handler` runs on the main actor with no lock held, after the edit has returned, in the order
  /// of the changes; not once the observation has ended, or observer or list are deallocated. It is
  /// released when the observation ends.
  ///
  /// - Parameters:
  ///   - sections: Kept alive until it is unobserved, if the controller retains; not by changes
  ///     that wait.
  ///   - elements: The properties of elements to follow, as in
  ///     ``observeSections(_:elements:options:context:isolation:file:line:handler:)``.
  ///   - options: `.initial` delivers the sections as they are before all changes.
  ///   - context: Distinguishes observations of the same list.
  ///   - coalescing: Which changes are joined: none, those made before a delivery begins, those of
  ///     an interval, or those made until nothing has changed for some time.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Receives the list as it is, which belongs to the thread that edits its source:
  ///     use the change.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering is O(n). Delivering a change takes what the edit took.
  @discardableResult
  public func observeSectionsOnMainActor<Key: Hashable & Comparable & Sendable, Element: Sendable>(
    _ sections: ObservableArray<ObservableSection<Key, Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil, coalescing: ObservationCoalescing = .none,
    file: String = #fileID, line: UInt = #line,
    handler:
      @escaping @MainActor (
        Observer, ObservableArray<ObservableSection<Key, Element>>, SectionChange<Key, Element>
      ) -> Void
  ) -> ObservationToken {
    observeSections(
      sections, elements: elements, options: options, context: context, on: .main,
      coalescing: coalescing, file: file, line: line, handler: onMainActor(handler))
  }
}
