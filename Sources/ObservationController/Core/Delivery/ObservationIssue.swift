/// Something that is wrong with an observation, and where it was registered.
///
/// Issues are reported rather than thrown, since most of them appear in the middle of an
/// assignment. No issue ends an observation: each case says how observing continues.
public enum ObservationIssue: Error {
  /// The key path reads no observable property, so that no change could ever be delivered; nothing
  /// was registered, and the token is inactive.
  case nothingObservable(keyPath: AnyKeyPath, file: String, line: UInt)

  /// The list of key paths is empty; nothing was registered.
  case emptyKeyPaths(file: String, line: UInt)

  /// A property was still being set by its own handlers after 100 rounds, deliveries that had led
  /// to another one each; the last value is stored and was delivered to all other observers. Also
  /// an event that its handlers kept sending, of which the rest was dropped, and a hook that they
  /// kept asking, which its default has answered.
  case cycle(keyPath: AnyKeyPath, file: String, line: UInt)

  /// A ``Derived`` value reads itself, by way of those that are named; the reading that closes the
  /// cycle gets `nil`, zero, `false` or an empty collection. When the cycle is broken, all values
  /// are right again. The place is that of the property that is read twice.
  case derivedCycle(keyPaths: [AnyKeyPath], file: String, line: UInt)
  /// Another place in the source observes this object, key path and context already. That
  /// observation continues unchanged; the handler that came second, at `file` and `line`, is never
  /// called. Reported once for each two places; from the same place, as with reused cells, never.
  /// With a `context:` of its own the second one is another observation.
  case alreadyObserved(
    keyPath: AnyKeyPath, file: String, line: UInt, firstFile: String, firstLine: UInt)

  /// The observer was deallocated before the controller's first observation, as in
  /// `ObservationController(observer: Observer())`: a controller holds its observer weakly. Nothing
  /// will be delivered. Reported once for each controller, with the place of that observation.
  case observerReleased(keyPath: AnyKeyPath, file: String, line: UInt)

  /// ``ObservationOptions/distinct`` on a type that is neither `Equatable` nor a class; every
  /// change is delivered.
  case distinctNeedsEquatable(keyPath: AnyKeyPath, file: String, line: UInt)

  /// The elements of a plain array are neither objects nor `Hashable`, so that what became of each
  /// can't be found out; every change is delivered as ``ArrayChange/Kind/setting``.
  case elementsNotHashable(keyPath: AnyKeyPath, file: String, line: UInt)

  /// A live view was edited; it stays as it is. The place is that where the view was made.
  case readOnlyArray(file: String, line: UInt)

  /// A live view by sections with fixed keys has met an element of another key, which it leaves
  /// out. Reported once for each view. The place is that where the view was made.
  case otherKey(key: String, file: String, line: UInt)

  /// The closure of a live view reads an observable property that the view does not follow: neither
  /// `on:` nor the view's parameter names it, so that changes of it leave the view as it is. Found
  /// in debug builds alone, by checks of some of the calls, and reported once for each view. The
  /// place is that where the view was made. An array that the closure reads is named `elements`.
  case notFollowed(keyPath: AnyKeyPath, file: String, line: UInt)

  /// An ``ObservableArray`` that a key path led to was held by nobody else, and is deallocated: a
  /// getter has made it, as a live view, for just this reading. Edits of it, or of its source, are
  /// not delivered; the observation continues, with the array as it was. Reported once for each
  /// observation.
  case released(keyPath: AnyKeyPath, file: String, line: UInt)

  /// Two ``AtomicObserved`` properties were locked inside of each other in opposite orders, by
  /// ``AtomicObserved/withLock(_:)`` or in-place mutation: two threads that do so at once wait for
  /// each other, at which the program traps. Use them in one order, or make them one property.
  /// Found in debug builds alone, and reported once for each two properties, when both are unlocked
  /// again. It has no place in the source.
  case lockOrder(first: String, second: String)

  /// An observation that began inside of ``withObservationLeakCheck(_:)`` and continues after it.
  /// The place is that of its registration; it continues.
  case leaked(keyPath: AnyKeyPath, file: String, line: UInt)
}

extension ObservationIssue {
  /// The key path that was registered, `nil` where there is none.
  public var keyPath: AnyKeyPath? { place.keyPath }

  /// The file of the registration, as `#fileID` names it.
  public var file: String { place.file }

