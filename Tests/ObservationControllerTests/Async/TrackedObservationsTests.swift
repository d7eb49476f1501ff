#if compiler(>=6.2)
  import Observation
  import ObservationController
  import TestSupport
  import XCTest

  /// The standard library's `Observations` follows `@TrackedObserved` properties.
  @MainActor
  final class TrackedObservationsTests: TestCase {
    func test_observations_followSetsAndMutationsInPlace_besideAController() async throws {
      guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
        throw XCTSkip("has no Observations")
      }
      let document = MainDocument()
      let recorder = LineRecorder()
      let observations = ObservationController(observer: recorder)
      observations.observe(document, \.tags, options: []) { recorder, _, change in
        recorder.write(change.newValue)
      }
      var values = Observations { document.tags }.makeAsyncIterator()
      var all = [await values.next()]
      document.tags.append("a")
      all.append(await values.next())
      document.tags = ["b"]
      all.append(await values.next())
      XCTAssertEqual(all, [[], ["a"], ["b"]])
      XCTAssertEqual(recorder.events, [#"["a"]"#, #"["b"]"#])
    }

    func test_observations_insideOfATransaction_getTheFinalValue() async throws {
      guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
        throw XCTSkip("has no Observations")
      }
      let document = MainDocument()
      var values = Observations { document.tags }.makeAsyncIterator()
      var all = [await values.next()]
      withObservationTransaction {
        document.tags = ["a"]
        document.tags.append("b")
      }
      all.append(await values.next())
      XCTAssertEqual(all, [[], ["a", "b"]])
    }
  }

  @MainActor
  @Observable
  private final class MainDocument {
    @ObservationIgnored @TrackedObserved var tags: [String] = []
  }
#endif
