import Synchronization

/// Sink of one observation of an array: notified by the subjects of the array, of the path that
/// leads to it and of properties of its elements.
///
///     token ─▶ sink ─▶ parts ◀── subjects of the path, of the array, of its elements
///       ▲───────┘ └┄┄▶ array                                                    weak
///
/// The token itself is on no subject, its parts are: infos of their own, with the token's serial,
/// of which only subjects and the sink know. All of these cycles end when the token does.
///
/// Each change is recorded at once, in the order in which it is stored, so that elements are looked
/// for in the array as it is. It is delivered from a queue, when the subject that changed reaches
/// the token in its turn.
final class ArraySink: Sink {
  let token: ObservationInfo

  let witness: ArrayWitness

  /// Whether properties of elements are followed.
  let followsElements: Bool

  /// Parts, but for paths, are put on subjects and taken off under its lock.
  let state: Locked<State>

  var separateToken: ObservationToken?

  /// Called when the change of an element is held back, with the batch that does so, or `nil` for a
  /// transaction; and when a batch has delivered them. Set by an aggregate, before it knows an
  /// element.
  @exclusivity(unchecked) var held: (begins: (CollectionBatch?) -> Void, end: () -> Void)?

  private let lastPart = Atomic<UInt32>(0)

  /// Whether changes of elements are joined, see `State.joined`. Changed under the lock; read
  /// without it by each change of an element.
  let isJoining = Atomic(false)

  struct State {
    /// Calls the user's closure; `nil` once the observation has ended.
    var handler: AnyObject?

    /// The observed object, as the token holds it; released once the observation has ended.
    var root: ObservationInfo.Root

    /// Hangs on what leads to the array.
    var path: ObservationInfo?

    /// Hangs on the array.
    var content: ObservationInfo?

    /// Leads to what the content hangs on.
    var link: SubjectReference?

    /// The `ObservableArray`, where it is not the observed object itself.
    weak var array: (any AnyObservableArray)?

    var elements = ArraySink.FollowedElements()

    /// How many threads and frames are hooking elements that have joined; of a live view also how
    /// many elements are being mutated in place.
    var hookers = 0

    /// Elements a followed property of which is being mutated in place, once for each mutation.
    var mutated: [ObjectIdentifier] = []

    /// Whether elements have joined that are not yet hooked: the change that they came by is not
    /// delivered before they are, or changes of theirs would be missed in between.
    var isHooking: Bool { hookers > 0 || elements.hasJoined }

    /// Changes to deliver, in the order in which they were made.
    var queue = DeliveryQueue<PendingChange>()

    /// Whether changes have been dropped, so that the next delivery has to replace all elements.
    var isOutOfStep = false

    /// Changes of elements that a transaction has made, while they are joined.
    var joined = JoinedElements()

    /// Delivers what was joined, in the place of the first change; made for the first transaction.
    var joint: ObservationInfo?

    /// Number of the transaction that has changed elements last.
    var joinedID: UInt64 = 0

    /// Changes of elements of the plain array that have yet to be recorded, see `recordWaiting`.
    var waiting = DeliveryQueue<WaitingChange>()

    /// Whether a thread records these.
    var isRecording = false

    /// Number of recorded changes of the plain array.
    var edits = 0

    /// The last edit of the array that was recorded, to recognise it when the path reports it too.
    var lastEditID: UInt64 = 0

    /// The registrations for which an issue has been reported: of the array, and of properties of
    /// its elements.
    var reported: Set<ObjectIdentifier> = []

    /// Whether the plain array can't be read, or may be another one than was recorded last.
    var isAhead: Bool { path?.path?.isAhead ?? false }

    /// Whether it is, or another thread may make it so at any time.
    var mayBeAhead: Bool {
      path?.path.map { $0.isAhead || $0.node.state & Node.State.shared != 0 } ?? false
    }
  }

