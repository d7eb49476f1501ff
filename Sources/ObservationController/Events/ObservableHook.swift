/// A question that an object leaves to a handler, with a default answer.
///
/// Takes the place of a delegate method that returns a value, without a protocol:
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
/// The handler that was registered last answers; when its observation ends, or its observer is
/// deallocated, the one before answers again. A controller that retains keeps the hook alive until
/// it is unobserved, not the object that it belongs to.
///
/// In the tables an observation of a hook is one of its key path `\.self`.
///
/// Handlers may be registered and ended on any thread. A hook is not `Sendable`, though: its
/// default is a closure that every caller runs, and may capture state of one isolation.
public final class ObservableHook<Input, Output> {
  /// Holds the observations, and never delivers.
  @usableFromInline let subject = Subject()

  /// Answers where no handler does.
  @usableFromInline let defaultHandler: (Input) -> Output

  /// Makes a hook without handlers.
  ///
  /// - Parameter handler: Answers when the hook has no handler. Runs on the thread that asks, with
  ///   no lock held. Kept as long as the hook: capture the object that owns the hook weakly.
  /// - Complexity: O(1).
  public init(default handler: @escaping (Input) -> Output) {
    defaultHandler = handler
  }
}

extension ObservableHook {
  /// Asks the handler that was registered last, or answers with the default.
  ///
  /// A handler may ask the hook again, and asks itself; after 100 such levels
  /// ``ObservationIssue/cycle(keyPath:file:line:)`` is reported, and the default answers until the
  /// outermost question is answered. What a handler reads counts as read by a computed key path
  /// that asks, since its value depends on it.
  ///
  /// - Complexity: O(n) in the observations of the hook whose observers have been deallocated, if
  ///   the last one has; otherwise O(1).
  @inlinable
  public func callAsFunction(_ input: Input) -> Output {
    if subject.isObserved, let answer = handlersAnswer(to: input) { return answer }
    return defaultHandler(input)
  }
}

extension ObservableHook where Input == Void {
  /// Asks the handler that was registered last, or answers with the default; short for `hook(())`.
  ///
  /// - Complexity: O(1), as long as the observer of the last handler exists.
  @inlinable
  public func callAsFunction() -> Output {
    self(())
  }
}

extension ObservableHook: ObservationIssue.CyclicSource {
  static func cycleDescription(rounds: Int) -> String {
    "asked by its own handlers \(rounds) levels deep: they are not asked, the default answers"
  }
}

// MARK: - Asking

extension ObservableHook {
  /// A question on its way to a handler, and the answer on its way back, `nil` until then. Valid as
  /// long as the delivery.
  @usableFromInline typealias Question = UnsafeMutablePointer<(input: Input, answer: Output?)>

  /// The answer of the last active info whose observer is alive.
  ///
  /// A question is answered at once, without waiting for a turn: the list is copied, and info and
  /// handler are retained while the handler runs.
  ///
  /// - Returns: `nil` if there is none, or it has been asked too deep.
  @usableFromInline
  func handlersAnswer(to input: Input) -> Output? {
    let infos = subject.latestInfos
    let limit = ThreadContext.maximumRounds
    let (cell, hook) = (ThreadCell.own, ObjectIdentifier(self))
    let level = cell.pointee.questions[hook] ?? 0
    cell.pointee.questions[hook] = level < limit ? level + 1 : .max
    guard level < limit else {
      // A handler asks this, so that there is one.
      if level == limit, let info = infos.last(where: \.isActive) {
        ObservationDispatcher.reportCycle(of: info)
      }
      return nil
    }
    // The default is left out: it may ask the hook itself, as a recursive function does.
    defer {
      if level == 0 {
        cell.pointee.questions[hook] = nil
      } else if cell.pointee.questions[hook] != .max {
        cell.pointee.questions[hook] = level
      }
    }
    var question = (input: input, answer: Output?.none)
    return withUnsafeMutablePointer(to: &question) { question in
      DeliveryProbe.record(.question(self)) {
        _ = infos.last { info in
          ObservationDispatcher.deliverDirectly(question, to: info)
          return question.pointee.answer != nil
        }
      }
      return question.pointee.answer
    }
  }
}

/// Answering hooks.
extension ObservationController {
  /// Has `handler` answer `hook`, until the observation ends or another handler is registered.
  ///
  ///     observations.handle(document.shouldClose) { editor, document in
  ///       editor.asksToDiscard(document)
  ///     }
  ///
  /// Each call is an observation of its own; the last one answers.
  ///
  /// - Parameters:
  ///   - hook: Kept alive until it is unobserved, if the controller retains.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  ///   - handler: Runs on the thread that asks, with no lock held, also on several at once if the
  ///     hook is asked there. May ask the hook again. Released when the observation ends.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1), however many observations of `hook` there are.
  @inlinable
  @discardableResult
  public func handle<Input, Output>(
    _ hook: ObservableHook<Input, Output>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Input) -> Output
  ) -> ObservationToken {
    register(hook, hook.subject, .question, by: .block, isolation, file, line) {
      (observer, question: ObservableHook<Input, Output>.Question) in
      question.pointee.answer = handler(observer, question.pointee.input)
    }
  }
}