  /// The line of the registration.
  public var line: UInt { place.line }

  private var place: (keyPath: AnyKeyPath?, file: String, line: UInt) {
    switch self {
    case .emptyKeyPaths(let file, let line), .readOnlyArray(let file, let line),
      .otherKey(_, let file, let line):
      (nil, file, line)
    case .lockOrder: (nil, "", 0)
    case .derivedCycle(let keyPaths, let file, let line):
      (keyPaths.first, file, line)
    case .nothingObservable(let keyPath, let file, let line),
      .cycle(let keyPath, let file, let line),
      .observerReleased(let keyPath, let file, let line),
      .distinctNeedsEquatable(let keyPath, let file, let line),
      .elementsNotHashable(let keyPath, let file, let line),
      .notFollowed(let keyPath, let file, let line),
      .released(let keyPath, let file, let line),
      .alreadyObserved(let keyPath, let file, let line, _, _),
      .leaked(let keyPath, let file, let line):
      (keyPath, file, line)
    }
  }
}

extension ObservationIssue {
  /// Remedy where a key path reads nothing observable: values can't have observed properties.
  private var nothingObservableAdvice: String {
    keyPath.map { type(of: $0).rootType } is AnyClass
      ? "mark the properties it reads @Observed"
      : "leave `elements:` out, since values are replaced as a whole, or make the type a class"
  }

  /// The key paths on the way of a cycle; the middle of a long one is left out.
  private static func way(over keyPaths: [AnyKeyPath]) -> String {
    shortened(keyPaths.map { KeyPathNames.literal(of: $0) })
  }

  /// The objects on the way of a cycle, which may be one for all of the values.
  private static func objects(over keyPaths: [AnyKeyPath]) -> String {
    DerivedCycleObjects.of(keyPaths).map { " (of \(shortened($0)))" } ?? ""
  }

  private static func shortened(_ names: [String]) -> String {
    guard names.count > 8 else { return names.joined(separator: ", ") }
    return (names.prefix(4) + ["… \(names.count - 7) more …"] + names.suffix(3))
      .joined(separator: ", ")
  }

  /// Description of a cycle, by the type that its key path starts from.
  private var cycle: String {
    let rounds = ThreadContext.maximumRounds
    let source = keyPath.flatMap {
      type(of: $0).rootType as? any ObservationIssue.CyclicSource.Type
    }
    return source?.cycleDescription(rounds: rounds)
      ?? "set by its own handlers \(rounds) times in a row: stopped delivering, the last value is stored"
  }
}

extension ObservationIssue: CustomStringConvertible {
  /// The problem and its remedy, on one line that begins with file and line.
  ///
  /// Names properties as ``ObservationDescription`` does.
  public var description: String {
    let (keyPath, file, line) = place
    let path = keyPath.map(KeyPathNames.literal) ?? ""
    let text =
      switch self {
      case .nothingObservable:
        "\(path) reads no @Observed property: nothing is observed; \(nothingObservableAdvice)"
      case .emptyKeyPaths:
        "no key paths were given: nothing is observed"
      case .cycle:
        "\(path) was \(cycle)"
      case .derivedCycle(let keyPaths, _, _):
        "\(path) reads itself, by way of \(Self.way(over: keyPaths)): the inner reading gets a placeholder; break the cycle\(Self.objects(over: keyPaths))"
      case .alreadyObserved(_, _, _, let firstFile, let firstLine):
        "\(path) of this object is observed already, at \(firstFile):\(firstLine): the handler given here is never called; pass a context: to observe it twice, or end the first observation"
      case .observerReleased:
        "\(path) was observed for an observer that had been deallocated: nothing is delivered; keep the observer, which owns its controller, in a variable or property"
      case .distinctNeedsEquatable:
        "\(path) was observed with .distinct, but its values can't be compared: every change is delivered; make the type Equatable"
      case .elementsNotHashable:
        "\(path) was observed as an array, but its elements are neither objects nor Hashable: every change is delivered as .setting; make the type Hashable, or use an ObservableArray"
      case .readOnlyArray:
        "the live view made here was edited: it stays as it is; edit the array that it shows"
      case .otherKey(let key, _, _):
        "the sections made here have no key \(key): elements with that key are left out; add it to `keys:`, or leave that out to have a section for each key"
      case .notFollowed:
        "the closure of the live view made here reads \(path), which the view does not follow: changes of it leave the view as it is; name it in `on:` if it belongs to an element, pass it as the view's parameter by `with:`, or read it in withUntrackedReads"
      case .released:
        "\(path) led to an array that nothing else holds, and that is gone: its edits are not delivered; keep the array, as a live view that a getter makes each time, in a stored or lazy property"
      case .lockOrder(let first, let second):
        "\(second) was locked inside of \(first), and at another time the other way round, over other properties perhaps: two threads will wait for each other; use them in one order, or make them one property"
      case .leaked:
        "\(path) was observed here and still is, though the leak check has ended: let go of the observer, end the observation, or look for what keeps its controller alive"
      }
    return file.isEmpty ? text : "\(file):\(line): \(text)"
  }
}

