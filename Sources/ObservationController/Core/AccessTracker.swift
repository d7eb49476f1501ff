/// Notes which properties are read while a key path is evaluated.
///
/// Lives in the frame of `run`; getters on the same thread find it through a thread-local pointer, and
/// note themselves by `AccessTracking`. Nodes record what they read themselves, see `Subject.noteRead`.
struct AccessTracker {
  /// Where it notes them; valid as long as the tracker.
  private let record: Record

  /// A property that reads as another value than it has.
  private let pin: Pin?

  /// What storage that was copied from other objects held until it was read. Where that is the last
  /// copy, observations end when it is freed, and run deinits of the user's: with no lock held, and
  /// what they read is not what is being evaluated. `nil` in place of an empty array, which costs less.
  /// Pinned by SubjectLifetimeTests.
  private var replaced: [Subject]?

  private init(record: Record, pin: Pin?) {
    (self.record, self.pin) = (record, pin)
  }

  private enum Record {
    /// - Parameter flattens: Whether the stored properties behind derived ones are wanted.
    case accesses(UnsafeMutablePointer<PropertyAccesses>, flattens: Bool)
    case dependencies(UnsafeMutablePointer<FollowedDependencies>)
    case single(UnsafeMutablePointer<SingleAccess>)
  }

  struct Pin {
    let subject: ObjectIdentifier

    /// Where the value is; valid as long as the tracker.
    let value: UnsafeRawPointer
  }

  /// Runs `body`, and notes the properties that it reads, in place of derived ones the stored properties
  /// behind them.
  ///
  /// - Parameter pin: An atomic property that reads as the value that it had after some change,
  ///   whatever other threads have set it to since.
  static func track(pinning pin: Pin? = nil, _ body: () -> Void) -> PropertyAccesses {
    var accesses = track(flattens: true, pinning: pin, body)
    accesses.insertDerived()
    return accesses
  }

  /// Runs `body`, and notes the properties that it reads, `PropertyAccesses.insertDerived` not yet called.
  ///
  /// - Parameter flattens: Whether the stored properties behind derived ones are wanted.
  static func track(
    flattens: Bool, pinning pin: Pin? = nil, _ body: () -> Void
  ) -> PropertyAccesses {
    var accesses = PropertyAccesses()
    // Both pointers are valid for as long as `body` runs, and are taken back before they are not.
    withUnsafeMutablePointer(to: &accesses) {
      AccessTracker(record: .accesses($0, flattens: flattens), pin: pin).run(body)
    }
    return accesses
  }

  /// Runs `body`, and compares the properties that it reads with `dependencies`. Always inlined, so that
  /// what `body` captures is not retained: 100 instructions.
  @inline(__always)
  static func follow(_ dependencies: inout FollowedDependencies, _ body: () -> Void) {
    // As in `track`.
    withUnsafeMutablePointer(to: &dependencies) {
      AccessTracker(record: .dependencies($0), pin: nil).run(body)
    }
  }

  /// Runs `body`, which is expected to read one property.
  static func single(_ body: () -> Void) -> SingleAccess {
    var access = SingleAccess()
    // As in `track`.
    withUnsafeMutablePointer(to: &access) {
      AccessTracker(record: .single($0), pin: nil).run(body)
    }
    return access
  }

  /// Runs `body`, which may track what it reads many times over: the thread is made ready for that
  /// once. A third of what tracking one property costs.
  static func trackEach(_ body: (_ track: (() -> Void) -> PropertyAccesses) -> Void) {
    var accesses = PropertyAccesses()
    withUnsafeMutablePointer(to: &accesses) { accesses in
      // As in `track`; what is read in between is noted too, and thrown away with the next reading.
      AccessTracker(record: .accesses(accesses, flattens: true), pin: nil).run {
        body { read in
          accesses.pointee = PropertyAccesses()
          read()
          // Moved out: a copy would count four references.
          var result = PropertyAccesses()
          swap(&result, &accesses.pointee)
          result.insertDerived()
          return result
        }
      }
    }
  }

