import ObservationController

/// The newest events, and how often each property was set and delivered.
struct EventBuffer {
  /// Events and counts that a page has not received yet.
  struct Batch: Encodable, Sendable {
    var events: [EventRow] = []

    /// The number of events that this page has lost since its last batch.
    var lost = 0

    /// The number of events that are lost for all pages, as the program made them faster than
    /// they could be taken.
    var dropped = 0

    /// Numbers of sets and of deliveries of each property so far, if they are due.
    var counts: [String: [Int]]?
  }

  /// The numbers of events to keep, and of properties that are counted apart.
  static let (capacity, propertyLimit) = (1_000, 2_000)

  /// The newest events, behind older ones, which are removed all at once.
  private var events: [EventRow] = []

  /// The number of events so far, which is the number of the next one.
  private var count = 0
  private var dropped = 0
  private var counts: [String: [Int]] = [:]

  /// The number of the oldest event that pages receive: the place of a page that has none.
  var first: Int { count - min(events.count, Self.capacity) }

  /// Adds an event in O(1), amortised; the oldest is dropped where there are too many.
  mutating func append(_ event: EventRow, droppedCount: Int) {
    if events.count == 2 * Self.capacity { events.removeFirst(Self.capacity) }
    events.append(event)
    count += 1
    dropped = droppedCount
    guard event.kind == "set" || event.kind == "delivery" else { return }
    var property = event.property ?? "something"
    if counts.count >= Self.propertyLimit, counts[property] == nil { property = "all others" }
    counts[property, default: [0, 0]][event.kind == "set" ? 0 : 1] += 1
  }

  /// Takes what a page has not received yet.
  ///
  /// - Parameter place: The number of the next event for the page.
  func take(from place: inout Int, withCounts: Bool) -> Batch {
    defer { place = count }
    return Batch(
      events: events.suffix(count - max(place, first)), lost: max(first - place, 0),
      dropped: dropped, counts: withCounts ? counts : nil)
  }
}

/// One event as the page shows it.
struct EventRow: Encodable, Sendable {
  let id: UInt64
  var kind: String
  var reason: String?

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
    kind = "\(event.kind)"
    if case .skip(let why) = event.kind { (kind, reason) = ("skip", why.rawValue) }
    (id, cause, text) = (event.id, event.cause, event.description)
    (thread, depth, time) = (event.thread, event.depth, Double(event.time / 1_000) / 1_000)
    (property, object, observer) = (event.property, event.object, event.observer)
    (place, detail) = (event.place, event.detail)
  }
}
