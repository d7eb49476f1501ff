import Observation
import ObservationController

/// Properties of both kinds of tracking, next to a property of each.
@Observable
package final class TrackedDocument {
  /// Tracked by Observation only.
  package var title = "Untitled"

  @ObservationIgnored @TrackedObserved package var text = ""
  @ObservationIgnored @TrackedObserved package var tags: [String] = []
  @ObservationIgnored @TrackedObserved package var author: TrackedAuthor?

  /// Tracked by this library only.
  @ObservationIgnored @Observed package var visits = 0

  package init() {}

  /// Reads two properties.
  package var summary: String { "\(text) \(tags)" }

  @ObservationIgnored @Derived({ (document: TrackedDocument) in document.text.count })
  package var length: Int
}

/// Observable without the macro.
package class TrackedAuthor: Observable {
  @TrackedObserved package var name: String
  @TrackedObserved package var count = 0

  package init(_ name: String) {
    self.name = name
  }
}

/// A subclass with a property of its own.
package final class TrackedPoet: TrackedAuthor {
  @TrackedObserved package var poems = 0

  package override init(_ name: String) {
    super.init(name)
  }
}

/// No property of this library.
@MainActor
@Observable
package final class PlainDocument {
  package var title = "Untitled"
  package var pages = 1
  package var next: PlainDocument?

  @ObservationIgnored package var constant = 7

  package init() {}

  package var summary: String { "\(title), \(pages)" }
}
