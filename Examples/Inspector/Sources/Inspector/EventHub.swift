import NIOConcurrencyHelpers
import ObservationController

/// The last thousand events of the program, for all open pages.
///
/// One follower records for all of them. It starts with the first page and ends with the last, so
/// that without a page nothing is recorded. A page has no buffer of its own but a place in the
/// common one: one that falls behind by more than a thousand events loses the oldest, and receives
/// their number.
final class EventHub: Sendable {
  private struct State {
    var pages = 0

    /// Different for each follower, so that the last events of an old one are left out.
    var generation = 0
    var follower: Task<Void, Never>?
    var buffer = EventBuffer()
  }

  private let state = NIOLockedValueBox(State())
  private let reader: ObjectReader

  init(reader: ObjectReader) { self.reader = reader }

  /// Opens a page, which receives the buffered events first.
  ///
  /// - Returns: The page's place among the events.
  func open() -> Int {
    state.withLockedValue { state in
      state.pages += 1
      if state.pages == 1 {
        state.generation += 1
        state.follower = Task { [self, generation = state.generation] in await follow(generation) }
      }
      return state.buffer.first
    }
  }

  /// Closes a page. The last one ends recording.
  func close() {
    state.withLockedValue { state in
      state.pages -= 1
      guard state.pages == 0 else { return }
      state.follower?.cancel()
      state = State(generation: state.generation)
    }
  }

  /// Takes what a page has not received yet.
  func take(from place: inout Int, withCounts: Bool) -> EventBuffer.Batch {
    state.withLockedValue { $0.buffer.take(from: &place, withCounts: withCounts) }
  }

  private func follow(_ generation: Int) async {
    let capacity = 8 * EventBuffer.capacity
    _ = await ObservationList.all(by: reader)  // names the properties in the first events
    let events = await reader.read { [reads = reader.readsObjects] in
      ObservationTrace.events(capacity: capacity, readsObjects: reads)
    }
    var asked = ContinuousClock.now
    for await event in events {
      let (row, waited, dropped) = (EventRow(event), .now - asked, events.droppedCount)
      state.withLockedValue { state in
        guard state.pages > 0, state.generation == generation else { return }
        state.buffer.append(row, droppedCount: dropped)
      }
      // The thread that records an event wakes a loop that waits. A loop that sleeps after it
      // has waited is woken fifty times a second at most, however many events there are.
      if waited > .milliseconds(1) { try? await Task.sleep(for: .milliseconds(20)) }
      asked = .now
    }
  }
}
