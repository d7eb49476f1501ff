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

  /// Index in the source of an element of the view.
  @usableFromInline var sourceIndex: (Int) -> Int = { $0 }

  /// Has the key path that is being evaluated follow the source.
  @usableFromInline var noteSource: () -> Void = {}

  /// Passes on changes of the elements, where the view shows one of several groups.
  @usableFromInline var feed: ElementFeed?

  #if DEBUG
    /// What is wrong with the view, at rest.
    @usableFromInline var check: () -> [String] = { [] }
  #endif

  /// Number of arrays behind a view of several ones; see `ObservableArray.setDepth`.
  var leastDepth: (() -> Int)?

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
