/// Observing sections: which of them came and went, and which rows came, left, moved and changed.
extension ObservationController {
  /// Calls `handler` after each change of a list of sections, of what is in them and, for elements
  /// that are in them at the time, of the properties in `elements`: once for each edit of the
  /// source or transaction, with all that has changed.
  ///
  ///     let sections = todos.sections(on: [\.due]) { $0.due }
  ///     observations.observeSections(sections, elements: [\.title]) { list, _, change in
  ///       list.apply(change)
  ///     }
  ///
  /// The list may be one that `sections` has made, or any array of such sections, as a live view of
  /// it. A section that changes its place among others that stay has gone and come. Objects that
  /// leave one section and come to another one, where both stay, have moved; values are removed and
  /// inserted. With `elements`, a row that has moved from one section to another is listed in
  /// ``SectionChange/changedRows`` too: its key is of some property. Nothing is delivered where
  /// nothing differs.
  ///
  /// Observing the same list and context again returns the first token. The observation ends with
  /// the list, and retains what is in it.
  ///
  /// - Parameters:
  ///   - sections: Kept alive until it is unobserved, if the controller retains.
  ///   - elements: The properties of elements to follow, which may be nested or computed. Only of
  ///     elements that are objects.
  ///   - options: `.initial` delivers the sections as they are. The others have no meaning here.
  ///   - context: Distinguishes observations of the same list.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Runs on the thread that made the change, before the edit or assignment returns,
  ///     once for each change, with no lock held. Released when the observation ends.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(n) to register, and about 40 bytes for each element. A change compares the
  ///   rows of the sections that have changed, and hands out all elements: O(n).
  @discardableResult
  public func observeSections<Key: Hashable & Comparable, Element>(
    _ sections: ObservableArray<ObservableSection<Key, Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler:
      @escaping (
        Observer, ObservableArray<ObservableSection<Key, Element>>, SectionChange<Key, Element>
      ) -> Void
  ) -> ObservationToken {
    let recorder = SectionRecorder<Key, Element>(elements: elements, file, line)
    let ending = SectionEnding()
    recorder.begin(with: sections, until: ending)
    let token = observeArray(
      sections, \ObservableArray<ObservableSection<Key, Element>>.sectionChanges,
      .array { _ in recorder.log }, [], options.intersection(.initial), context, isolation, file,
      line
    ) {
      (
        observer, list: ObservableArray<ObservableSection<Key, Element>>,
        change: ArrayChange<SectionState<Key, Element>>
      ) in
      // That of the recorder which has the log: of the first one, if this handler has taken the
      // place of another one.
      guard let state = change.elements.first else { return }
      if change.kind == .initial {
        handler(observer, list, SectionChange(isInitial: true, sections: state.sections))
      } else if let change = state.progress.advance(to: state) {
        handler(observer, list, change)
      }
    }
    // Not if this token is that of an earlier observation, and the recorder of no use.
    if recorder.log.subject?.isObserved ?? false { ending.token = token }
    return token
  }
}

/// Ends an observation when the observation of its list by the recorder has ended with the list.
private final class SectionEnding {
  weak var token: ObservationToken?

  deinit { token?.invalidate() }
}

extension ObservableArray {
  /// Names observations of sections, apart from those of the list.
  fileprivate var sectionChanges: Void { () }
}
