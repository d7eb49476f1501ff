import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Makes one stream of events of the clock, the keyboard, and the signals of this process.
///
/// Everything arrives on the main queue; nothing is done in a signal handler. A source
/// that is busy while its cause comes twice tells of it once, so that ticks do not pile up
/// while a sample takes longer than the interval.
@MainActor
final class EventSource {
  let events: AsyncStream<Event>

  private let continuation: AsyncStream<Event>.Continuation
  private var sources: [any DispatchSourceProtocol] = []

  init() {
    (events, continuation) = AsyncStream.makeStream()
  }

  /// Starts to tell of ticks, the first after one interval.
  func startClock(interval seconds: Double) {
    let clock = DispatchSource.makeTimerSource(queue: .main)
    clock.schedule(deadline: .now() + seconds, repeating: seconds, leeway: .milliseconds(1))
    start(clock) { $0.yield(.tick) }
  }

  /// Starts to tell of the keys pressed on a terminal whose ``KeyboardMode`` never waits.
  func startKeyboard(descriptor: Int32) {
    let keyboard = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    start(keyboard) { continuation in
      var buffer = [UInt8](repeating: 0, count: 64)
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        for key in Keyboard.keys(in: buffer[..<count]) { continuation.yield(.key(key)) }
      } else if Self.hasHungUp(descriptor) {
        // Nobody will ever press a key again, and the source would never fall silent.
        continuation.yield(.interruption)
      }
    }
  }

  /// Starts to tell of Ctrl-C and its kin, and of Ctrl-Z and the window if it is drawn on a terminal.
  func startSignals(drawsOnTerminal: Bool) {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      startSignal(number) { $0.yield(.interruption) }
    }
    if drawsOnTerminal {
      startSignal(SIGTSTP) { $0.yield(.suspension) }
      startSignal(SIGWINCH) { $0.yield(.resizing) }
    }
  }

  /// Ends all events, and the stream.
  func stop() {
    for source in sources { source.cancel() }
    sources = []
    continuation.finish()
  }

  private func startSignal(
    _ number: Int32, handler: @escaping @Sendable (AsyncStream<Event>.Continuation) -> Void
  ) {
    // The source watches, but does not keep the signal from doing what it does.
    signal(number, SIG_IGN)
    start(DispatchSource.makeSignalSource(signal: number, queue: .main), handler: handler)
  }

  private func start(
    _ source: any DispatchSourceProtocol,
    handler: @escaping @Sendable (AsyncStream<Event>.Continuation) -> Void
  ) {
    let continuation = continuation
    source.setEventHandler { handler(continuation) }
    source.resume()
    sources.append(source)
  }

  private nonisolated static func hasHungUp(_ descriptor: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&request, 1, 0) > 0 && request.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
  }
}

/// Understands what a terminal sends for the keys pressed.
enum Keyboard {
  /// The keys of one read.
  ///
  /// A function or arrow key sends several bytes, an escape first; nothing here is on one,
  /// and its letters must not be taken for keys.
  static func keys(in bytes: some Collection<UInt8>) -> [Character] {
    guard bytes.first != 0x1B else { return [] }
    return bytes.filter { 0x20...0x7E ~= $0 }.map { Character(Unicode.Scalar($0)) }
  }
}
