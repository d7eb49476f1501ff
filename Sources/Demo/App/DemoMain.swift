import Foundation
import ObservationController

/// A process monitor: `swift run Demo`, and `swift run Demo --help` for more.
@main
@MainActor
struct DemoMain {
  static func main() async {
    let options: Options
    do {
      options = try Options(arguments: CommandLine.arguments.dropFirst())
    } catch {
      fail(error, status: OptionsError.exitStatus)
    }
    let output = FileSink(descriptor: STDOUT_FILENO)
    do {
      if options.showsHelp {
        try output.write(Options.help)
      } else {
        try await run(options, output: output)
      }
    } catch let error as WriteError where error.isBrokenPipe {
      // The reader has closed the pipe, as after `Demo | head -1`.
    } catch {
      fail(error, status: EX_IOERR)
    }
  }

  /// Monitors this system until the session is over, and says what was done.
  private static func run(_ options: Options, output: FileSink) async throws {
    try options.trace?.check()
    try options.graph?.check()
    let events = EventSource()
    let view: any MonitorView
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let abilities = Abilities(
      isTerminal: isTerminal, environment: ProcessInfo.processInfo.environment)
    if abilities.movesCursor {
      view = TerminalView(
        sink: output, keyboard: TerminalKeyboardMode(descriptor: STDIN_FILENO),
        palette: abilities.hasColors ? .colored : .monochrome,
        currentSize: { TerminalSize.current(of: STDOUT_FILENO) })
      if isatty(STDIN_FILENO) == 1 { events.startKeyboard(descriptor: STDIN_FILENO) }
    } else {
      let columns = isTerminal ? TerminalSize.current(of: STDOUT_FILENO).columns : 120
      view = PlainView(sink: output, columns: columns)
    }
    events.startSignals(drawsOnTerminal: abilities.movesCursor)
    let sampler = BackgroundSampler(reader: systemReader(options))
    let clock = sampler.start(every: options.interval)
    defer {
      // A sample that is being taken is abandoned.
      clock.cancel()
      events.stop()
    }
    let trace = options.trace.map { _ in ObservationTrace(readsObjects: false) }
    trace?.start()
    let session = Session(
      options: options, latest: sampler.latest, inspected: sampler.inspected, view: view,
      gauge: abilities.isUnicode ? .unicode : .ascii, trace: trace, sender: sender(options),
      // A signal that can't be caught: the one that came was, and did not stop anything.
      stopProcess: { raise(SIGSTOP) })
    let summary = try await session.run(events)
    trace?.stop()
    if let trace { try options.trace?.write(trace.chromeTrace) }
    // Apart from the last sample, if that is still to be seen.
    try output.write((view.isWatched ? "" : "\n") + summary.description)
  }

  private static func systemReader(_ options: Options) -> any SystemReader {
    #if os(Linux)
      ProcReader(files: ProcFolder(path: options.procFolder))
    #else
      CommandReader()
    #endif
  }

  /// `nil` for a copy of `/proc`: its numbers may be those of other processes here.
  private static func sender(_ options: Options) -> TerminationViewModel.Sender? {
    guard options.procFolder == Options.systemProcFolder else { return nil }
    return { identifier in
      // Numbers below 1 stand for groups of processes.
      guard let process = pid_t(exactly: identifier), process > 0 else { return "no such process" }
      return kill(process, SIGTERM) == 0 ? nil : String(cString: strerror(errno))
    }
  }

  private static func fail(_ error: any Error, status: Int32) -> Never {
    try? FileSink(descriptor: STDERR_FILENO).write("Demo: \(error)\n")
    exit(status)
  }
}
