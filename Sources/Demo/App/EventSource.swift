import Dispatch
import Foundation
import ObservationController

/// Makes events of the keyboard and the signals of this process, for the session to observe.
///
/// All are sent on the main queue; nothing is done in a signal handler.
@MainActor
final class EventSource {
  let key = ObservableEvent<Key>()
  /// Ctrl-C, or the system or the user wants the monitor to end.
  let interruption = ObservableEvent<Void>()
  /// Ctrl-Z: the monitor is to stop until it is continued.
  let suspension = ObservableEvent<Void>()
  /// The window has another size, or had one in between.
  let resizing = ObservableEvent<Void>()

  private var sources: [any DispatchSourceProtocol] = []

  /// Starts to report the keys pressed on a terminal whose ``KeyboardMode`` never waits.
  func startKeyboard(descriptor: Int32) {
    let keyboard = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    start(keyboard) { [key, interruption] in
      var buffer = [UInt8](repeating: 0, count: 64)
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        for pressed in Keyboard.keys(in: buffer[..<count]) { key.send(pressed) }
      } else if Self.hasHungUp(descriptor) {
        // No key will arrive any more, and the source would fire for ever.
        interruption.send()
      }
    }
  }

  /// Starts to report Ctrl-C and its kin, and Ctrl-Z and the window if it is drawn on a terminal.
  func startSignals(drawsOnTerminal: Bool) {
    for number in [SIGINT, SIGTERM, SIGHUP] { startSignal(number, interruption) }
    if drawsOnTerminal {
      startSignal(SIGTSTP, suspension)
      startSignal(SIGWINCH, resizing)
    }
  }

  /// Ends all events.
  func stop() {
    for source in sources { source.cancel() }
    sources = []
  }

  private func startSignal(_ number: Int32, _ event: ObservableEvent<Void>) {
    // The source watches, but does not keep the signal from doing what it does.
    signal(number, SIG_IGN)
    start(DispatchSource.makeSignalSource(signal: number, queue: .main)) { event.send() }
  }

  private func start(
    _ source: any DispatchSourceProtocol, handler: @escaping @Sendable () -> Void
  ) {
    source.setEventHandler(handler: handler)
    source.resume()
    sources.append(source)
  }

  private nonisolated static func hasHungUp(_ descriptor: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&request, 1, 0) > 0 && request.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
  }
}
