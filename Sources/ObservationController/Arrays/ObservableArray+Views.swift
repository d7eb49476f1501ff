/// Live views: arrays that follow another one.
///
/// A view is an `ObservableArray` that is observed like any other, and can be the source of further
/// views. It follows its source with the smallest change that does it, before observers of the
/// source are notified, in whatever order they were made; so a handler finds both up to date. It
/// retains its source, and is retained by its users alone. Editing it reports
/// ``ObservationIssue/readOnlyArray(file:line:)`` and does nothing.
///
/// If a view and views of it follow the same property of an element, each follows a change of it in
/// its turn: observers of a sorted view are notified that the element has moved before a view of it
/// has looked at the property again. In a transaction all views are up to date before that.
///
/// While a property that a view follows is being mutated in place, the view waits: its closure
/// would read the property, at which Swift traps. It follows what has changed meanwhile right after
/// the mutation, before observers of the property are notified.
///
/// In a transaction a view follows all changes of elements at its end: up to 16 one after the
/// other, more of them as one change, which is O(n), and O(n log n) where every element of a sorted
/// view has changed.
///
/// `on:` names the properties of elements that the closure reads; `[]` where it reads none that
/// change. `sorted(by:)`, `filter` and `map` without it are the standard library's, which return an
/// array of what is there now.
///
/// The closures are called when an element comes and when one of its properties in `on:` changes,
/// on the thread that made the change, with no lock held. They must depend on nothing else that
/// changes, and must not edit the source.
extension ObservableArray {
  /// A live view of the elements that satisfy `isIncluded`, in the order of this array.
  ///
  ///     let adults = people.filtered(on: [\.age]) { $0.age >= 18 }
  ///
  /// The view follows this array with the smallest change that does it, before observers of this
  /// array are notified. It retains this array, and is retained by its users alone.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, as `observeArray` follows its `elements`.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - isIncluded: Whether an element is in the view. Called when an element comes and when one
  ///     of its properties in `keyPaths` changes, on the thread that made the change, with no lock
  ///     held. Must depend on nothing else that changes, and not edit this array. Kept until the
  ///     view is deallocated.
  /// - Complexity: O(n). A change of an element is O(log n), an edit of k elements calls
  ///   `isIncluded` k times; both move the elements behind in the view, as an array does.
  @inlinable
  public func filtered(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    _ isIncluded: @escaping (Element) -> Bool
  ) -> ObservableArray<Element> {
    let check = ViewClosureCheck.make(on: keyPaths, file, line)
    let included = ArrangedView(of: check?.checking(isIncluded) ?? isIncluded)
    return view(on: keyPaths, file, line, showing: included)
  }

  /// A live view of the elements in sorted order; elements that neither stands before the other
  /// keep the order of this array.
  ///
  /// Kept alive and up to date as a view by ``filtered(on:file:line:_:)`` is.
  ///
  ///     let byName = people.sorted(on: [\.name]) { $0.name < $1.name }
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, as with `filtered`.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - areInIncreasingOrder: As with an array. Runs as the closure of `filtered` does. Kept until
  ///     the view is deallocated.
  /// - Complexity: O(n log n). A change of an element, and each element of an edit, calls
  ///   `areInIncreasingOrder` O(log n) times. A change moves what stands between the old and the
  ///   new place of its element. An edit numbers all elements anew, O(n), also one at the end.
  @inlinable
  public func sorted(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    by areInIncreasingOrder: @escaping (Element, Element) -> Bool
  ) -> ObservableArray<Element> {
    let check = ViewClosureCheck.make(on: keyPaths, file, line)
    let sorted = ArrangedView(by: check?.checking(areInIncreasingOrder) ?? areInIncreasingOrder)
    return view(on: keyPaths, file, line, showing: sorted)
  }

