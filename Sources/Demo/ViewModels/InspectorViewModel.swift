import ObservationController

/// Answers to a question on the selected process: why its row was drawn, or its observers.
///
/// Held by ``Monitor``.
final class InspectorViewModel {
  enum Question {
    case why, who
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
  }

  /// Asks a question, or no longer.
  func toggle(_ question: Question) {
    _ = names
    self.question = self.question == question ? nil : question
  }

  func close() { question = nil }

  /// Brings the answer up to date.
  func answer() {
    guard let question, let row = table.selectedRow else { return lines.show([]) }
    let name = "process \(row.record.processIdentifier)"
    ObservationGraph.setLabel(name, for: row.record)
    let answer =
      switch question {
      case .why: Explanation.why(row.line, activity.events)
      case .who: Explanation.who(ObservationGraph(), observing: name)
      }
    let title = question == .why ? "Why was the row of \(name) drawn?" : "Who observes \(name)?"
    if lines.isEmpty { lines = [DisplayLine(on: .heading)] }
    lines.show([" " + StyledText(title)] + answer)
  }
}
