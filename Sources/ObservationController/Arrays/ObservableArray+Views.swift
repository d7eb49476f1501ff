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
    let included = ArrangedView(of: isIncluded)
    return view(on: keyPaths, file, line, begin: included.begin, follow: included.follow)
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
    let sorted = ArrangedView(by: areInIncreasingOrder)
    return view(on: keyPaths, file, line, begin: sorted.begin, follow: sorted.follow)
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
    let areSame = ElementIdentity<Mapped>.areSame
    func follow(_ change: ArrayChange<Element>, in view: ObservableArray<Mapped>) {
      var shown: [ObservableArray<Mapped>.Entry] = []
      for entry in change.entries {
        // Elements that leave or move have been made before.
        let old = entry.oldIndex.map { view.storage[$0] }
        guard change.kind == .element, let index = entry.newIndex, let old else {
          shown.append(entry.with(old ?? transform(entry.element)))
          continue
        }
        let new = transform(entry.element)
        if areSame(old, new) { continue }
        shown.append(ArrayChange.Entry(old, removedAt: index))
        shown.append(ArrayChange.Entry(new, insertedAt: index))
      }
      view.apply(shown)
    }
    return view(
      on: keyPaths, file, line, begin: { $0.map(transform) }, follow: follow)
  }

  /// - Parameters:
  ///   - begin: Receives all elements; returns those of the view.
  ///   - follow: Follows a change that does not set all elements.
  @inlinable
  func view<Viewed>(
    on keyPaths: [PartialKeyPath<Element>], _ file: String, _ line: UInt,
    begin: @escaping ([Element]) -> [Viewed],
    follow: @escaping (ArrayChange<Element>, ObservableArray<Viewed>) -> Void
  ) -> ObservableArray<Viewed> {
    ArrayViewLink.makeView(file, line) { link in
      // Edits of a batch are delivered before, so that the view begins with the array as it is.
      flushBatch()
      let elements = begin(storage)
      link.depth = (self.link?.depth ?? 0) + 1
      let view = ObservableArray<Viewed>(elements, link: link)
      link.follow(
        self, \ObservableArray.elements,
        .array(.root) { unsafeDowncast($0, to: ObservableArray.self) }, elements: keyPaths, in: view
      ) { view, _, change in
        if change.isOfEverything {
          view.applySetting(begin(change.elements))
        } else {
          follow(change, view)
        }
      }
      return view
    }
  }
}

/// Link of a live view to its source, and the place where the view was made.
///
///     user ─▶ view ─▶ link ─▶ controller ─▶ source     strong: the view keeps its source alive
///              ▲                   ┊
///              └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘                    weak: nothing but its users keeps the view
@usableFromInline
final class ArrayViewLink {
  @usableFromInline let file: String
  @usableFromInline let line: UInt

  /// Number of arrays that the view follows, one by the other; see `ObservableArray.setDepth`.
  @usableFromInline var depth = 1

  /// Ends with the view.
  @usableFromInline var observations: AnyObject?

  private init(_ file: String, _ line: UInt) { (self.file, self.line) = (file, line) }

  /// Has `body` make the view. Its reads are none of a key path that is being evaluated.
  @usableFromInline
  static func makeView<View>(
    _ file: String, _ line: UInt, _ body: (ArrayViewLink) -> View
  ) -> View {
    AccessTracker.withoutTracking { body(ArrayViewLink(file, line)) }
  }

  /// Reports an attempt to edit the view.
  @usableFromInline
  func reportEdit() {
    ObservationDispatcher.report(.readOnlyArray(file: file, line: line))
  }

  /// Has `view` follow the array at `keyPath`, before any observer is notified.
  ///
  /// - Parameter options: With `.initial`, `object` is held weakly.
  @inlinable
  func follow<Object: AnyObject, Element, Source>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    elements: [PartialKeyPath<Source>] = [], options: ObservationOptions = [],
    in view: ObservableArray<Element>,
    handler: @escaping (ObservableArray<Element>, Object, ArrayChange<Source>) -> Void
  ) {
    let controller = ObservationController(
      observer: view, retainsObserved: !options.contains(.initial))
    observations = controller
    _ = controller.observeArray(
      object, keyPath, witness, elements, options, nil, nil, file, line, isEarly: true,
      handler: handler)
  }
}
