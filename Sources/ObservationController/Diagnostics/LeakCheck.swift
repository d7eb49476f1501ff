/// Runs `body`, and reports each observation that it leaves behind.
///
/// A view model that is never freed keeps observing. This finds it, without a test framework: what
/// began while `body` ran and has not ended when it returns is reported as an
/// ``ObservationIssue/leaked(keyPath:file:line:)``, one for each observation, with the place where it
/// was registered.
///
///     withObservationLeakCheck {
///       let viewModel = PersonViewModel(person: person)
///       viewModel.rename()
///     }   // App/PersonViewModel.swift:12: \Person.name was observed here and still is …
///
/// In a test, around everything from `setUp` to `tearDown`: what that does not let go of is a failure.
///
///     final class PersonViewModelTests: XCTestCase {
///       private var viewModel: PersonViewModel?
///
///       override func invokeTest() {
///         ObservationIssue.reporter = { XCTFail($0.description) }
///         withObservationLeakCheck { super.invokeTest() }
///       }
///
///       override func setUp() { viewModel = PersonViewModel(person: Person()) }
///       override func tearDown() { viewModel = nil }    // without this line the test fails
///     }
///
/// Every kind of observation counts, bindings, events, notifications, sequences and what live views
/// have of their sources included; so does one that whatever `body` returns keeps alive. What began
/// before `body` does not count, also if it was asked for again. What other threads begin meanwhile
/// does: nobody can tell on whose behalf they do. So only one check should run at a time, and nothing
/// beside it that goes on observing. A check inside of another one reports on its own, and so does the
/// outer one.
///
/// - Parameter body: Runs on this thread, at once, with no lock held. What it leaves behind is reported
///   before this returns, also if it throws.
/// - Returns: What `body` returns.
/// - Complexity: That of `body`, plus O(n log n) in the number of all observations.
public func withObservationLeakCheck<Result>(_ body: () throws -> Result) rethrows -> Result {
  let before = ObservationInfo.lastNumber
  defer { reportLeaks(since: before) }
  return try body()
}

/// The same for a `body` that waits: what it leaves behind is reported when it has returned.
///
///     await withObservationLeakCheck {
///       let viewModel = PersonViewModel(person: person)
///       await viewModel.load()
///     }
///
/// - Parameters:
///   - isolation: That of the caller, where `body` runs and the issues are reported.
///   - body: Runs at once. Whatever else is observed while it waits counts too.
/// - Returns: What `body` returns.
/// - Complexity: As without waiting.
public func withObservationLeakCheck<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async rethrows -> Result {
  let before = ObservationInfo.lastNumber
  defer { reportLeaks(since: before) }
  return try await body()
}

/// Reports what has begun since and goes on.
private func reportLeaks(since before: UInt64) {
  // Listed before anybody is told: the reporter may end some of them, or begin others.
  for info in ObservationDispatcher.shared.allInfos where info.number > before {
    ObservationDispatcher.report(
      .leaked(
        keyPath: info.registration.keyPath, file: info.registration.file,
        line: info.registration.line),
      about: info)
  }
}