  /// Runs `body`, and notes nothing that it reads.
  static func withoutTracking<Result>(_ body: () -> Result) -> Result {
    guard AccessTracking.isActive, ThreadContext.current.isRecording else { return body() }
    return ThreadContext.with(\.recorder, ThreadContext.Recorder(), body)
  }

  /// The tracker of this thread.
  fileprivate static var current: UnsafeMutablePointer<AccessTracker>? {
    ThreadContext.current.recorder.tracker.map { at($0) }
  }

  /// - Parameter tracker: `ThreadContext.tracker`.
  fileprivate static func at(
    _ tracker: UnsafeMutableRawPointer
  ) -> UnsafeMutablePointer<AccessTracker> {
    // Set by `run` alone, which sets a pointer to this type.
    tracker.assumingMemoryBound(to: AccessTracker.self)
  }

  @inline(__always)
  private consuming func run(_ body: () -> Void) {
    ThreadActivity.begin(ThreadActivity.tracking)
    defer { ThreadActivity.end(ThreadActivity.tracking) }
    withUnsafeMutablePointer(to: &self) { tracker in
      let recorder = ThreadContext.Recorder(tracker: UnsafeMutableRawPointer(tracker))
      ThreadContext.with(\.recorder, recorder, body)
    }
    if replaced != nil { Self.withoutTracking { replaced = nil } }
  }

  /// Keeps a subject until the tracking has ended.
  fileprivate mutating func keep(_ subject: Subject) {
    replaced = (replaced ?? []) + [subject]
  }

  /// - Parameter access: Asked only where somebody wants to know more than the subject.
  @inline(__always)
  fileprivate func note(
    _ subject: Subject, of owner: ObjectIdentifier, lock: ExclusiveLock?,
    _ access: () -> PropertyAccess
  ) {
    switch record {
    case .accesses(let accesses, _): accesses.pointee.insert(access())
    case .dependencies(let followed): followed.pointee.insert(subject, of: owner, lock: lock)
    case .single(let access): access.pointee.insert(subject, of: owner)
    }
  }

  /// Notes a derived property that was read: its own subject, or the stored properties behind it.
  ///
  /// - Parameter version: That of the value, see `Node.version`.
  fileprivate func note(_ derived: DerivedProperty, version: UInt32) {
    switch record {
    case .accesses(let accesses, let flattens):
      accesses.pointee.insert(derived, flattens: flattens)
    case .dependencies(let followed):
      followed.pointee.insert(derived, version: version)
    case .single(let single):
      // Without a subject of its own it is no single property.
      let access = derived.access
      single.pointee.insert(access?.subject, of: access?.owner)
    }
  }

  fileprivate func value(of subject: Subject) -> UnsafeRawPointer? {
    pin.flatMap { $0.subject == ObjectIdentifier(subject) ? $0.value : nil }
  }
}

/// What getters ask.
@usableFromInline
enum AccessTracking {
  /// Whether any thread is tracking: one relaxed load, all that most getters ever do.
  @inlinable
  static var isActive: Bool {
    @inline(__always) get { ThreadActivity.isAnyTracking }
  }

  /// Takes the lock under which the subject of a property may be looked at and created, if this
  /// thread is tracking.
  ///
  /// - Returns: Whether it is; `note` has to follow then. Not the tracker: a getter that carried it
  ///   along would take five instructions more where nobody tracks.
  @usableFromInline @inline(never)
  static func beginNote(of owner: AnyObject) -> Bool {
    guard let cell = ThreadCell.existing else { return false }
    guard cell.pointee.context.isRecording else {
      cell.visitIdly()
      return false
    }
    SubjectLock.of(owner).lock(by: cell)
    return true
  }

  /// Notes that a derived property is being read.
  static func note(_ derived: DerivedProperty, version: UInt32) {
    AccessTracker.current?.pointee.note(derived, version: version)
  }

