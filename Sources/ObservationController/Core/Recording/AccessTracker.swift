/// The access recorder: records which properties are read while a key path is read for the first
/// time, to find out what it is.
///
/// Lives in the frame of `run`; getters on the same thread find it through a thread-local pointer,
/// and record themselves by `AccessTracking`. Nodes, derived properties and key paths, record what
/// they read themselves, see `Subject.noteRead`.
struct AccessTracker {
  /// Memory that it records into, valid as long as the tracker; `nil` where one property is
  /// expected.
  fileprivate let accesses: UnsafeMutablePointer<PropertyAccesses>?

  /// The property that was read, where one is expected, and whether it is the only one.
  private var single: Subject?
  private var isSingle = true

  /// A property that other threads may change, and the value that it reads as, in place of the one
  /// that they may have set since; valid as long as the tracker.
  fileprivate var pinned: (link: SubjectReference, value: UnsafeRawPointer)?

  /// Runs `body`, and records the properties that it reads. Always inlined, so that what `body`
  /// captures is not retained.
  ///
  /// - Parameter naming: Whether also to note the names of the properties, which can only be found
  ///   while their objects are held.
  @inline(__always)
  static func track(naming: Bool = false, _ body: () -> Void) -> PropertyAccesses {
    var accesses = PropertyAccesses()
    accesses.areNamed = naming
    // The pointer is valid for as long as `body` runs, and is taken back before it is not.
    withUnsafeMutablePointer(to: &accesses) {
      var tracker = AccessTracker(accesses: $0)
      tracker.run(body)
    }
    return accesses
  }

  /// Runs `body`, which is expected to read one stored property.
  ///
  /// - Parameter pinned: A property that other threads may change, and the value that it reads as.
  /// - Returns: The subject of the property; `nil` if something else was read.
  @inline(__always)
  static func singleSubject(
    pinning pinned: (SubjectReference, UnsafeRawPointer)? = nil, _ body: () -> Void
  ) -> Subject? {
    var tracker = AccessTracker(accesses: nil, pinned: pinned)
    tracker.run(body)
    return tracker.isSingle ? tracker.single.take() : nil
  }

  /// Runs `body`, and records nothing that it reads.
  static func withoutTracking<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard ThreadCell.existing?.pointee.context.isRecording ?? false else { return try body() }
    return try ThreadContext.with(\.recorder, ThreadContext.Recorder(), body)
  }

  @inline(__always)
  private mutating func run(_ body: () -> Void) {
    ThreadActivity.begin(ThreadActivity.tracking)
    defer { ThreadActivity.end(ThreadActivity.tracking) }
    let cell = ThreadCell.own
    let outer = cell.pointee.context.recorder
    withUnsafeMutablePointer(to: &self) { tracker in
      cell.pointee.context.recorder = ThreadContext.Recorder(
        tracker: UnsafeMutableRawPointer(tracker))
      body()
    }
    cell.pointee.context.recorder = outer
    cell.releasePending()
  }

  /// Records a property that is read.
  fileprivate mutating func insert(
    _ subject: Subject? = nil, derived: DerivedProperty? = nil, of owner: AnyObject,
    atomic: (any AtomicProperty)? = nil, keyPath: () -> AnyKeyPath?
  ) {
    if let accesses {
      accesses.pointee.insert(
        PropertyAccess(
          subject: subject, derived: derived, owner: ObjectIdentifier(owner), keyPath: keyPath(),
          atomic: atomic))
    } else if single == nil, subject != nil {
      single = subject
    } else if subject == nil || single !== subject {
      isSingle = false
    }
  }
}

extension ThreadContext.Recorder {
  /// The access recorder of a key path that is being evaluated.
  fileprivate var accessTracker: UnsafeMutablePointer<AccessTracker>? {
    // Set by `AccessTracker.run` alone, which sets a pointer to this type.
    tracker?.assumingMemoryBound(to: AccessTracker.self)
  }
}

/// The access recorder as getters use it.
@usableFromInline
enum AccessTracking {
  /// Takes the lock under which the subject of a property may be looked at and created, if this
  /// thread is tracking.
  ///
  /// - Returns: The `ThreadCell` of this thread, with which `note` has to follow; `nil` if it is
  ///   not.
  @usableFromInline @inline(never)
  static func beginNote(of owner: AnyObject) -> UnsafeMutableRawPointer? {
    guard let cell = ThreadCell.recording else { return nil }
    lock(of: owner).pointee.lock(as: .storage)
    return UnsafeMutableRawPointer(cell)
  }

  /// Records a derived property, if a key path is being read for the first time.
  @usableFromInline
  static func note(_ derived: DerivedProperty, of owner: AnyObject) {
    guard let tracker = ThreadContext.current.recorder.accessTracker, derived.isInGraph else {
      return
    }
    tracker.pointee.insert(derived: derived, of: owner) { derived.keyPath }
    noteName(of: owner, ThreadCell.own)
  }

  /// Records that a derived property was read that this thread computes.
  @usableFromInline
  static func noteCycle() {
    ThreadContext.current.recorder.accessTracker?.pointee.accesses?.pointee.areCyclic = true
  }

