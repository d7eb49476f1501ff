/// Event as a trace records it: the parts of its texts, which are made when they are read.
///
/// Retains no object and no value of the user's.
struct TraceRecord {
  var kind: ObservationTrace.Event.Kind

  // Assigned by `Tracer`, in the order of all threads.
  var id: UInt64 = 0
  var time: UInt64 = 0
  var duration: UInt64?
  var thread = 0
  var depth = 0

  /// Number of the event that led to this one; 0 for none.
  var cause: UInt64 = 0

  /// Number that `PropertyNames` has for the property; 0 for none.
  var property: PropertyNames.Number = 0

  /// Name of an event that is not about a property.
  var name: String?

  var object: ObjectName?
  var observer: ObjectName?

  /// Place of the registration.
  var file: String?
  var line: UInt = 0

  var detail: String?

  /// Serial of the observation; 0 for none.
  var serial: UInt64 = 0

  init(_ kind: ObservationTrace.Event.Kind) {
    self.kind = kind
  }
}

extension TraceRecord {
  /// - Parameter event: One that traces list.
  init(recording event: DeliveryEvent) {
    switch event {
    case .set(let subject, let object, let waits):
      self.init(.set, of: object, PropertyNames.number(of: subject, of: object))
      if waits { duration = 0 }
    case .send(let subject, let object):
      self.init(.send, of: object, PropertyNames.number(of: subject, of: object))
    case .question(let hook, let name):
      self.init(.question, of: hook)
      self.name = name
    case .post(let name):
      self.init(.post)
      self.name = name
    case .transaction:
      self.init(.transaction)
    case .delivery(let info, let object, let delivery):
      self.init(.delivery, to: info)
      self.object = ObjectName(object)
      detail =
        switch (delivery, info.registration.handlerKind) {
        case (.initial, _): "initial"
        case (.prior, _): "prior"
        case (.change, .binding): "binding"
        case (.change, _): nil
        }
    case .skip(let info, .ended): self.init(.skip(.ended), to: info)
    case .skip(let info, .observerGone): self.init(.skip(.observerGone), to: info)
    case .skip(let info, .equal): self.init(.skip(.equal), to: info)
    case .rehook(let info): self.init(.rehook, to: info)
    case .issue(let issue):
      self.init(.issue)
      detail = issue.description
      (file, line) = (issue.file, issue.line)
      if let keyPath = issue.keyPath { property = PropertyNames.number(of: keyPath) }
    case .handOver, .read:
      preconditionFailure("\(event) is no event of its own")
    }
  }

  private init(
    _ kind: ObservationTrace.Event.Kind, of object: AnyObject, _ property: PropertyNames.Number = 0
  ) {
    self.init(kind)
    self.object = ObjectName(object)
    self.property = property
  }

  /// Not under a lock: this may hold the last reference to the observer for a moment.
  private init(_ kind: ObservationTrace.Event.Kind, to info: ObservationInfo) {
    self.init(kind)
    let registration = info.registration
    if registration.isNotification, let name = registration.context {
      self.name = "\(name)"
    } else {
      property = PropertyNames.number(of: registration)
    }
    (file, line, serial) = (registration.file, registration.line, info.serial)
    observer = registration.store.observer.map { ObjectName($0) }
  }
}

extension ObjectName {
  init(_ object: AnyObject) {
    self.init(object, label: ObservationGraph.label(of: object))
  }
}

extension ObservationRegistration {
  var isNotification: Bool { type(of: keyPath).rootType is any Postable.Type }
}

extension ObservationTrace.Event {
  /// - Parameter texts: Texts of `PropertyNames` with the names that are known.
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
