import ObservationController

/// What bindings set: it writes down whatever it is set to, equal or not.
package final class Label {
  package var text = "" {
    didSet { history.append(text) }
  }

  package var title: String? {
    didSet { titles.append(title) }
  }

  /// Can be observed.
  @Observed package var caption = ""

  package var number = 0

  package private(set) var history: [String] = []
  package private(set) var titles: [String?] = []

  package init() {}

  /// The texts so far, which are forgotten.
  package func takeHistory() -> [String] {
    defer { history = [] }
    return history
  }
}