extension ObservationIssue {
  /// An object that is observed itself, so that a cycle is not one of setting a property.
  protocol CyclicSource: AnyObject {
    /// Describes what its handlers did too often, and the result.
    static func cycleDescription(rounds: Int) -> String
  }

  /// Receives every issue; by default prints one line on standard error.
  ///
  /// Called on the thread where the issue appeared, with no lock held, once for each issue. May be
  /// replaced at any time, from any thread.
  public static var reporter: @Sendable (ObservationIssue) -> Void {
    get { currentReporter.withLock { $0 }.report }
    set {
      // The old reporter is freed outside of the lock: it is the user's.
      var reporter = Reporter(report: newValue)
      currentReporter.withLock { swap(&$0, &reporter) }
    }
  }

  /// A struct around the closure: the lock is generic, and would wrap the closure itself in another
  /// one each time that it is read and set back, until calling it overflows the stack.
  private struct Reporter {
    let report: @Sendable (ObservationIssue) -> Void
  }

  private static let currentReporter = Locked(
    Reporter { printError("ObservationController: \($0)\n") })
}

/// Strings, numbers and key paths are immutable.
extension ObservationIssue: @unchecked Sendable {}

extension ObservationDispatcher {
  /// Hands an issue to the reporter, on this thread, with no lock held.
  ///
  /// - Parameter info: The observation that it is about, if there is one: the names of its
  ///   properties are found out before.
  static func report(_ issue: ObservationIssue, about info: ObservationInfo? = nil) {
    LockRank.assertNoneIsHeld()
    info.map { DeliveryProbe.diagnostics?.learnNames(of: $0) }
    DeliveryProbe.record(.issue(issue))
    AccessTracker.withoutTracking { ObservationIssue.reporter(issue) }
  }

  /// Reports that a property was still being set by its own handlers after `maximumRounds`.
  static func reportCycle(of info: ObservationInfo) {
    let registration = info.registration
    reportCycle(
      .cycle(keyPath: registration.keyPath, file: registration.file, line: registration.line),
      about: info)
  }

  static func reportCycle(_ issue: ObservationIssue, about info: ObservationInfo? = nil) {
    // A reporter that sets the property again would be called for that again, and for ever.
    guard !ThreadContext.current.isReportingCycle else { return }
    ThreadContext.with(\.isReportingCycle, true) { report(issue, about: info) }
  }
}

// MARK: - Observing again

extension ObservationDispatcher {
  /// Reports that `info` observes what is registered again, if that is in another place in the
  /// source (C17).
  static func report(_ registration: ObservationRegistration, sameAs info: ObservationInfo) {
    let first = info.registration
    guard registration.binding == nil, !first.hasPlace(of: registration) else { return }
    let places: Set = [first.place, registration.place]
    guard reportedPlaces.withLock({ $0.insert(places).inserted }) else { return }
    report(
      .alreadyObserved(
        keyPath: first.keyPath, file: registration.file, line: registration.line,
        firstFile: first.file, firstLine: first.line), about: info)
  }

  /// The pairs of places that have been reported: at most as many as there are in the source.
  private static let reportedPlaces = Locked<Set<Set<String>>>([])
}

extension ObservationToken {
  /// Reports that `value` can't be compared, as `.distinct` asks for.
  @usableFromInline
  func reportMissingEquality<Value>(of value: Value) {
    let isInstance =
      unwrapped(value).map { type(of: $0) is AnyClass } ?? ValueEquality.mayBeInstance(Value.self)
    guard !ValueEquality.isComparable(Value.self), !isInstance else { return }
    registration.report(ObservationIssue.distinctNeedsEquatable, about: self)
  }
}
