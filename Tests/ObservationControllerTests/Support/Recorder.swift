import ObservationController

/// One delivery as a test writes it down: `.initial(0)`, `.prior(0)`, `.changed(0, 1)`.
///
/// `.changed(nil, 1)` came without an old value. Where values are optional themselves,
/// `.changed(.some(nil), "x")` is a change from `nil`.
enum RecordedEvent<Value> {
  case initial(Value)
  case prior(Value)
  case changed(Value?, Value)
}

extension RecordedEvent {
  init(_ change: ObservedChange<Value>) {
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

/// An observer that keeps the whole history of what it is told.
///
///     let recorder = Recorder<Int>()
///     let controller = ObservationController(observer: recorder)
///     controller.observe(counter, \.count, action: Recorder.record)
///     counter.count = 1
///     XCTAssertEqual(recorder.events, [.changed(0, 1)])
final class Recorder<Value> {
  private(set) var events: [RecordedEvent<Value>] = []

  func record(_ change: ObservedChange<Value>) {
    events.append(RecordedEvent(change))
  }

  /// The history so far, which is forgotten.
  func takeEvents() -> [RecordedEvent<Value>] {
    defer { events = [] }
    return events
  }
}

/// An observer that does nothing by itself: handlers record what they are told.
final class SilentObserver {}
