import ObservationController

/// Asks the user before it has a process terminated.
///
/// Held by ``ProcessPageViewModel``.
final class TerminationViewModel {
  /// Sends a process the signal to end, by its number. Returns why it could not.
  typealias Sender = (Int) -> String?

  let line = DisplayLine()
  /// Asked before each signal. No process is sent one where nobody answers.
  let shouldTerminate = ObservableHook<ProcessRecord, Bool> { _ in false }

  /// The process that the user is asked about just now, with the command that the question names.
  private var asked: (record: ProcessRecord, command: String)?
  private var isConfirmed = false
  private let sender: Sender?
  private lazy var observations = ObservationController(observer: self)

  /// - Parameter sender: `nil` where the processes are not those of this system.
  init(sender: Sender?) {
    self.sender = sender
    line.text = Self.hint
    // Answers for the user, who needs time: no at first, and yes when the key has been pressed.
    observations.handle(shouldTerminate) { termination, record in termination.confirms(record) }
  }

  var isAsking: Bool { asked != nil }

  /// Asks the hook, and sends the signal if that agrees.
  func terminate(_ record: ProcessRecord) {
    guard let sender else {
      line.text = " Nothing is sent: these processes are a recording."
      return
    }
    guard shouldTerminate(record) else { return }
    asked = nil
    let failure = sender(record.processIdentifier)
    line.text =
      failure.map { StyledText(" SIGTERM was not sent: \($0).", .alarm) }
      ?? StyledText(" SIGTERM was sent to \(record.title).", .good)
  }

  /// Takes the answer of the user to the question.
  func answer(_ key: Key) {
    guard let (record, _) = asked else { return }
    guard key == .character("y") else {
      cancel()
      return
    }
    isConfirmed = true
    terminate(record)
    isConfirmed = false
  }

  /// Asks no longer.
  func cancel() {
    asked = nil
    line.text = Self.hint
  }

  private func confirms(_ record: ProcessRecord) -> Bool {
    // Another program may run by now where the question named one.
    if isConfirmed, let asked, asked.record === record, asked.command == record.command {
      return true
    }
    asked = (record, record.command)
    let command = PrintableText.escaping(record.command)
    line.text =
      StyledText(" Send SIGTERM to \(record.title), \(command.prefix(30))? ", .warning)
      + StyledText("y", .strong) + " sends it, any other key does not"
    return false
  }

  private static let hint =
    StyledText(" Enter", .strong) + StyledText(" back ", .dim) + StyledText(" x", .strong)
    + StyledText(" ask the process to end (SIGTERM)", .dim)
}
