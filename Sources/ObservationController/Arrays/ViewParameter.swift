/// Parameter of a live view: the value of a key path that the view's closure receives beside the
/// element.
///
///     view ─▶ link ─▶ controller ─▶ info ─▶ path ─▶ sink of the view      strong
///                                    ┊
///                                    └┄┄▶ object of the parameter         weak
///
/// The path is evaluated as any other. A new value is queued in the sink of the view, in the order
/// of the edits of its source and with all the waiting that these do. What is delivered first, that
/// or an edit, takes the value; so an edit that the same change has led to, in another view, and
/// the new value are one change.
@usableFromInline
final class ViewParameter {
  private weak var object: AnyObject?
  let access: KeyPathAccess
  private let place: (file: String, line: UInt)
  private let valueType: Any.Type

  /// Has the closures of the view use a value.
  private let use: (ValueBox) -> Void

  /// `nil` if the key path reads nothing that can be observed.
  private var path: ParameterPath?

  /// - Parameter object: Held weakly.
  @usableFromInline
  init(
    of object: AnyObject, _ access: KeyPathAccess, valueType: Any.Type, _ file: String,
    _ line: UInt, use: @escaping (ValueBox) -> Void
  ) {
    (self.object, self.access, self.use) = (object, access, use)
    (self.valueType, place) = (valueType, (file, line))
  }

  /// The object, unless it has been deallocated: the closures go on with the last value then.
  var observed: AnyObject? { object }

  /// Begins to follow the key path, and has the closures use its value.
  ///
  /// - Parameter store: That of the controller of the view, which is its observer.
  @usableFromInline
  func begin(in store: ObservationStore) {
    // Retained by the caller of the function that makes the view.
    guard let object else { return }
    var request = ObservationRequest(access, file: place.file, line: place.line)
    request.isEarly = true
    request.holdsWeakly = true
    let registration = ObservationRegistration(
      store: store, request: request, valueType: valueType, invoke: { _, _, _, _, _ in })
    store.sweep(before: registration)
    var value: ValueBox!
    var accesses = AccessTracker.track(naming: true) { value = access.box(object) }
    use(value)
    guard !accesses.all.isEmpty else {
      if !accesses.areCyclic { registration.report(ObservationIssue.nothingObservable) }
      return
    }
    guard !store.isDeallocating(object, reading: accesses) else { return }
    registration.noteGetters(of: accesses)
    let path = ParameterPath(registration, from: object)
    let info = ObservationInfo(
      registration: registration, root: registration.root(for: object), sink: path, kind: .path,
      handler: nil)
    guard store.add(info, of: object).isNew else { return }
    let isShared = accesses.areShared
    let first = path.attach(
      info, to: &accesses, at: isShared ? nil : value, rereadingFrom: isShared ? object : nil)
    if isShared {
      if let first { use(first) }
      path.open(info)
    }
    self.path = path
  }

  /// Has changes of the value delivered by the observation of the view's source from now on, and
  /// those that have been made since the beginning.
  @usableFromInline
  func follow(by token: ObservationToken) {
    guard let path, let sink = token.arraySink, path.follow(by: sink) else { return }
    let id = Subject.nextChangeID()
    sink.parameterDidChange(id: id)
    sink.deliver(through: id)
  }

  /// Has the closures use the new value, if there is one.
  ///
  /// - Returns: Whether there is.
  @usableFromInline
  func take() -> Bool {
    guard let value = path?.takeLatest() else { return false }
    use(value)
    return true
  }

  /// Whether the value alone is next to be delivered: not if a change of the source waits, which
  /// takes it, or the source is in a batch, whose end it waits for.
  @usableFromInline
  func isNext<Element>(in source: ObservableArray<Element>) -> Bool {
    guard let sink = path?.sink, sink.state.withLock({ $0.queue.isEmpty }) else { return false }
    guard source.batch == nil else {
      source.noteParameter(of: sink, id: Subject.nextChangeID())
      return false
    }
    return true
  }
}

/// Path of a parameter, whose changes are delivered by the sink of a live view.
final class ParameterPath: RecordedPath {
  private struct Latest {
    /// `nil` until the view follows its source.
    var sink: ArraySink?

    /// The value, until the view has taken it.
    var value: ValueBox?
  }

  private let latest = Locked(Latest())

  init(_ registration: ObservationRegistration, from object: AnyObject) {
    super.init(registration, from: object)
  }

  var sink: ArraySink? { latest.withLock(\.sink) }

  override var recorder: ArraySink? { sink }

  /// - Returns: Whether there is a value that the view has not taken.
  func follow(by sink: ArraySink) -> Bool {
    latest.withLock { latest in
      latest.sink = sink
      return latest.value != nil
    }
  }

  func takeLatest() -> ValueBox? { latest.withLock { $0.value.take() } }

  override func open(_ info: ObservationInfo) { recordQueued(id: Subject.nextChangeID()) }

  /// Has the sink record the last one of the queued values.
  override func recordQueued(id: UInt64) {
    drainQueued { change in
      // The old value is freed outside of the lock.
      var value = change.new
      let sink = latest.withLock { latest in
        swap(&latest.value, &value)
        return latest.sink
      }
      sink?.parameterDidChange(id: id)
    }
  }
}

/// As `PathObservation`; `latest` is locked.
extension ParameterPath: @unchecked Sendable {}

extension ArraySink {
  /// Queues that the parameter of the live view has a new value.
  func parameterDidChange(id: UInt64) { viewedArray?.noteParameter(of: self, id: id) }
}

extension ObservableArray {
  /// Has a live view of this array take the new value of its parameter: after the edits that have
  /// been made, for those of a batch at its end.
  func noteParameter(of view: ArraySink, id: UInt64) {
    if let batch {
      if (batch.waiting.last as? WaitingParameter)?.sink !== view {
        batch.waiting.append(WaitingParameter(of: view))
      }
      return
    }
    // Without the elements, as a rule: the view takes them when it is its turn, and an edit that
    // comes before need not copy them. A view that is out of step begins anew with them.
    let isOutOfStep = view.state.withLock(\.isOutOfStep)
    let change = ArrayChange<Element>(
      ArrayEdit(.initial, replaced: []), elements: isOutOfStep ? storage : [])
    view.note(ValueBox(change), id: id, isOfElements: true)
  }
}

/// A new value of a parameter that waits for the end of a batch of the source.
private final class WaitingParameter: WaitingChange {
  init(of view: ArraySink) { super.init(ElementChange(), of: [], at: nil, in: view) }

  override func note(id: UInt64 = Subject.nextChangeID(), after edits: Int? = nil) {
    self.id = id
    DeliveryProbe.resume(cause) { sink.parameterDidChange(id: id) }
  }
}
