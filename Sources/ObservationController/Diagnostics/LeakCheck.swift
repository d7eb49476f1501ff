/// Runs `body`, and reports each observation that it leaves behind.
///
/// A view model that is never deallocated keeps observing. This finds it, without a test framework:
/// each observation that began while `body` ran and has not ended when it returns is reported as an
/// ``ObservationIssue/leaked(keyPath:file:line:)``, with the place of its registration.
///
///     withObservationLeakCheck {
///       let viewModel = PersonViewModel(person: person)
///       viewModel.rename()
///     }   // App/PersonViewModel.swift:12: \Person.name was observed here and still is …
///
/// In a test, put it around everything from `setUp` to `tearDown`: an observation left behind is a
/// failure.
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
/// Every kind of observation counts, including bindings, events, notifications, sequences and the
/// observations that live views make of their sources; so does one that the result of `body` keeps
/// alive. An observation that began before `body` does not count, also if it was registered again.
/// Observations that other threads begin meanwhile do count, so run only one check at a time, and
/// nothing beside it that goes on observing. A check inside of another one reports on its own, and
/// so does the outer one.
///
/// - Parameter body: Runs on this thread, at once, with no lock held. Issues are reported before
///   this function returns, also if `body` throws.
/// - Returns: The result of `body`.
/// - Complexity: That of `body`, plus O(n log n) in the number of all observations.
public func withObservationLeakCheck<Result>(_ body: () throws -> Result) rethrows -> Result {
  let before = ObservationInfo.lastNumber
  defer { reportLeaks(since: before) }
  return try body()
}

/// Runs an asynchronous `body`, and reports each observation that it leaves behind when it has
/// returned.
///
///     await withObservationLeakCheck {
///       let viewModel = PersonViewModel(person: person)
///       await viewModel.load()
///     }
///
/// - Parameters:
///   - isolation: The caller's isolation, where `body` runs and the issues are reported.
///   - body: Runs at once. Observations that begin elsewhere while it waits count too.
/// - Returns: The result of `body`.
/// - Complexity: That of `body`, plus O(n log n) in the number of all observations.
public func withObservationLeakCheck<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async rethrows -> Result {
  let before = ObservationInfo.lastNumber
  defer { reportLeaks(since: before) }
  return try await body()
}

/// Reports the observations that have begun since `before` and have not ended.
private func reportLeaks(since before: UInt64) {
  // Listed before the first report: the reporter may end some of them, or begin others.
  for info in ObservationDispatcher.shared.allInfos where info.number > before {
    info.registration.report(ObservationIssue.leaked, about: info)
  }
}
