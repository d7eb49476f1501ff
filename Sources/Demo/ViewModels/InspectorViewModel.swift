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
  private let screen: Screen
  /// The process that was selected until it left the table, while the question is asked on.
  private var lost: ProcessRecord?
  /// All that is ever observed is of the same few types: their properties are looked up once.
  private lazy var names: Void = activity.learnNames()
  private lazy var observations = ObservationController(observer: self)

  init(table: ProcessTableViewModel, activity: Activity, screen: Screen) {
    (self.table, self.activity, self.screen) = (table, activity, screen)

    // An action that takes no change: what is to be answered is looked up there.
    observations.observe(self, \.question, action: InspectorViewModel.answer)
    observations.observe(table, \.selected) { inspector, table, change in
      let old = change.oldValue ?? nil
      if old !== change.newValue {
        let isShown = table.shown.contains { $0 === old }
        inspector.lost = isShown || inspector.question == nil ? nil : old
      }
      inspector.answer()
    }
    observations.observeEach(table, \.order, \.filter, \.showsKernelThreads) { inspector, _, _ in
      if inspector.question == .keys { inspector.answer() }
    }
  }

  /// Asks a question, or no longer.
  func toggle(_ question: Question) {
    _ = names
    lost = nil
    self.question = self.question == question ? nil : question
  }

  func close() {
    lost = nil
    question = nil
  }

  /// Brings the answer up to date.
  func answer() {
    guard let question else { return lines.show([]) }
    if question == .keys { return show("Keys", Explanation.keys(of: table)) }
    let hidden = [lost.flatMap { Explanation.whyHidden($0, in: table) }].compactMap(\.self)
    guard let row = table.selectedRow else {
      let isEmpty = table.shown.isEmpty
      return isEmpty
        ? show("No process is shown, so there is none to ask about.", hidden) : lines.show([])
    }
    let name = row.record.title
    ObservationGraph.setLabel(name, for: row.record)
    switch question {
    case .why:
      let why = Explanation.why(
        row, activity, sample: table.sampleNumber, arrow: screen.gauge.arrow)
      show("Why was the row of \(name) drawn?", hidden + why)
    case .who, .keys:
      let who = Explanation.who(ObservationGraph(), observing: name)
      show("Who observes \(name)?", hidden + who)
    }
  }

  private func show(_ title: String, _ answer: [StyledText] = []) {
    if lines.isEmpty { lines = [DisplayLine(on: .heading)] }
    lines.show([" " + StyledText(title)] + answer)
  }
}
