import Observation
import ObservationController
import TestSupport
import XCTest

/// One class for Observation and for this library.
@MainActor
final class ReadmeTrackingTests: TestCase {
  private final class Saver {
    private(set) var saved: [String] = []

    func save(_ text: String) { saved.append(text) }
  }

  private let journal = LineRecorder()

  private func render(_ text: String) {
    journal.write("rendered \(text)")
  }

  func test_readme_together_trackingAndObserversAreNotified() async {
    let (document, saver) = (ReadmeDocument(), Saver())
    let observations = ObservationController(observer: saver)
    let needsRendering: @Sendable () -> Void = { [journal] in journal.write("needs rendering") }

    observations.observe(document, \.text) { saver, _, change in
      saver.save(change.newValue)  // each change, after the store
    }
    withObservationTracking {
      render(document.text)
    } onChange: {
      needsRendering()
    }  // once, before it
    document.text = "a"
    document.text = "b"
    XCTAssertEqual(saver.saved, ["a", "b"])
    XCTAssertEqual(journal.events, ["rendered ", "needs rendering"])

    var titles: [String] = []
    for await title in observations.values(of: document, \.title) {
      titles.append(title)
      guard titles.count < 2 else { break }
      document.title = "B"
      document.title = "C"
    }
    XCTAssertEqual(titles, ["Untitled", "C"])
  }
}

@MainActor
@Observable
private final class ReadmeDocument {
  var title = "Untitled"  // Observation only
  @ObservationIgnored @TrackedObserved var text = ""  // Both
}
