import Observation
import ObservationController
import TestSupport

/// What both worlds follow, next to a property of each.
@Observable
final class TrackedDocument {
  /// Observation's alone.
  var title = "Untitled"

  @ObservationIgnored @TrackedObserved var text = ""
  @ObservationIgnored @TrackedObserved var tags: [String] = []
  @ObservationIgnored @TrackedObserved var author: TrackedAuthor?

  /// This library's alone.
  @ObservationIgnored @Observed var visits = 0

  /// Reads two properties.
  var summary: String { "\(text) \(tags)" }

  @ObservationIgnored @Derived({ (document: TrackedDocument) in document.text.count })
  var length: Int
}

/// Observable without the macro.
class TrackedAuthor: Observable {
  @TrackedObserved var name: String
  @TrackedObserved var count = 0

  init(_ name: String) {
    self.name = name
  }
}

final class TrackedPoet: TrackedAuthor {
  @TrackedObserved var poems = 0
}

/// Nothing of this library's.
@MainActor
@Observable
final class PlainDocument {
  var title = "Untitled"
  var pages = 1
  var next: PlainDocument?

  var summary: String { "\(title), \(pages)" }

  @ObservationIgnored var constant = 7
}

struct TrackingError: Error {}

extension LineRecorder {
  /// Writes `line` before the next change of what `read` reads.
  func track<Value>(_ line: String, _ read: () -> Value) {
    withObservationTracking {
      _ = read()
    } onChange: {
      self.write(line)
    }
  }
}
