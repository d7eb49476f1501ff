import Observation
import ObservationController

/// What both worlds follow, next to a property of each.
@Observable
package final class TrackedDocument {
  /// Observation's alone.
  package var title = "Untitled"

  @ObservationIgnored @TrackedObserved package var text = ""
  @ObservationIgnored @TrackedObserved package var tags: [String] = []
  @ObservationIgnored @TrackedObserved package var author: TrackedAuthor?

  /// This library's alone.
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

/// Nothing of this library's.
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
