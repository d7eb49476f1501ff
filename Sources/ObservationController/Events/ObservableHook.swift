/// A question that an object leaves to whoever handles it, with an answer of its own for nobody.
///
/// What a delegate method that returns something is, without a protocol:
///
///     final class Document {
///       let shouldClose = ObservableHook<Document, Bool> { document in !document.isEdited }
///
///       func close() {
///         if shouldClose(self) { … }
///       }
///     }
///
///     observations.handle(document.shouldClose) { editor, document in
///       editor.asksToDiscard(document)
///     }
///
/// The last one to register decides; when that observation ends, or its observer goes, the one before
/// decides again. A controller that retains keeps the hook alive until it is unobserved, not the
/// object that it belongs to.
///
/// In the tables an observation of a hook is one of its key path `\.self`.
///
/// Handlers may come and go on any thread. A hook is not `Sendable` all the same: its default is a
/// closure like a handler's, which may hold what only one isolation may touch, and which every caller
/// runs.
public final class ObservableHook<Input, Output> {
  /// Holds the observations, and never delivers.
  @usableFromInline let subject = Subject()

  /// Answers where nobody else does.
  @usableFromInline let defaultHandler: (Input) -> Output

  let levels = Locked(HookLevels())

  /// Makes a hook that nobody handles yet.
  ///
  /// - Parameter handler: Answers when nobody handles the hook. Runs on the thread that asks, with no
  ///   lock held. Kept as long as the hook: capture the object that owns the hook weakly.
  /// - Complexity: O(1).
  public init(default handler: @escaping (Input) -> Output) {
    defaultHandler = handler
  }
}

extension ObservableHook {
  /// Asks the last one who registered, or answers with the default.
  ///
  /// A handler may ask the hook again, and asks itself; after 100 such levels
  /// ``ObservationIssue/cycle(keyPath:file:line:)`` is reported, and the default answers until the
  /// outermost question is answered. What a handler reads counts as read by a computed key path that
  /// asks, since its value depends on it.
  ///
  /// - Complexity: O(n) in the observations of the hook whose observers have gone, if the last one has;
  ///   otherwise O(1).
  @inlinable
  public func callAsFunction(_ input: Input) -> Output {
    answer(to: input)
  }
}

extension ObservableHook where Input == Void {
  /// Asks the last one who registered, or answers with the default; as `hook(())`.
  ///
  /// - Complexity: O(1), as long as the observer of the last handler is there.
  @inlinable
  public func callAsFunction() -> Output {
    answer(to: ())
  }
}

extension ObservableHook {
  /// What observations of a hook have in place of the key path of a property.
  @usableFromInline
  static var keyPath: AnyKeyPath { \ObservableHook.self }
}

extension ObservableHook: CyclicSource {
  var graphName: String { "asked" }

  static func cycleDescription(rounds: Int) -> String {
    "asked by its own handlers \(rounds) levels deep: they are not asked, the default answers"
  }
}
