/// What those who deliver tell the tracer.
extension Tracer {
  /// Records that a property was set, unless nobody observes it.
  ///
  /// Takes no reference to an object of a user's but `object`: this may be under the lock of the
  /// property.
  ///
  /// - Parameters:
  ///   - isNotified: Whether somebody observes what derives from the property.
  ///   - waits: Whether nothing happens in it, since it is told later.
  static func set(
    _ subject: Subject, of object: AnyObject, _ kind: ObservationTrace.Event.Kind = .set,
    isNotified: Bool = false, waits: Bool = false
  ) -> UInt64 {
    guard isOn, subject.isObserved || isNotified else { return 0 }
    var record = TraceRecord(kind)
    if waits { record.duration = 0 }
    record.object = ObjectName(object)
    record.property = name(of: subject, of: object)
    let id = add(record, cause: current)
    if kind == .set, ObservationTransaction.current != nil { noteInTransaction(id, of: subject) }
    return id
  }

  /// Records that something without a subject to deliver it was asked or posted, and runs `body`.
  static func tell<Result>(
    _ kind: ObservationTrace.Event.Kind, _ name: @autoclosure () -> String, _ object: AnyObject?,
    _ body: () throws -> Result
  ) rethrows -> Result {
    guard isOn else { return try body() }
    var record = TraceRecord(kind)
    record.name = name()
    record.object = object.map { ObjectName($0) }
    return try within(add(record, cause: current), body)
  }

  /// Calls a handler, which `body` does, and records that. The caller holds the observer.
  static func deliver(
    to info: ObservationInfo, of object: AnyObject, _ kind: ObservationDelivery.Kind,
    _ body: () -> Void
  ) {
    var record = record(.delivery, of: info)
    record.object = ObjectName(object)
    record.detail =
      switch (kind, info.registration.handlerKind) {
      case (.initial, _): "initial"
      case (.prior, _): "prior"
      case (.change, .binding): "binding"
      case (.change, _): nil
      }
    within(add(record, cause: cause(for: info)), body)
  }

  /// Records that a handler is not called.
  static func skip(_ info: ObservationInfo, _ reason: ObservationTrace.Event.SkipReason) {
    guard isOn else { return }
    add(record(.skip(reason), of: info), cause: cause(for: info))
  }

  /// Records that a path follows other properties.
  static func rehook(_ info: ObservationInfo) {
    guard isOn, info.isActive else { return }
    add(record(.rehook, of: info), cause: current)
  }

  static func issue(_ issue: ObservationIssue) {
    guard isOn else { return }
    var record = TraceRecord(.issue)
    record.detail = issue.description
    (record.file, record.line) = (issue.file, issue.line)
    if let keyPath = issue.keyPath { record.property = number(of: keyPath) }
    add(record, cause: current)
  }

  static func transaction<Result>(_ body: () throws -> Result) rethrows -> Result {
    try within(add(TraceRecord(.transaction), cause: current), isTransaction: true, body)
  }

  /// - Parameter buffer: That of the trace it is for; `nil` for all.
  static func mark(_ label: String, in buffer: TraceBuffer? = nil) {
    var record = TraceRecord(.mark)
    record.detail = label
    add(record, cause: current, to: buffer)
  }

  /// Not under a lock: this may hold the last reference to the observer for a moment.
  private static func record(
    _ kind: ObservationTrace.Event.Kind, of info: ObservationInfo
  ) -> TraceRecord {
    let registration = info.registration
    var record = TraceRecord(kind)
    if type(of: registration.keyPath).rootType is any Postable.Type, let name = registration.context
    {
      record.name = "\(name)"
    } else {
      record.property = name(of: registration)
    }
    (record.file, record.line, record.serial) = (registration.file, registration.line, info.serial)
    record.observer = registration.store.observer.map { ObjectName($0) }
    return record
  }
}

// MARK: - Names

extension Tracer {
  private static func number(of keyPath: AnyKeyPath) -> PropertyNames.Number {
    PropertyNames.number(of: String(reflecting: keyPath))
  }

  private static func name(of registration: ObservationRegistration) -> PropertyNames.Number {
    let known = registration.name.load(ordering: .relaxed)
    guard known == 0 else { return known }
    let number = number(of: registration.keyPath)
    registration.name.store(number, ordering: .relaxed)
    return number
  }

  /// What has changed: by what was found out when it was read, by who observes just this, or by where it
  /// stands in a path.
  private static func name(of subject: Subject, of object: AnyObject) -> PropertyNames.Number {
    let known = PropertyNames.number(of: subject)
    guard known == 0 else { return known }
    let infos = subject.latestInfos.all
    let found =
      infos.first { $0.isOf(object) }.map { String(reflecting: $0.registration.keyPath) }
      ?? infos.lazy.compactMap { $0.registration.store.step(of: $0, to: subject, of: object) }.first
    let number = PropertyNames.number(
      of: found ?? "\\\(type(of: object)).\(object is any GraphArray ? "elements" : "‹?›")")
    if found != nil { subject.name.store(number, ordering: .relaxed) }
    return number
  }
}

extension ObservationInfo {
  /// Whether the key path is that of a property of `object`, or, for an array, leads to it.
  fileprivate func isOf(_ object: AnyObject) -> Bool {
    guard path == nil else { return false }
    guard traits.contains(.part) else { return true }
    let keyPath = type(of: registration.keyPath)
    return keyPath.rootType == type(of: object) || keyPath.valueType == type(of: object)
  }
}

extension ObservationStore {
  /// The property of `object` that a path reads, printed, if it is a chain of properties.
  fileprivate func step(
    of info: ObservationInfo, to subject: Subject, of object: AnyObject
  ) -> String? {
    guard let path = info.path, path.isChain else { return nil }
    let index = state.withLock { _ in path.dependencies.firstIndex { $0.link.isTo(subject) } }
    return index.flatMap { KeyPathNames.step($0, of: info.registration.keyPath) }
      .map { "\\\(type(of: object)).\($0)" }
  }
}
