import ObservationController

/// Answers to a question on the selected process: why its row was drawn, or its observers. Or the
/// keys, with what they have set.
///
/// Held by ``Monitor``.
final class InspectorViewModel {
  enum Question {
    case why, who, keys
  }

  /// `nil` before the first request.
  @Observed private(set) var question: Question?
  private(set) var lines: [DisplayLine] = []

  private let table: ProcessTableViewModel
  private let activity: Activity
  /// All that is ever observed is of the same few types: their properties are looked up once.
  private lazy var names: Void = activity.learnNames()
  private lazy var observations = ObservationController(observer: self)

  init(table: ProcessTableViewModel, activity: Activity) {
    (self.table, self.activity) = (table, activity)

    // An action that takes no change, for both: what is to be answered is looked up there.
    observations.observe(self, \.question, action: InspectorViewModel.answer)
    observations.observe(table, \.selected, action: InspectorViewModel.answer)
    observations.observeEach(table, \.order, \.filter, \.showsKernelThreads) { inspector, _, _ in
      if inspector.question == .keys { inspector.answer() }
    }
  }

  /// Asks a question, or no longer.
  func toggle(_ question: Question) {
    _ = names
    self.question = self.question == question ? nil : question
  }

  func close() { question = nil }

  /// Brings the answer up to date.
  func answer() {
    guard let question else { return lines.show([]) }
    if question == .keys { return show("Keys", Explanation.keys(of: table)) }
    guard let row = table.selectedRow else {
      let isEmpty = table.shown.isEmpty
      return isEmpty ? show("No process is shown, so there is none to ask about.") : lines.show([])
    }
    let name = "process \(row.record.processIdentifier)"
    ObservationGraph.setLabel(name, for: row.record)
    switch question {
    case .why:
      show("Why was the row of \(name) drawn?", Explanation.why(row.line, activity.events))
    case .who, .keys:
      show("Who observes \(name)?", Explanation.who(ObservationGraph(), observing: name))
    }
  }

  private func show(_ title: String, _ answer: [StyledText] = []) {
    if lines.isEmpty { lines = [DisplayLine(on: .heading)] }
    lines.show([" " + StyledText(title)] + answer)
  }
}
