/// An event as it is recorded: what its texts are made of, so that they are made only if somebody reads them.
///
/// Holds no object of a user's, and no value.
struct TraceRecord {
  var kind: ObservationTrace.Event.Kind

  // Filled in by `Tracer`, in the order of all threads.
  var id: UInt64 = 0
  var time: UInt64 = 0
  var duration: UInt64?
  var thread = 0
  var depth = 0

  /// 0 for none.
  var cause: UInt64 = 0

  /// See `PropertyNames`; 0 if there is none.
  var property: PropertyNames.Number = 0

  var object: ObjectName?
  var observer: ObjectName?

  /// The place of the registration; no file if there is none.
  var file: String?
  var line: UInt = 0

  /// Where `property` has nothing to say.
  var name: String?
  var detail: String?

  /// Tells observations apart; 0 for what concerns none.
  var serial: UInt64 = 0

  init(_ kind: ObservationTrace.Event.Kind) {
    self.kind = kind
  }
}

extension ObservationTrace.Event {
  /// - Parameter texts: Those of `PropertyNames`, made readable.
  init(_ record: TraceRecord, _ texts: [String]) {
    (id, kind, time, duration) = (record.id, record.kind, record.time, record.duration)
    (thread, depth, serial) = (record.thread, record.depth, record.serial)
    cause = record.cause == 0 ? nil : record.cause
    property = record.property == 0 ? record.name : texts[Int(record.property)]
    (object, observer) = (record.object?.text, record.observer?.text)
    place = record.file.map { "\($0):\(record.line)" }
    detail = record.detail
  }
}
