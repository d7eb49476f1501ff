import Foundation
import ObservationController
import Synchronization

/// The last thousand events of the program, for all open pages.
///
/// One follower records for all of them. It starts with the first page and ends with the last, so
/// that without a page nothing is recorded. A page has no buffer of its own but a place in the
/// common one: one that falls behind by more than a thousand events loses the oldest, and is told
/// how many.
final class EventHub: Sendable {
  /// The number of events to keep.
  static let capacity = 1_000

  /// A place in the common buffer: the number of the next event for a page.
  struct Page {
    fileprivate var next: Int
  }

  /// What a page has not seen yet.
  struct Batch: Encodable, Sendable {
    var events: [EventRow] = []

    /// The number of events that this page has lost since its last batch.
    var lost = 0

    /// The number of events that the follower has lost for all pages, as the program made them
    /// faster than they can be taken.
    var dropped = 0

    /// Events per second of each property; `nil` if they are not due.
    var rates: [EventRates.Rate]?
  }

  private struct State {
    var pages = 0

    /// Different for each follower, so that the last events of an old one are left out.
    var generation = 0
    var follower: Task<Void, Never>?

    /// The newest events, behind older ones, which are removed all at once.
    var events: [EventRow] = []

    /// The number of events so far, which is the number of the next one.
    var count = 0
    var dropped = 0
    var rates = EventRates()

    /// The number of the oldest event that pages receive.
    var first: Int { count - min(events.count, EventHub.capacity) }
  }

  private let state = Mutex(State())
  private let reader: ObjectReader

  init(reader: ObjectReader) { self.reader = reader }

  /// The number of open pages.
  var pageCount: Int { state.withLock(\.pages) }

  /// Opens a page, which receives the buffered events first.
  func open() -> Page {
    state.withLock { state in
      state.pages += 1
      if state.pages == 1 {
        state.generation += 1
        let generation = state.generation
        state.follower = Task { [self] in await follow(generation) }
      }
      return Page(next: state.first)
    }
  }

  /// Closes a page. The last one ends recording.
  func close() {
    let follower = state.withLock { state -> Task<Void, Never>? in
      state.pages -= 1
      guard state.pages == 0 else { return nil }
      defer { state = State(generation: state.generation) }
      return state.follower
    }
    follower?.cancel()
  }

  /// Takes what a page has not seen yet.
  func take(for page: inout Page, withRates: Bool) -> Batch {
    state.withLock { state in
      var batch = Batch(dropped: state.dropped)
      batch.lost = max(state.first - page.next, 0)
      batch.events = state.events.suffix(state.count - max(page.next, state.first))
      page.next = state.count
      if withRates { batch.rates = state.rates.all(at: .now) }
      return batch
    }
  }

  private func follow(_ generation: Int) async {
    _ = try? await ObservationList.all(by: reader)  // names the properties in the first events
    let start = { @Sendable [reads = reader.readsObjects] in
      ObservationTrace.events(capacity: 8 * Self.capacity, readsObjects: reads)
    }
    // A program whose main actor is busy is followed with the names that are known.
    let events =
      (try? await reader.read(start))
      ?? ObservationTrace.events(capacity: 8 * Self.capacity, readsObjects: false)
    let clock = ContinuousClock()
    var asked = clock.now
    for await event in events {
      let now = clock.now
      receive(event, droppedCount: events.droppedCount, generation)
      // The thread that records an event wakes a loop that waits. A loop that sleeps after it
      // has waited is woken fifty times a second at most, however many events there are.
      if now - asked > .milliseconds(1) { try? await Task.sleep(for: .milliseconds(20)) }
      asked = clock.now
    }
  }

  /// Adds an event; the oldest is dropped where there are too many.
  func receive(_ event: ObservationTrace.Event, droppedCount: Int, _ generation: Int) {
    let row = EventRow(event)
    state.withLock { state in
      guard state.pages > 0, state.generation == generation else { return }
      if state.events.count == 2 * Self.capacity { state.events.removeFirst(Self.capacity) }
      state.events.append(row)
      state.count += 1
      state.dropped = droppedCount
      state.rates.count(row, at: .now)
    }
  }
}

/// One event as the page shows it.
struct EventRow: Encodable, Sendable {
  let id: UInt64
  let kind: String
  let reason: String?

  /// Milliseconds since recording has begun.
  let time: Double
  let thread: Int
  let depth: Int
  let cause: UInt64?
  let property: String?
  let object: String?
  let observer: String?
  let place: String?
  let detail: String?

  /// The event in words.
  let text: String

  init(_ event: ObservationTrace.Event) {
    if case .skip(let why) = event.kind {
      (kind, reason) = ("skip", why.rawValue)
    } else {
      (kind, reason) = ("\(event.kind)", nil)
    }
    (id, cause, text) = (event.id, event.cause, event.description)
    (thread, depth, time) = (event.thread, event.depth, Double(event.time / 1_000) / 1_000)
    (property, object, observer) = (event.property, event.object, event.observer)
    (place, detail) = (event.place, event.detail)
  }
}