  /// Notes that an atomic property is being read.
  ///
  /// - Returns: Where the value is that it has to read as; `nil` for the one that it has.
  static func note(
    _ subject: Subject, of owner: AnyObject, lock: ExclusiveLock,
    _ access: @autoclosure () -> PropertyAccess
  ) -> UnsafeRawPointer? {
    guard isActive, let cell = ThreadCell.existing else { return nil }
    if let reader = cell.pointee.context.recorder.reader {
      subject.noteRead(by: reader, of: ObjectIdentifier(owner), lock: lock)
      return nil
    }
    guard let tracker = AccessTracker.current else {
      cell.visitIdly()
      return nil
    }
    tracker.pointee.note(subject, of: ObjectIdentifier(owner), lock: lock, access)
    return tracker.pointee.value(of: subject)
  }

  /// Notes that a property is being read, and gives the lock back.
  ///
  /// - Parameters:
  ///   - subject: What the property's storage holds. Not counted: it is only replaced under the lock.
  ///   - keyPath: That of the property. Asked only where it is wanted: making it takes 120
  ///     instructions, and a path that is evaluated again only needs to know the subjects.
  /// - Returns: What the storage has to hold from now on, after which `endNote` gives the lock back; `nil` if
  ///   that is the same. What it held is kept alive until the tracking has ended.
  @usableFromInline @inline(never)
  static func note(
    _ owner: AnyObject, subject: SubjectReference?, keyPath: () -> AnyKeyPath?
  ) -> Subject? {
    let lock = SubjectLock.of(owner)
    // `beginNote` has left it there.
    let cell = lock.cell.unsafelyUnwrapped
    // Each with the subject as it comes: one name for both would count references.
    let isNoted = subject?.subject._withUnsafeGuaranteedRef { subject in
      guard subject.isOwned(by: owner) else { return false }
      note(subject, of: owner, cell, keyPath: keyPath)
      return true
    }
    if isNoted ?? false {
      lock.unlock()
      return nil
    }
    let new = Subject(owner: owner)
    if let subject {
      let replaced = subject.subject.takeUnretainedValue()
      if let tracker = cell.pointee.context.recorder.tracker {
        AccessTracker.at(tracker).pointee.keep(replaced)
      } else {
        cell.pointee.replaced.append(replaced)
      }
    }
    note(new, of: owner, cell, keyPath: keyPath)
    return new
  }

  @inline(__always)
  private static func note(
    _ subject: Subject, of owner: AnyObject, _ cell: ThreadCell.Reference,
    keyPath: () -> AnyKeyPath?
  ) {
    DeliveryProbe.record(.read(subject, keyPath()))
    let recorder = cell.pointee.context.recorder
    if let reader = recorder.reader {
      subject.noteRead(by: reader, of: ObjectIdentifier(owner), lock: nil)
    } else if let tracker = recorder.tracker {
      AccessTracker.at(tracker).pointee.note(subject, of: ObjectIdentifier(owner), lock: nil) {
        PropertyAccess(subject: subject, owner: ObjectIdentifier(owner), keyPath: keyPath())
      }
    }
  }

  /// Gives the lock back, after what `note` has returned was stored.
  @usableFromInline @inline(never)
  static func endNote(of owner: AnyObject) {
    SubjectLock.of(owner).unlock()
  }
}

/// The property that a key path reads, if it is one.
struct SingleAccess {
  private var subject: Subject?
  private var owner: ObjectIdentifier?

  /// Whether others were read too.
  private var hasOthers = false

  fileprivate mutating func insert(_ subject: Subject?, of owner: ObjectIdentifier?) {
    guard let subject, self.subject != nil else {
      hasOthers = hasOthers || subject == nil
      (self.subject, self.owner) = (subject, owner)
      return
    }
    if self.subject !== subject { hasOthers = true }
  }

  /// The subject, if nothing was read but a property of `object` that one thread may change at a time.
  consuming func subject(of object: AnyObject) -> Subject? {
    guard !hasOthers, owner == ObjectIdentifier(object), let subject, !subject.isAtomic else {
      return nil
    }
    return subject
  }
}
