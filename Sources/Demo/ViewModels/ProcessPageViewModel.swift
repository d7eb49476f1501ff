import ObservationController

/// The page of one process, while it is open: what the table has no room for.
///
/// Held by ``Monitor``. It observes nothing while it is closed.
final class ProcessPageViewModel {
  /// The process of the page; `nil` while that is closed. Stays when the process ends.
  @Observed private(set) var record: ProcessRecord?
  let termination: TerminationViewModel

  /// As many samples as the plot shows.
  static let historyLimit = 60

  private let titleLine = DisplayLine(on: .heading)
  private var commandLines: [DisplayLine] = []
  private let userLine = DisplayLine()
  private let stateLine = DisplayLine()
  private let threadsLine = DisplayLine()
  private let parentLine = DisplayLine()
  private let memoryLine = DisplayLine()
  private let processorLine = DisplayLine()

  private let processes: ProcessTable
  private let screen: Screen
  /// The processor use of the process at each sample since the page was opened.
  @Observed private var history: [Double] = []
  private lazy var observations = ObservationController(observer: self)

  @Derived({ (page: ProcessPageViewModel) in
    page.record.map { Format.pageTitle($0.processIdentifier, hasEnded: !page.isListed) } ?? ""
  })
  private var title: StyledText

  @Derived({ (page: ProcessPageViewModel) in
    Format.wrappedCommand(page.record?.command ?? "", columns: page.screen.size.columns)
  })
  private var command: [StyledText]

  @Derived({ (page: ProcessPageViewModel) in
    let identifier = page.record?.details?.parentIdentifier
    let parent = page.processes.records.first { $0.processIdentifier == identifier }
    return Format.parent(identifier, parent?.command)
  })
  private var parent: StyledText

  @Derived({ (page: ProcessPageViewModel) in Format.processor(page.history, on: page.screen) })
  private var processor: StyledText

  init(processes: ProcessTable, screen: Screen, termination: TerminationViewModel) {
    (self.processes, self.screen, self.termination) = (processes, screen, termination)
  }

  var isOpen: Bool { record != nil }

  /// The lines for which there is room. The last one, which may ask a question, is never left out.
  func lines(limit: Int) -> [DisplayLine] {
    Array(lines.dropLast().prefix(max(limit - 1, 0))) + [termination.line].prefix(max(limit, 0))
  }

  /// From the top down.
  var lines: [DisplayLine] {
    [titleLine] + commandLines + [userLine, stateLine, threadsLine, parentLine, memoryLine]
      + [processorLine, termination.line]
  }

  /// Opens the page, or turns an open one to another process.
  func open(_ record: ProcessRecord) {
    guard record !== self.record else { return }
    let isFirst = !isOpen
    termination.cancel()
    self.record?.apply(nil)
    self.record = record
    history = [record.processorPercent]
    if isFirst { observe() }
  }

  /// Closes the page, and forgets what it alone has kept.
  func close() {
    termination.cancel()
    observations.unobserve(self)
    observations.unobserve(processes)
    record?.apply(nil)
    record = nil
    history = []
  }

  /// Asks whether the process is to be terminated.
  func terminate() {
    if let record, isListed { termination.terminate(record) }
  }

  /// The number may soon be that of another process: an answer would come too late.
  private func processHasEnded() {
    if termination.isAsking { termination.cancel() }
  }

  private var isListed: Bool { processes.records.contains { $0 === record } }

  private func observe() {
    // Nested paths through optional links: they follow the properties of the process that the page
    // is of, and when it is turned to another one those of that.
    observations.bind(self, \.record?.details?.user, to: userLine, \.text) {
      Format.entry("User", $0.map(PrintableText.escaping))
    }
    observations.bind(self, \.record?.state, to: stateLine, \.text) { Format.state($0) }
    observations.bind(self, \.record?.details?.threadCount, to: threadsLine, \.text) {
      Format.entry("Threads", $0.map(String.init))
    }
    observations.bind(self, \.record?.residentBytes, to: memoryLine, \.text) {
      Format.entry("Memory", $0.map(Format.bytes))
    }

    observations.bind(self, \.title, to: titleLine, \.text)
    observations.bind(self, \.parent, to: parentLine, \.text)
    observations.bind(self, \.processor, to: processorLine, \.text)
    observations.observe(self, \.command, options: .initial) { page, _, change in
      page.commandLines.show(change.newValue)
    }

    // A sample that finds the use unchanged does not set it, and belongs to the plot all the same.
    observations.observe(processes, \.sampleNumber) { page, _, _ in
      guard let record = page.record, page.isListed else { return page.processHasEnded() }
      page.history = page.history.suffix(Self.historyLimit - 1) + [record.processorPercent]
    }
  }
}