  /// A live view of what `transform` makes of each element.
  ///
  /// Kept alive and up to date as a view by ``filtered(on:file:line:_:)`` is.
  ///
  ///     let names = people.mapped(on: [\.name]) { $0.name }
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, as with `filtered`.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - transform: Makes an element of the view. Runs as the closure of `filtered` does. Kept
  ///     until the view is deallocated.
  /// - Complexity: O(n). An edit of k elements, and a change of an element, calls `transform` once
  ///   for each.
  @inlinable
  public func mapped<Mapped>(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    _ transform: @escaping (Element) -> Mapped
  ) -> ObservableArray<Mapped> {
    let check = ViewClosureCheck.make(on: keyPaths, file, line)
    let mapped = MappedView(by: check?.checking(transform) ?? transform)
    return view(on: keyPaths, file, line, begin: mapped.begin, follow: mapped.follow)
  }

  /// Makes a live view of elements of this array.
  @inlinable
  func view(
    on keyPaths: [PartialKeyPath<Element>], _ file: String, _ line: UInt,
    with parameter: ViewParameter? = nil, showing arranged: ArrangedView<Element>
  ) -> ObservableArray<Element> {
    let view: ObservableArray<Element> = view(
      on: keyPaths, file, line, with: parameter, begin: { elements, _ in arranged.begin(elements) },
      follow: arranged.follow, reevaluate: arranged.reevaluate,
      sourceIndex: { arranged.sources[$0] })
    #if DEBUG
      // The link retains the source, and is the view's.
      view.link?.check = { [unowned self, unowned view] in
        arranged._checkInvariants(of: view.storage, showing: storage)
      }
    #endif
    return view
  }

  /// Makes a live view.
  ///
  /// - Parameters:
  ///   - parameter: Has closures that `begin` and `follow` call use its value.
  ///   - begin: Receives all elements; returns those of the view, which has others or none yet.
  ///   - follow: Follows a change that does not set all elements.
  ///   - reevaluate: Follows a change of the parameter, when the view has followed all changes of
  ///     the elements that it receives.
  ///   - sourceIndex: Index in this array of an element of the view.
  ///   - finish: Called after each change.
  @inlinable
  func view<Viewed>(
    on keyPaths: [PartialKeyPath<Element>], _ file: String, _ line: UInt,
    with parameter: ViewParameter? = nil,
    begin: @escaping ([Element], ObservableArray<Viewed>) -> [Viewed],
    follow: @escaping (ArrayChange<Element>, ObservableArray<Viewed>) -> Void,
    reevaluate: @escaping ([Element], ObservableArray<Viewed>) -> Void = { _, _ in },
    sourceIndex: @escaping (Int) -> Int = { $0 }, finish: (() -> Void)? = nil
  ) -> ObservableArray<Viewed> {
    ArrayViewLink.makeView(file, line) { link in
      // Edits of a batch are delivered before, so that the view begins with the array as it is.
      flushBatch()
      let view = ObservableArray<Viewed>([], link: link)
      let controller = ObservationController(observer: view)
      link.observations = controller
      link.depth = (self.link?.depth ?? 0) + 1
      link.sourceIndex = sourceIndex
      link.noteSource = { [unowned self] in self.noteAccess() }
      parameter?.begin(in: controller.store)
      view.storage = begin(storage, view)
      let token = controller.observeArray(
        self, \ObservableArray.elements, .array(itself: ObservableArray.self), keyPaths, [], nil,
        nil, file, line, isEarly: true
      ) { view, source, change in
        // A parameter comes without elements: those of the source are known to the view.
        let isOfParameter = change.kind == .initial
        if isOfParameter, !(parameter?.isNext(in: source) ?? false) { return }
        let isNew = parameter?.take() ?? false
        if change.kind == .setting {
          view.applySetting(begin(change.elements, view))
        } else if isOfParameter {
          if isNew { reevaluate(source.storage, view) }
        } else if isNew {
          view.performBatchUpdates {
            follow(change, view)
            reevaluate(change.elements, view)
          }
        } else {
          follow(change, view)
        }
        finish?()
      }
      parameter?.follow(by: token)
      return view
    }
  }
}
