/// The path that leads to an array: its changes are recorded with the array's own, and delivered by
/// the array sink.
///
///     sink ──▶ path ┄┄▶ `ObservableArray` read last      weak; strong while a change is held back
final class ArrayPath: RecordedPath {
  private let sink: ArraySink

  /// The array before a change that is held back, whose elements are needed then. Guarded by the
  /// lock of `state`: a check of exclusivity would be a second one.
  @exclusivity(unchecked) private var held: AnyObject?

  init(_ registration: ObservationRegistration, from object: AnyObject, to sink: ArraySink) {
    self.sink = sink
    super.init(registration, from: object)
  }

  override var recorder: ArraySink? { sink }

  private var isWeak: Bool { sink.witness.source == .array }

  /// An `ObservableArray` is kept weakly: observing it keeps neither it nor its elements alive.
  override func kept(of value: ValueBox) -> ValueBox {
    isWeak ? ValueBox(value.value(as: AnyObject?.self).map { WeakReference($0) }) : value
  }

  override func value(of kept: ValueBox) -> ValueBox? {
    guard isWeak, let array = kept.value(as: WeakReference?.self) else {
      return isWeak ? ValueBox(nil as AnyObject?) : kept
    }
    return array.object.map { ValueBox($0 as AnyObject?) }
  }

  override func hold() {
    super.hold()
    state.withLock { state in
      if isWeak, held == nil { held = state.kept?.value(as: WeakReference?.self)?.object }
    }
  }

  override func read(_ root: AnyObject) -> ValueBox { sink.witness.read(root) }

  override func rootWillDeallocate(of info: ObservationInfo) { sink.store.end(sink.token) }

  override var awaitsEdits: Bool {
    sink.state.withLock { $0.array }?.isInTransactionBatch ?? false
  }

  override func takeHeld() -> AnyObject? { state.withLock { $0.holds == 0 ? held.take() : nil } }

  override func finishRecording(id: UInt64) { _ = sink.recordWaiting(id: id) }

  override func open(_ info: ObservationInfo) {
    recordQueued(id: 0)
    sink.deliverWaiting()
  }

  /// Has the sink record what is queued, in its order.
  override func recordQueued(id: UInt64) {
    var leadsToArray = false
    drainQueued { change in
      guard let new = change.new else { return }
      leadsToArray = sink.witness.array(in: new) != nil
      sink.arrayDidChange(from: change.old, to: new, id: change.id)
    }
    if leadsToArray { sink.reportIfReleased() }
  }
}

/// As `PathObservation`.
extension ArrayPath: @unchecked Sendable {}

extension ArrayWitness {
  /// The `ObservableArray` that has been read; `nil` for a plain one.
  func array(in value: ValueBox) -> (any AnyObservableArray)? {
    guard source != .values else { return nil }
    // Safe: see `read`.
    return value.value(as: AnyObject?.self) as? any AnyObservableArray
  }

  /// Reads the array under an access tracker, when no batch of it has anything to deliver: an
  /// observer added in the middle of a batch receives later edits, and the others the earlier ones.
  func readSettled(_ object: AnyObject) -> (ValueBox, PropertyAccesses) {
    var value: ValueBox!
    var accesses = PropertyAccesses()
    // Again, since the handlers may change what the path leads to.
    for _ in 0..<ThreadContext.maximumRounds {
      accesses = AccessTracker.track(naming: true) { value = read(object) }
      guard array(in: value)?.flushBatch() ?? false else { break }
    }
    return (value, accesses)
  }
}

extension ArraySink {
  /// Observes another array from now on, to which the path has been found to lead; of a plain array
  /// records the difference before and after a change.
  ///
  /// - Parameter old: `nil` for an array that was deallocated before the change was found.
  fileprivate func arrayDidChange(from old: ValueBox?, to new: ValueBox, id: UInt64) {
    let (oldArray, newArray) = (old.flatMap(witness.array), witness.array(in: new))
    // The change of the path may be an edit of the array, which has been recorded as such.
    let isEdit = state.withLock { $0.lastEditID == id }
    if isEdit, oldArray === newArray { return }
    let edit = isEdit ? state.withLock { $0.queue.removeLast(numbered: id) } : nil
    // Delivered before, since an observation that begins in the middle of a batch receives later
    // edits only. Another array that the handlers set is recorded after this one.
    _ = oldArray?.flushBatch()
    _ = newArray?.flushBatch()
    // The observer knows the array before that edit.
    let before = edit?.new ?? old.map(witness.elements)
    let (change, isSetting) = witness.change(before, witness.elements(new))
    if isSetting, witness.source == .values {
      reportOnce(ObservationIssue.elementsNotHashable, at: token.registration)
    }
    // Elements that stay keep what they hang on: changes of theirs may be waiting.
    hookContent(of: newArray)
    note(change, id: id)
    hookJoined()
  }

  /// Reports that an array which the path has led to is gone, since only the getter has held it.
  func reportIfReleased() {
    guard witness.source == .array, token.isActive, state.withLock({ $0.array }) == nil else {
      return
    }
    reportOnce(ObservationIssue.released, at: token.registration)
  }

  /// Puts the content part on the subject of `array`, in place of that of another one.
  func hookContent(of array: (any AnyObservableArray)?) {
    let subject = array.flatMap { AccessTracker.singleSubject($0.noteAccess) }
    state.withLock { state in
      guard let content = state.content else { return }
      _ = state.link?.remove(content)
      subject?.insert(content)
      state.link = subject.map { SubjectReference($0) }
      // A weak reference makes counting references slower: only where it is needed.
      if witness.source == .array { state.array = array }
    }
  }
}
