extension ObservationTrace {
  /// One recorded event.
  public struct Event: Identifiable, Sendable {
    /// The event's number, in the order of all events of the program.
    public internal(set) var id: UInt64 = 0

    /// The kind of event.
    public internal(set) var kind: Kind

    /// Nanoseconds from the first start of the trace.
    public internal(set) var time: UInt64 = 0

    /// Nanoseconds until the event ended, with everything that it led to in between; 0 for a
    /// property that was set and delivered later, as at the end of a transaction; `nil` for an
    /// event that takes no time, and for one that had not ended when the trace was stopped.
    public internal(set) var duration: UInt64?

    /// The thread, by a number that traces assign, from 1. The number of a thread that has ended
    /// may be assigned again.
    public internal(set) var thread = 0

    /// The number of events around this one that any trace has recorded, also before this trace was
    /// started.
    public internal(set) var depth = 0

    /// The ``id`` of the event that led to this one: for a delivery the change of a property, for a
    /// change the delivery whose handler made it. `nil` for an event from outside of all recorded
    /// ones.
    public internal(set) var cause: ID?

    /// The property or path, as `\Clock.date`; the types of their values stand for properties whose
    /// names are not known, as `\Clock.‹Date›`. `nil` where there is none.
    public internal(set) var property: String?

    /// The type of the object with its address or its label in graphs, as `Clock@6020` or
    /// `Clock “wall clock”`. Where an ``AtomicObserved`` property was set, the property itself,
    /// which is an object.
    public internal(set) var object: String?

    /// The type of the observer with its address or its label in graphs, where the event concerns
    /// an observation.
    public internal(set) var observer: String?

    /// The place of the registration, as `App/View.swift:12`, where the event concerns an
    /// observation.
    public internal(set) var place: String?

    /// Further information: the label of a mark, the text of an issue, and of a delivery whether it
    /// is an `initial` or a `prior` one, or sets the target of a `binding`.
    public internal(set) var detail: String?

    /// The serial of the observation; 0 for none.
    private(set) var serial: UInt64 = 0

    /// The last label before it that stands for a part of the program, and not for something that a
    /// handler does.
    var mark: String?

    init(_ kind: Kind, detail: String? = nil) {
      (self.kind, self.detail) = (kind, detail)
    }

    /// The kind of an event.
    public enum Kind: Hashable, Sendable {
      /// A property with observers was set or changed, or an array edited.
      case set

      /// An ``ObservableEvent`` was sent.
      case send

      /// An ``ObservableHook`` was asked.
      case question

      /// A notification was posted.
      case post

      /// A handler was called.
      case delivery

      /// A change was put on the queue or actor where the handler is called.
      case handOver

      /// A handler was not called.
      case skip(SkipReason)

      /// A transaction, and the deliveries at its end.
      case transaction

      /// A path follows other properties from now on.
      case rehook

      /// An ``ObservationIssue`` was reported.
      case issue

      /// A label; see ``ObservationTrace/mark(_:)-method``.
      case mark
    }

    /// The reason why a handler was not called.
    public enum SkipReason: String, Hashable, Sendable {
      /// The observation had ended.
      case ended

      /// The observer's deallocation had begun.
      case observerGone

      /// The values were equal, and the observation asked for ``ObservationOptions/distinct``.
      case equal
    }
  }
}

// MARK: - Recording

extension ObservationTrace.Event {
  init(recording event: DeliveryProbe.Event) {
    switch event {
    case .set(let subject, let object, let waits):
      self.init(.set, of: object, subject)
      if waits { duration = 0 }
    case .send(let subject, let object):
      self.init(.send, of: object, subject)
    case .question(let hook):
      self.init(.question)
      (object, property) = (ObservationGraph.name(of: hook), "\\\(type(of: hook))")
    case .post(let name):
      self.init(.post)
      property = name
    case .transaction:
      self.init(.transaction)
    case .delivery(let info, let object, let delivery):
      self.init(.delivery, to: info)
      self.object = ObservationGraph.name(of: object)
      let isBinding = info.registration.handlerKind == .binding
      detail = delivery == .change ? (isBinding ? "binding" : nil) : "\(delivery)"
    case .skip(let info, .ended): self.init(.skip(.ended), to: info)
    case .skip(let info, .observerGone): self.init(.skip(.observerGone), to: info)
    case .skip(let info, .equal): self.init(.skip(.equal), to: info)
    case .rehook(let info): self.init(.rehook, to: info)
    case .issue(let issue):
      self.init(.issue, detail: issue.description)
      place = "\(issue.file):\(issue.line)"
      property = issue.keyPath.map(KeyPathNames.printed)
    }
  }

  private init(_ kind: Kind, of object: AnyObject, _ subject: Subject) {
    self.init(kind)
    self.object = ObservationGraph.name(of: object)
    property = PropertyNames.text(of: subject, of: object)
  }

  /// Not under a lock: this may hold the last reference to the observer for a moment.
  private init(_ kind: Kind, to info: ObservationInfo) {
    self.init(kind)
    let registration = info.registration
    serial = info.serial
    place = registration.place
    observer = registration.store.observer.map(ObservationGraph.name)
    property =
      registration.request.notification.map { "\($0)" } ?? PropertyNames.text(of: registration)
  }
}

// MARK: - Text

extension ObservationTrace.Event: CustomStringConvertible {
  /// The event in words, without time, thread and cause.
  public var description: String {
    let property = property ?? "something"
    return switch kind {
    case .set: "\(subject) was set"
    case .send: "\(subject) was sent"
    case .question: "\(subject) was asked"
    case .post: "the notification \(property) was posted"
    case .delivery: "\(handler) was called for \(subject)\(manner)"
    case .handOver: "\(subject) was handed over to \(handler)\(manner)"
    case .skip(.ended): "\(handler) was skipped: the observation of \(property) had ended"
    case .skip(.observerGone): "\(handler) was skipped: the observer of \(property) had gone"
    case .skip(.equal): "\(handler) was skipped: the values of \(property) were equal"
    case .transaction: "a transaction"
    case .rehook: "\(property) follows other properties, for \(handler)"
    case .issue: "issue: \(detail ?? "")"
    case .mark: "mark: \(detail ?? "")"
    }
  }

  /// The property and its object, in words.
  var subject: String {
    (property ?? "something") + (object.map { " of \($0)" } ?? "")
  }

  /// The handler or binding, with its observer and the place of its registration, in words.
  var handler: String {
    let kind = detail == "binding" ? "binding" : "handler"
    return "the \(kind) of \(observer ?? "a gone observer")"
      + (place.map { " registered at \($0)" } ?? "")
  }

  private var manner: String {
    switch detail {
    case "initial": ", with its first value"
    case "prior": ", before it was set"
    default: ""
    }
  }
}
