extension ObservationTrace {
  /// One thing that happened.
  public struct Event: Identifiable, Sendable {
    /// Counts all events of the program, in their order.
    public internal(set) var id: UInt64 = 0

    /// What happened.
    public internal(set) var kind: Kind

    /// Nanoseconds from the first start of the trace.
    public internal(set) var time: UInt64 = 0

    /// Nanoseconds until it was over, with all that happened because of it in between; 0 for what was
    /// set and told later, as at the end of a transaction; `nil` for what takes no time, and for what was
    /// not over when the trace was stopped.
    public internal(set) var duration: UInt64?

    /// The thread, by a number that traces give it, from 1. That of a thread that has ended may be given
    /// to another one.
    public internal(set) var thread = 0

    /// In how many other events it happened, as far as these were recorded.
    public internal(set) var depth = 0

    /// The ``id`` of the event because of which it happened: for a delivery what was set, for what was
    /// set the delivery whose handler did it. `nil` for what came from outside of everything recorded.
    public internal(set) var cause: ID?

    /// The property or path, as `\Clock.date`; the types of their values stand for properties whose names
    /// are not known, as `\Clock.‹Date›`. `nil` where there is none.
    public internal(set) var property: String?

    /// The type of the object with its address or its label in graphs, as `Clock@6020` or
    /// `Clock “wall clock”`.
    public internal(set) var object: String?

    /// The same of the observer, for what concerns an observation.
    public internal(set) var observer: String?

    /// The place of the registration, as `App/View.swift:12`, for what concerns an observation.
    public internal(set) var place: String?

    /// What else there is to say: the label of a mark, the text of an issue, and of a delivery whether it
    /// is an `initial` or a `prior` one, or sets what a `binding` leads to.
    public internal(set) var detail: String?

    /// Tells observations apart.
    var serial: UInt64 = 0

    /// What happened.
    public enum Kind: Hashable, Sendable {
      /// A property that is observed was set or changed, or an array edited.
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

    /// Why a handler was not called.
    public enum SkipReason: String, Hashable, Sendable {
      /// The observation had ended.
      case ended

      /// The observer had begun to go.
      case observerGone

      /// The values were equal, and the observation asked for ``ObservationOptions/distinct``.
      case equal
    }
  }
}

extension ObservationTrace.Event: CustomStringConvertible {
  /// What happened, without time, thread and cause.
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

  /// What it is about.
  var subject: String {
    (property ?? "something") + (object.map { " of \($0)" } ?? "")
  }

  /// Who is told.
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
