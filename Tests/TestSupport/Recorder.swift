import ObservationController

/// One recorded delivery: `.initial(0)`, `.prior(0)`, `.changed(0, 1)`.
///
/// `.changed(nil, 1)` has no old value. Where values are optional themselves, `.changed(.some(nil),
/// "x")` is a change from `nil`.
package enum RecordedEvent<Value> {
  case initial(Value)
  case prior(Value)
  case changed(Value?, Value)
}

extension RecordedEvent {
  package init(_ change: ObservedChange<Value>) {
    self =
      if change.isInitial {
        .initial(change.newValue)
      } else if change.isPrior {
        .prior(change.newValue)
      } else {
        .changed(change.oldValue, change.newValue)
      }
  }
}

extension RecordedEvent: Equatable where Value: Equatable {}
extension RecordedEvent: Sendable where Value: Sendable {}

/// An observer that keeps the whole history of its deliveries, made on any thread.
///
///     let recorder = ChangeRecorder<Int>()
///     let controller = ObservationController(observer: recorder)
///     controller.observe(counter, \.count, action: Recorder.record)
///     counter.count = 1
///     XCTAssertEqual(recorder.events, [.changed(0, 1)])
package final class Recorder<Event> {
  /// Precedes each line, where events are lines.
  package let name: String

  private let history = Guarded<[Event]>([])

  package init(_ name: String = "") {
    self.name = name
  }

  /// The history so far.
  package var events: [Event] { history.withLock { $0 } }

  package func append(_ event: Event) {
    history.withLock { $0.append(event) }
  }

  package func clear() {
    _ = takeEvents()
  }

  /// Returns the history so far, and clears it.
  package func takeEvents() -> [Event] {
    // Returned, so that values of the events are released outside of the lock.
    history.withLock { history in
      defer { history = [] }
      return history
    }
  }

  /// The history so far, without prior deliveries.
  package func eventsAfterStores<Value>() -> [Event] where Event == RecordedEvent<Value> {
    events.filter { if case .prior = $0 { false } else { true } }
  }

  /// Records a change with its typed values.
  package func record<Value>(_ change: ObservedChange<Value>) where Event == RecordedEvent<Value> {
    append(RecordedEvent(change))
  }
}

extension Recorder: Sendable where Event: Sendable {}

/// A recorder of typed changes.
package typealias ChangeRecorder<Value> = Recorder<RecordedEvent<Value>>

/// A recorder of lines like `a: 0 → 1`, for several observations and observers at once.
package typealias LineRecorder = Recorder<String>

extension Recorder where Event == String {
  /// Appends the description of a value: that of an ``ObservedChange`` says `0 → 1`.
  package func write<Value>(_ value: Value) {
    append(name.isEmpty ? "\(value)" : "\(name): \(value)")
  }

  package func write<Element>(_ change: ArrayChange<Element>) {
    write(change.line)
  }
}

extension ArrayChange {
  /// The whole change: `insertion +b1: a b c (was a c)`.
  ///
  /// For each entry its element, and whether it was inserted (`+b1`), removed (`-b1`), moved
  /// (`b1→2`) or changed in place (`b@1`); then the changed ones of a batch (`*b1`).
  package var line: String {
    let places = entries.map { entry in
      switch (entry.oldIndex, entry.newIndex) {
      case (nil, let new?): "+\(entry.element)\(new)"
      case (let old?, nil): "-\(entry.element)\(old)"
      case (let old?, let new?) where old == new: "\(entry.element)@\(new)"
      case (let old?, let new?): "\(entry.element)\(old)→\(new)"
      case (nil, nil): "\(entry.element)?"
      }
    }
    let old = oldElements.map { " (was \(Self.list($0)))" } ?? ""
    let value = elementChange.map { " \($0)" } ?? ""
    let changed = kind == .batch ? changedIndices.map { "*\(elements[$0])\($0)" } : []
    return ([String(describing: kind)] + places + changed).joined(separator: " ")
      + ": \(Self.list(elements))\(old)\(value)"
  }

  private static func list(_ elements: [Element]) -> String {
    elements.map { "\($0)" }.joined(separator: " ")
  }
}

/// An observer without behaviour of its own: its handlers have it.
package final class SilentObserver: Sendable {
  package init() {}
}