  /// Records an atomic property.
  ///
  /// - Returns: Address of the value that it has to be read as; `nil` for its own.
  @usableFromInline
  static func note(
    _ property: any AtomicProperty, _ subject: Subject, of owner: AnyObject,
    keyPath: () -> AnyKeyPath?
  ) -> UnsafeRawPointer? {
    guard let cell = ThreadCell.recording else { return nil }
    note(subject, of: owner, cell, atomic: property, keyPath: keyPath)
    noteName(of: owner, cell)
    let pinned = cell.pointee.context.recorder.accessTracker?.pointee.pinned
    return pinned.flatMap { $0.link.identity == ObjectIdentifier(subject) ? $0.value : nil }
  }

  /// Notes that a property is being read, and gives the lock back.
  ///
  /// - Parameters:
  ///   - cell: The one that `beginNote` has returned.
  ///   - subject: What the property's storage holds. Not counted: it is only replaced under the
  ///     lock.
  ///   - keyPath: That of the property. Asked only where it is wanted: making it takes 120
  ///     instructions, and the getter of a node only needs to know the subjects.
  /// - Returns: What the storage has to hold from now on, after which `endNote` gives the lock
  ///   back; `nil` if that is the same. What it held is kept alive until the tracking has ended.
  @usableFromInline @inline(never)
  static func note(
    _ owner: AnyObject, in cell: UnsafeMutableRawPointer, subject: SubjectReference?,
    keyPath: () -> AnyKeyPath?
  ) -> Subject? {
    let cell = cell.assumingMemoryBound(to: ThreadCell.self)
    // Each with the subject as it comes: one name for both would count references.
    let isNoted = subject?.subject._withUnsafeGuaranteedRef { subject in
      guard subject.isOwned(by: owner) else { return false }
      note(subject, of: owner, cell, keyPath: keyPath)
      return true
    }
    if isNoted ?? false {
      lock(of: owner).pointee.unlock(as: .storage)
      noteName(of: owner, cell)
      return nil
    }
    let new = Subject(owner: owner)
    if let old = subject?.subject {
      cell.pointee.pendingReleases.append((old.takeUnretainedValue(), nil))
    }
    note(new, of: owner, cell, keyPath: keyPath)
    return new
  }

  /// Records a part of a collection, which has a subject of its own.
  @usableFromInline
  static func note(_ subject: Subject, of owner: AnyObject) {
    guard let cell = ThreadCell.recording else { return }
    note(subject, of: owner, cell) { nil }
    noteName(of: owner, cell)
  }

  private static func note(
    _ subject: Subject, of owner: AnyObject, _ cell: ThreadCell.Reference,
    atomic: (any AtomicProperty)? = nil, keyPath: () -> AnyKeyPath?
  ) {
    if DeliveryProbe.isInstalled { DeliveryProbe.diagnostics?.learn(keyPath(), of: subject) }
    let recorder = cell.pointee.context.recorder
    if let reader = recorder.reader {
      subject.noteRead(by: reader, of: ObjectIdentifier(owner))
    } else {
      recorder.accessTracker?.pointee.insert(
        subject, of: owner, atomic: atomic, keyPath: keyPath)
    }
  }

  /// Gives the lock back, after what `note` has returned was stored.
  @usableFromInline @inline(never)
  static func endNote(of owner: AnyObject) {
    lock(of: owner).pointee.unlock(as: .storage)
    noteName(of: owner, ThreadCell.own)
    // A link that a path reaches for the first time.
    if DeliveryProbe.isInstalled { DeliveryProbe.diagnostics?.learnNames(in: owner) }
  }

  /// Notes the name of the property that was recorded last, if names are wanted. With no lock held,
  /// when the property's storage holds its subject.
  @inline(__always)
  private static func noteName(of owner: AnyObject, _ cell: ThreadCell.Reference) {
    guard cell.pointee.context.recorder.reader == nil else { return }
    nameLast(of: owner, cell.pointee.context.recorder)
  }

  @inline(never)
  private static func nameLast(of owner: AnyObject, _ recorder: ThreadContext.Recorder) {
    guard let accesses = recorder.accessTracker?.pointee.accesses, accesses.pointee.areNamed else {
      return
    }
    accesses.pointee.nameLast(of: owner)
  }
}

extension AccessTracking {
  /// Runs `body` under the lock for the subjects of an object's properties.
  static func withLock<Result>(of owner: AnyObject, _ body: () -> Result) -> Result {
    lock(of: owner).pointee.lock(as: .storage)
    defer { lock(of: owner).pointee.unlock(as: .storage) }
    return body()
  }

  private static var lockBits: Int { 10 }
  private static var stride: Int { 64 }

  /// Locks under which getters look at the subject of a property, and create it, since several
  /// threads may read at once. The first tracked getter makes them, and writes them alone; they are
  /// never freed.
  ///
  /// A thousand, chosen by the address of the object, each in a cache line of its own: threads that
  /// read different objects mostly share neither.
  nonisolated(unsafe) private static let locks = {
    let new = UnsafeMutablePointer<BriefLock>.allocate(capacity: stride << lockBits)
    for index in 0..<1 << lockBits { (new + index * stride).initialize(to: BriefLock()) }
    return new
  }()

  /// Lock for the properties of an object.
  ///
  /// Locked and unlocked by hand: a closure would carry the key path of the storage out of the
  /// getter's body, where the optimiser no longer folds it.
  static func lock(of owner: AnyObject) -> UnsafeMutablePointer<BriefLock> {
    // Objects lie 16 bytes apart at least; the multiplication spreads them.
    let bits = UInt64(truncatingIfNeeded: UInt(bitPattern: ObjectIdentifier(owner)) >> 4)
    let index = (bits &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - lockBits)
    return locks + Int(index) * stride
  }
}
