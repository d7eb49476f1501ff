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
  /// ``SectionChange/changedRows`` too: its key is of some property; and so are rows that stay
  /// where all elements of the source were set. Nothing is delivered where nothing differs.
  ///
  /// Observing the same list and context again returns the first token. The observation ends with
  /// the list, and retains what is in it.
  ///
  /// - Parameters:
  ///   - sections: Kept alive until it is unobserved, if the controller retains.
  ///   - elements: The properties of elements to follow, which may be nested or computed. Only of
  ///     elements that are objects. An atomic one is followed on the thread that sets it: set it
  ///     where the source may be edited.
  ///   - options: `.initial` delivers the sections as they are. The others have no meaning here.
  ///   - context: Distinguishes observations of the same list.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Runs on the thread that made the change, before the edit or assignment returns,
  ///     once for each change, with no lock held. Released when the observation ends.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(n) to register, with 8 bytes for each element, beside those of following its
  ///   properties. A change costs what the edit did: O(1) for a row that moves, beside the rows
  ///   behind it; O(m) where some of m sections come or go.
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
    typealias List = ObservableArray<ObservableSection<Key, Element>>
    return recordingSections(sections, elements, file, line) { witness, didRegister in
      let token = observeArray(
        sections, \List.sectionChanges, witness, [], options.intersection(.initial), context,
        isolation, file, line
      ) { (observer, list: List, change: ArrayChange<SectionMark<Key, Element>>) in
        // By the journal of the first observation, if this handler has taken the place of another.
        guard case .place(_, let journal)? = change.elements.first,
          let change = journal.deliver(change)
        else { return }
        handler(observer, list, change)
      }
      didRegister(token)
      return token
    }
  }

  /// Has `register` make an observation of the log of a recorder.
  ///
  /// - Parameter register: Receives the way to the log, and what it calls with the token.
  func recordingSections<Key: Hashable & Comparable, Element, Result>(
    _ sections: ObservableArray<ObservableSection<Key, Element>>,
    _ elements: [PartialKeyPath<Element>], _ file: String, _ line: UInt,
    register: (ArrayWitness, _ didRegister: (ObservationToken) -> Void) -> Result
  ) -> Result {
    let recorder = SectionRecorder<Key, Element>(elements: elements, file, line)
    let ending = SectionEnding()
    recorder.begin(with: sections, until: ending)
    return register(.array { _ in recorder.log }) { token in
      // Not if this token is that of an earlier observation, and the recorder of no use.
      if recorder.log.subject?.isObserved ?? false { ending.token = token }
    }
  }
}

/// Ends an observation when the observation of its list by the recorder has ended with the list.
private final class SectionEnding {
  weak var token: ObservationToken?

  deinit { token?.invalidate() }
}

extension ObservableArray {
  /// Names observations of sections, apart from those of the list.
  var sectionChanges: Void { () }
}
