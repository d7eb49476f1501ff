#if os(Linux) || os(macOS)
  import Foundation
  import ObservationController
  import TestSupport
  import XCTest

  /// Uses of tracked properties that the compiler refuses, and uses that are reported (C24, C25).
  final class TrackedRefusalTests: TestCase {
    private static let control = """
      import Observation
      @Observable private final class M {
        var plain = 0
        @ObservationIgnored @TrackedObserved var x = 0
      }
      private final class H: Observable { @TrackedObserved private(set) var x = 0 }
      @MainActor @Observable private final class U { @ObservationIgnored @TrackedObserved var x = 0 }
      private func isSendable(_ value: some Sendable) {}
      private func f() { isSendable(TrackedObserved(wrappedValue: 0)) }
      """

    func test_C25_trackedObserved_whereItCanNotStand_isRefused() throws {
      let sentence =
        "@TrackedObserved works on properties of Observable classes only: make the enclosing type "
        + "one, or leave the attribute out"
      try Compiler().assertRefuses(
        [
          "structProperty": ("private struct S { @TrackedObserved var x = 0 }", sentence),
          "local": ("private func f() { @TrackedObserved var x = 0; x = 1 }", sentence),
          "classStatic": (
            "private final class C { @TrackedObserved @MainActor static var x = 0 }", sentence
          ),
          "sent": (
            "private class C {}\nprivate func g(_ v: some Sendable) {}\n"
              + "private func f() { g(TrackedObserved(wrappedValue: C())) }",
            "does not conform to the 'Sendable' protocol"
          ),
        ], control: Self.control)
    }

    /// The macro makes the property a computed one.
    func test_C25_trackedObserved_withoutObservationIgnored_isRefused() throws {
      let errors = try Compiler().errors(in: [
        "source": "import Observation\nimport ObservationController\n"
          + "@Observable private final class C { @TrackedObserved var x = 0 }"
      ])
      let sentence = "property wrapper cannot be applied to a computed property"
      XCTAssertEqual(errors["source"]?.contains { $0.contains(sentence) }, true, "\(errors)")
    }

    /// The compiler names only the place of the subscript, but class and protocol too.
    func test_C25_trackedObserved_inAClassThatIsNotObservable_isRefused() throws {
      let source =
        "import ObservationController\nprivate final class N { @TrackedObserved var x = 0 }"
      let errors = try Compiler().errors(in: ["source": source]).values.flatMap(\.self)
      XCTAssertTrue(
        errors.contains { $0.contains("requires that 'N' conform to 'Observable'") }, "\(errors)")
    }

    func test_C25_values_thatAreNotSendable_areRefused() throws {
      try Compiler().assertRefuses(
        [
          "values": (
            "import Observation\nprivate class V {}\n"
              + "@MainActor @Observable private final class M { var v = V() }\n"
              + "@MainActor private func f(_ m: M, _ c: ObservationController<M>) {\n"
              + "  _ = c.values(of: m, \\.v)\n}", "'V'"
          )
        ], control: Self.control)
    }

    /// The library's own properties are followed without isolation; others are reported.
    func test_C24_values_withoutIsolation_ofObservationAlone_areReported() {
      let document = TrackedDocument()
      let observations = ObservationController(observer: self)
      var line: UInt = 0
      let issues = collectingIssues {
        _ = observations.values(of: document, \.text)
        line = #line + 1
        _ = observations.values(of: document, \.title)
      }
      XCTAssertEqual(issues.count, 1)
      guard case .nothingObservable(let keyPath, _, line) = issues.first else {
        return XCTFail("\(issues)")
      }
      XCTAssertEqual(keyPath, \TrackedDocument.title)
    }

    func test_C24_changesOfObservationAlone_areReported() {
      let document = TrackedDocument()
      let observations = ObservationController(observer: self)
      let issues = collectingIssues {
        _ = observations.changes(of: document, \.title)
        observations.observe(document, \.title) { _, _, _ in }
      }
      XCTAssertEqual(issues.count, 2)
    }
  }
#endif
