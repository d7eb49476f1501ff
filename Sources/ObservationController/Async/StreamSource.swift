/// Feeds a stream with the deliveries of an observation, and finishes it when the observation ends.
///
///     token ──▶ handler ──▶ source ──▶ buffer ◀── sequence, iterator     strong
///       ▲                               │
///       └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘                                weak
///
/// Whoever ends the observation frees the handler, outside of every lock, and with it the source.
/// The buffer tells the token when nobody is left to take from it. Neither calls under a lock of its
/// own, so that each may bring about the other.
final class StreamSource<Element: Sendable>: Sendable {
  private let continuation: AsyncStream<Element>.Continuation

  init(_ continuation: AsyncStream<Element>.Continuation) {
    self.continuation = continuation
  }

  deinit {
    continuation.finish()
  }

  func send(_ element: Element) {
    continuation.yield(element)
  }
}
