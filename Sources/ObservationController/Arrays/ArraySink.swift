import Synchronization

/// What the subjects of an array, of the path that leads to it and of properties of its elements
/// notify, for one token.
///
///     token ─▶ sink ─▶ parts ◀── subjects of the path, of the array, of its elements
///       ▲───────┘ └┄┄▶ array                                                    weak
///
/// The token itself is on no subject, its parts are: infos of their own, with the token's serial,
/// of which only subjects and the sink know. All of these cycles end when the token does.
///
/// Whatever changes is recorded at once, in the order in which it is stored, so that the positions of
/// elements are those of the array as it is. It is delivered from a queue, when the subject that
/// changed reaches the token in its turn.
@usableFromInline
final class ArraySink: Sink {
  /// The registration; its handler is the user's.
  let token: ObservationInfo

  let witness: ArrayWitness

  /// Its lock comes after that of the store and before those of subjects. Parts, but for paths, are
  /// put on subjects and taken off under it.
  let state: Locked<State>

  struct State {
    /// The observed object, as the token holds it.
    var root: ObservationInfo.Root

    /// The user's handler; `nil` once the observation has ended.
    var handler: AnyObject?

    /// Hangs on what leads to the array.
    var path: ObservationInfo?

    /// Hangs on the array.
    var content: ObservationInfo?

    /// Leads to what the content hangs on.
    var link: SubjectLink?

    /// The `ObservableArray`, where it is not the observed object itself.
    weak var array: AnyObject?

    /// The properties of elements to follow, each with the info that is on the subjects of all elements.
    var properties: [(property: ElementProperty, info: ObservationInfo)] = []

    var positions = ElementPositions()

    /// For each slot of the positions, a hook for each property.
    var hooks: ContiguousArray<ElementHook> = []

    /// Whether there may be elements that have gone unnoticed: those that are followed by paths, or
    /// have lost a hook.
    var hasDoubtful = false

    /// Elements that have come and are not yet hooked; they may have left again.
    var joined: [(slot: Int, element: AnyObject)] = []

    /// `ElementPositions.departures` when the first of them came.
    var departuresAtJoining = 0

    /// Changes to deliver, in the order in which they were made.
    var queue = DeliveryQueue()

    /// What the observation held, if it has ended while a thread delivers: that thread may still be using
    /// it, and frees it.
    var lent: (root: ObservationInfo.Root, handler: AnyObject?)?

    /// Whether changes have been dropped, so that the next delivery has to tell everything.
    var isOutOfStep = false

    /// Changes of elements that were made while the plain array was being changed.
    var waiting: [WaitingChange] = []

    /// Elements that have changed in a transaction, and wait for its edits; of a view alone.
    var gathered: [AnyObject] = []

    /// Counts changes of what leads to the array, to notice newer ones.
    var pathChanges = 0

    /// The last change that was noted.
    var lastNotedID: UInt64 = 0

    /// The last edit of the array that was noted, to recognise it when it comes by the path too.
    var lastEditID: UInt64 = 0

    /// Whether there was an element that is not an object.
    var hasValues = false

    /// Where an issue has been reported: the registration of the array, or of a property of its elements.
    var reported: Set<ObjectIdentifier> = []

    var isActive: Bool { handler != nil }
  }

  /// The observed object, where the observation does not retain it.
  let weakRoot: WeakReference?

  private let lastPart = Atomic<UInt32>(0)

  init(token: ObservationInfo, witness: ArrayWitness) {
    self.token = token
    self.witness = witness
    weakRoot = if case .unretained(let reference) = token.root { reference } else { nil }
    state = Locked(State(root: token.root, handler: token.handler))
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
    ObservationDispatcher.report(
      issue(registration.keyPath, registration.file, registration.line), about: token)
  }
}
