/// Server-sent events that wait until a browser's connection takes them; bounded.
///
/// A browser that takes them too slowly is sent the whole state in place of what has waited.
@MainActor
final class Outbox {
  /// Characters that may wait.
  private let capacity: Int

  private var events = ""

  /// Whether the state is sent next; it is the first thing to be sent.
  private var isBehind = true

  private var isClosed = false
  private var waiting: CheckedContinuation<Void, Never>?

  init(capacity: Int = 256 * 1_024) { self.capacity = capacity }

  /// Adds an event; does nothing once the browser is behind, until it has caught up.
  ///
  /// - Parameter json: In one line.
  func send(_ name: String, _ json: String) {
    if isBehind || isClosed { return }
    events += Self.event(name, json)
    if events.utf8.count > capacity { (events, isBehind) = ("", true) }
    wake()
  }

  /// All that waits, as soon as there is something; `nil` once the outbox is closed.
  ///
  /// - Parameter state: The state as events, for a browser that has fallen behind.
  func next(orElse state: () -> String) async -> String? {
    while events.isEmpty, !isBehind, !isClosed {
      await withCheckedContinuation { waiting = $0 }
    }
    if isClosed { return nil }
    defer { (events, isBehind) = ("", false) }
    return isBehind ? state() : events
  }

  /// Ends it, and drops what waits.
  func close() {
    (events, isClosed) = ("", true)
    wake()
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }

  static func event(_ name: String, _ json: String) -> String {
    "event: \(name)\ndata: \(json)\n\n"
  }
}