  /// Makes the parts too, which are put on subjects when the token is in the tables.
  ///
  /// - Parameters:
  ///   - accesses: What the key path reads.
  ///   - keyPaths: The properties of elements to follow.
  init<Element>(
    token: ObservationInfo, of object: AnyObject, _ witness: ArrayWitness,
    reading accesses: PropertyAccesses, _ keyPaths: [PartialKeyPath<Element>], handler: AnyObject
  ) {
    (self.token, self.witness) = (token, witness)
    followsElements = !keyPaths.isEmpty
    state = Locked(State(handler: handler, root: token.root), .sink)
    token.sink = self
    let request = token.registration.request
    let properties = keyPaths.unique(by: \.self).map {
      keyPath -> (ElementProperty, ObservationInfo) in
      let valueType = type(of: keyPath).valueType
      let property = ElementProperty(keyPath, valueType, of: self, request)
      return (property, part(property.registration, sink: self, kind: .part, handler: property))
    }
    state.withLock { state in
      state.elements = ArraySink.FollowedElements(properties)
      if !accesses.all.isEmpty {
        // A registration of its own, since the path has to note its old value whatever was asked
        // for.
        let registration = ObservationRegistration(
          store: store, request: request.part(request.access, options: .old),
          invoke: { _, _, _, _, _ in })
        state.path = part(
          registration, root: token.root, sink: ArrayPath(registration, from: object, to: self),
          kind: .path)
      }
      if witness.source != .values {
        // Without options that have edits keep the elements before.
        let registration =
          request.keepsElements
          ? ObservationRegistration(
            store: store, request: request.part(request.access, options: []),
            invoke: { _, _, _, _, _ in })
          : token.registration
        state.content = part(registration, sink: self, kind: .part)
      }
    }
  }

  var store: ObservationStore { token.registration.store }

  /// Makes a part of the token.
  func part(
    _ registration: ObservationRegistration, root: ObservationInfo.Root = .released, sink: Sink,
    kind: ObservationInfo.Traits, handler: AnyObject? = nil
  ) -> ObservationInfo {
    ObservationInfo(
      registration: registration, root: root, sink: sink, kind: kind, handler: handler,
      serial: token.serial,
      part: lastPart.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  /// Reports an issue when it is found for the first time.
  func reportOnce(
    _ issue: (AnyKeyPath, _ file: String, _ line: UInt) -> ObservationIssue,
    at registration: ObservationRegistration
  ) {
    guard state.withLock({ $0.reported.insert(ObjectIdentifier(registration)).inserted }) else {
      return
    }
    registration.report(issue, about: token)
  }
}

extension ObservationToken {
  /// The sink of an array, `nil` for a path or a property.
  var arraySink: ArraySink? { sink as? ArraySink }
}

// MARK: - End

extension ArraySink {
  /// Takes all parts off their subjects. Under the lock of the store.
  ///
  /// - Returns: References to release outside of every lock.
  func detachLocked(_ token: ObservationInfo) -> Any {
    token.sink = nil
    let (ended, paths) = state.withLock { state in
      var paths = state.elements.removeAll()
      if let content = state.content {
        _ = state.link?.remove(content)
        _ = content.deactivate()
      }
      for property in state.elements.properties { _ = property.info.deactivate() }
      if let path = state.path { paths.append(path) }
      return (exchange(&state, with: State(root: .released)), paths)
    }
    return (ended, paths.map(store.endPartLocked))
  }

  /// Takes a part off a subject whose object is deallocated. Under the lock of the store.
  func subjectWillDeallocateLocked(_ subject: Subject, of part: ObservationInfo)
    -> (ended: ObservationInfo?, freed: [Any])
  {
    let (ended, left) = state.withLock { state -> (ObservationInfo?, [ObservationInfo]) in
      _ = subject.remove(part)
      guard part === state.content else {
        state.elements.forget(subject)
        return (nil, [])
      }
      state.link = nil
      return witness.source == .root ? (token, []) : (nil, state.elements.removeAll())
    }
    return (ended, left.map(store.endPartLocked))
  }

  func endIfRootIsGone(_ info: ObservationInfo) {
    if token.isActive, token.object == nil { store.end(token) }
  }
}
