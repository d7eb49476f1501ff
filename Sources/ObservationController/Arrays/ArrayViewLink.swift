/// What a live view follows its source by, and where the view was made.
///
///     user ─▶ view ─▶ link ─▶ controller ─▶ source     strong: the view keeps its source alive
///              ▲                   ┊
///              └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘                    weak: nothing but its users keeps the view
@usableFromInline
final class ArrayViewLink {
  @usableFromInline let file: String
  @usableFromInline let line: UInt

  /// How many arrays the view follows, one by the other.
  @usableFromInline var depth = 1

  /// Ends with the view.
  @usableFromInline var observations: AnyObject?

  @usableFromInline
  init(file: String, line: UInt) {
    self.file = file
    self.line = line
  }

  /// Has `body` make the view. What it reads is not read by the key path that may be being evaluated, and
  /// leads to it.
  @usableFromInline
  static func makeView(_ body: () -> Void) { AccessTracker.withoutTracking(body) }

  /// Reports that somebody has tried to edit the view.
  @usableFromInline
  func reportEdit() {
    ObservationDispatcher.report(.readOnlyArray(file: file, line: line))
  }

  /// Has `view` follow `source` before any observer of a user's is told.
  @inlinable
  func follow<Element, Source>(
    _ source: ObservableArray<Source>, elements: [PartialKeyPath<Source>],
    in view: ObservableArray<Element>,
    handler: @escaping (ObservableArray<Element>, ArrayChange<Source>) -> Void
  ) {
    depth = 1 + (source.link?.depth ?? 0)
    let controller = ObservationController(observer: view)
    var request = ObservationRequest(
      keyPath: \ObservableArray<Source>.elements, options: [], context: nil, handlerKind: .block,
      elementKeyPaths: elements, file: file, line: line)
    request.isEarly = true
    _ = controller.registerArray(source, request, .root(Source.self), elements, isolation: nil) {
      view, _, change in
      handler(view, change)
    }
    observations = controller
  }
}
