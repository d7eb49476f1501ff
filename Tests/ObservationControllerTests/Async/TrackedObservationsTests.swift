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

    /// A model with everything that Observation notices: no change is missed, whichever property is
    /// changed, and however.
    func test_observations_ofAModel_missNothing() async throws {
      guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
        throw XCTSkip("has no Observations")
      }
      let shop = MainShop()
      let names = ObservableValue { shop.names.count }
      shop.shown = shop.names.filtered(on: []) { $0.count > 1 }.sorted(on: []) { $0 < $1 }
      // Read before, so that the loop reads clean values.
      XCTAssertEqual([shop.total, names.value], [1, 0])
      var states = Observations {
        "\(shop.total) \(names.value) \(shop.names.elements) \(shop.shown.elements)"
      }.makeAsyncIterator()
      var seen = [await states.next()]
      let changes: [@MainActor () -> Void] = [
        { shop.price = 2 }, { shop.count = 3 }, { shop.names.append("Bo") },
        { shop.names[0] = "A" }, { shop.names.insert("Ada", at: 0) },
        {
          withObservationTransaction {
            shop.price = 4
            shop.names.removeLast()
          }
        }, { shop.names.performBatchUpdates { shop.names.append("Al") } },
        { shop.names = ["Eve"] }, { shop.count += 1 },
      ]
      for change in changes {
        change()
        seen.append(await states.next())
      }
      XCTAssertEqual(
        seen,
        [
          "1 0 [] []", "2 0 [] []", "6 0 [] []", #"6 1 ["Bo"] ["Bo"]"#, #"6 1 ["A"] []"#,
          #"6 2 ["Ada", "A"] ["Ada"]"#, #"12 1 ["Ada"] ["Ada"]"#,
          #"12 2 ["Ada", "Al"] ["Ada", "Al"]"#, #"12 1 ["Eve"] ["Ada", "Al"]"#,
          #"16 1 ["Eve"] ["Ada", "Al"]"#,
        ])
    }
  }

  @MainActor
  @Observable
  private final class MainShop {
    @ObservationIgnored @Observed var price = 1
    @ObservationIgnored @TrackedObserved var count = 1
    @ObservationIgnored @TrackedObserved var names: ObservableArray<String> = []
    @ObservationIgnored @TrackedObserved var shown: ObservableArray<String> = []
    @ObservationIgnored
    @Derived({ (shop: MainShop) in
      MainActor.assumeIsolated { shop.price * shop.count }
    }) var total: Int
  }

  @MainActor
  @Observable
  private final class MainDocument {
    @ObservationIgnored @TrackedObserved var tags: [String] = []
  }
#endif
