import ObservationController

/// The newest events, and how often each property was set and delivered.
struct EventBuffer {
  /// The number of events to keep.
  static let capacity = 1_000

  /// A place in the buffer: the number of the next event for a page.
  struct Place {
    fileprivate var next: Int
  }

  /// What a page has not seen yet.
  struct Batch: Encodable, Sendable {
    var events: [EventRow] = []

    /// The number of events that this page has lost since its last batch.
    var lost = 0

    /// The number of events that are lost for all pages, as the program made them faster than
    /// they could be taken.
    var dropped = 0

    /// Events per second of each property; `nil` if they are not due.
    var rates: [EventRates.Rate]?
  }

  /// The newest events, behind older ones, which are removed all at once.
  private var events: [EventRow] = []

  /// The number of events so far, which is the number of the next one.
  private var count = 0
  private var dropped = 0
  private var rates = EventRates()

  /// The number of the oldest event that pages receive.
  private var first: Int { count - min(events.count, Self.capacity) }

  /// The place of a page that has seen nothing.
  var start: Place { Place(next: first) }

  /// Adds an event; the oldest is dropped where there are too many.
  ///
  /// - Complexity: O(1) amortised.
  mutating func append(_ row: EventRow, droppedCount: Int, at time: ContinuousClock.Instant) {
    if events.count == 2 * Self.capacity { events.removeFirst(Self.capacity) }
    events.append(row)
    count += 1
    dropped = droppedCount
    rates.count(row, at: time)
  }

  /// Takes what a page has not seen yet.
  ///
  /// - Parameter time: The time of the rates, if they are due.
  /// - Complexity: O(n) in what the page has not seen.
  mutating func take(for page: inout Place, rates time: ContinuousClock.Instant?) -> Batch {
    defer { page.next = count }
    return Batch(
      events: events.suffix(count - max(page.next, first)), lost: max(first - page.next, 0),
      dropped: dropped, rates: time.map { rates.all(at: $0) })
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
  var property: String?
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
