import ObservationController

/// A target of bindings, which records each value that it is set to, equal or not.
package final class Label {
  package var text = "" {
    didSet { texts.append(text) }
  }

  package var title: String? {
    didSet { titles.append(title) }
  }

  /// Can be observed.
  @Observed package var caption = ""

  package var number = 0

  package let texts = LineRecorder()
  package let titles = Recorder<String?>()

  package init() {}
}
