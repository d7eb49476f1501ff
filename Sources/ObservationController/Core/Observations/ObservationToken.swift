import Synchronization

/// Ends one observation.
///
/// A token may be dropped: the observation continues until it is unobserved, or the controller or
/// the observed object is deallocated. A token that is kept keeps neither the observer, nor the
/// observed object, nor the handler alive once the observation has ended.
public final class ObservationToken {
  // A token *is* the observation info, seen from outside; handing it out costs no allocation.
  // Inside the library it has that name.

  /// Orders infos by registration, wherever they are listed.
  let serial: UInt64

  @usableFromInline let registration: ObservationRegistration

  /// Traits that a delivery reads before it calls the handler.
  let traits: Traits

  private let active = Atomic<Bool>(true)

  /// Orders the parts of one token. Here, where it fills a gap.
  private let part: UInt32

  /// The subject that lists the info, or the sink that is notified in its place. Set before the
  /// info is listed anywhere; guarded by the lock of `registration.store` where it is cleared: for
  /// a subject and an array, others stay.
  private var target: Target?

  /// One word for both, so that a token stays small.
  private enum Target {
    case subject(SubjectReference)
    case sink(any Sink)
  }

  /// The observed object. Set in `init`; cleared under the lock of `registration.store`: a check of
  /// exclusivity would be a second one.
  @exclusivity(unchecked) var root: Root

  /// Address of the handler, retained; see `handler`. Atomic: a thread that delivers reads it
  /// while another one may be replacing it.
  private let handlerAddress: Atomic<Unmanaged<AnyObject>?>

  /// - Parameters:
  ///   - kind: What the sink makes of the info.
  ///   - serial: That of the token, for a part of one; `nil` for a new one.
  ///   - part: Different for each part.
  init(
    registration: ObservationRegistration, root: Root, link: SubjectReference? = nil,
    sink: Sink? = nil, kind: Traits = [], handler: AnyObject?, serial: UInt64? = nil,
    part: UInt32 = 0
  ) {
    self.part = part
    self.registration = registration
    self.root = root
    target = sink.map { .sink($0) } ?? link.map { .subject($0) }
    handlerAddress = Atomic(handler.map { .passRetained($0) })
    let isAtomic = link?.subject._withUnsafeGuaranteedRef { $0.isAtomic } ?? false
    // The bits of the options stand in the same order behind that of `.initial`.
    traits = Traits(rawValue: registration.options.rawValue >> 1)
      .intersection([.old, .prior, .distinct]).union(registration.request.needsOld ? .old : [])
      .union(kind).union(isAtomic ? .rooted : []).union(root.isRetained ? .retaining : [])
    // Early observations, as those of live views, come before all that are not.
    let mark = registration.request.isEarly ? 0 : usual
    self.serial = serial ?? tokenCount.wrappingAdd(1, ordering: .relaxed).newValue | mark
  }

  deinit {
    handlerAddress.load(ordering: .acquiring)?.release()
  }

  /// Position of the info among others, different for each: the serial, then the part.
  var order: UInt128 { UInt128(serial) << 32 | UInt128(part) }

  /// How many tokens have been made.
  static var lastNumber: UInt64 { tokenCount.load(ordering: .relaxed) }

  /// How many tokens had been made with this one.
  var number: UInt64 { serial & ~usual }
}

/// Marks the serials of observations that are not early.
private let usual: UInt64 = 1 << 63
private let tokenCount = Atomic<UInt64>(0)

extension ObservationToken {
  /// Whether changes are still delivered.
  public var isActive: Bool {
    active.load(ordering: .acquiring)
  }

  /// Ends this observation; nothing happens if it has ended already.
  ///
  /// May be called anywhere: inside the handler, in a deinit, on another thread. Once it returns,
  /// no delivery on this thread follows, and on another thread at most the call already running
  /// finishes.
  ///
  /// - Complexity: O(log n), n being the observations of the property; O(d) such steps for a path
  ///   that reads d properties.
  public func invalidate() {
    // Not retained: the caller holds the token, which holds the registration, and that the store.
    Unmanaged.passUnretained(registration.store)._withUnsafeGuaranteedRef {
      registration.isOfToken ? $0.endInfo(of: self) : $0.end(self)
    }
  }
}

/// The word for a token inside the library: one registration.
@usableFromInline
typealias ObservationInfo = ObservationToken

extension ObservationToken {
  /// How the observed object is held.
  enum Root {
    case retained(AnyObject)
    case unretained(WeakReference)
    case released

    var isRetained: Bool {
      if case .retained = self { true } else { false }
    }

    /// `nil` once the object is released, or its `deinit` has begun.
    var object: AnyObject? {
      switch self {
      case .retained(let object): object
      case .unretained(let reference): reference.object
      case .released: nil
      }
    }
  }

  /// The observed object; `nil` once its deinit has begun, or the observation has ended.
  var object: AnyObject? { withStoreLock { root.object } }

  /// Runs `body` under the lock of the store.
  func withStoreLock<Result>(_ body: () -> Result) -> Result {
    // The store is not retained, as in `invalidate`.
    Unmanaged.passUnretained(registration.store)._withUnsafeGuaranteedRef {
      $0.state.withLock { _ in body() }
    }
  }

  struct Traits: OptionSet, Sendable {
    let rawValue: UInt8

    static let old = Traits(rawValue: 1 << 0)
    static let prior = Traits(rawValue: 1 << 1)
    static let distinct = Traits(rawValue: 1 << 2)
    /// A nested or computed path.
    static let path = Traits(rawValue: 1 << 3)

    /// A part of observing an array.
    static let part = Traits(rawValue: 1 << 4)

    /// Delivered with its own object; see `Subject.isAtomic`.
    static let rooted = Traits(rawValue: 1 << 5)

    /// An observation of an array, which its parts deliver to.
    static let array = Traits(rawValue: 1 << 6)

    /// Holds the observed object for as long as it is listed.
    static let retaining = Traits(rawValue: 1 << 7)

    /// Infos with a sink.
    static let served: Traits = [.path, .part, .array]

    /// Infos whose delivery takes more than calling the handler.
    static let special: Traits = [.distinct, .path, .part, .rooted]
  }

  /// The subject of a property of the observed object.
  var link: SubjectReference? {
    if case .subject(let link) = target { link } else { nil }
  }

  /// Sink that is notified in place of the handler: a nested or computed path, or an array; `nil`
  /// for a property.
  var sink: (any Sink)? {
    get {
      // Asked first: another thread may just be clearing the subject of an info without a sink.
      guard !traits.isDisjoint(with: .served), case .sink(let sink) = target else { return nil }
      return sink
    }
    set { target = newValue.map { .sink($0) } }
  }

  /// Whether this observes a nested or computed path.
  var isPath: Bool { traits.contains(.path) }

  /// Whether it is a part of an observation of an array.
  var isPart: Bool { traits.contains(.part) }

  /// The sink of a nested or computed path, `nil` for a property of the observed object itself.
  ///
  /// Needs no lock: a path is set before the info is listed anywhere, and stays.
  var path: PathObservation? {
    // Safe: no other sink has an info of this kind.
    isPath ? sink.map { unsafeDowncast($0, to: PathObservation.self) } : nil
  }

  /// Whether it belongs to a live view, which would be wrong without it.
  var isOfView: Bool { serial < usual }

  /// Holds the user's closure.
  ///
  /// Without a sink read by the thread that delivers; one that was replaced or has ended meanwhile
  /// is released when that delivery has ended, see `Subject.remove(_:)`. With a path, guarded by
  /// the path's lock. `nil` with an array, whose sink holds it. A part of an array holds the
  /// property that it follows.
  var handler: AnyObject? {
    get { unretainedHandler?.takeUnretainedValue() }
    set { withExtendedLifetime(replaceHandler(by: newValue)) {} }
  }

  /// Replaces the handler, and hands out the old one.
  @discardableResult
  func replaceHandler(by new: AnyObject?) -> AnyObject? {
    handlerAddress.exchange(
      new.map { .passRetained($0) }, ordering: .acquiringAndReleasing)?.takeRetainedValue()
  }

  /// The handler, not retained; valid for the thread that delivers, see `handler`.
  var unretainedHandler: Unmanaged<AnyObject>? { handlerAddress.load(ordering: .acquiring) }

  /// Marks the observation as ended.
  ///
  /// - Returns: Whether this call ended it.
  func deactivate() -> Bool {
    active.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Key of this info in the table.
  var rootIdentity: ObjectIdentifier? {
    switch root {
    case .retained(let object): ObjectIdentifier(object)
    case .unretained(let reference): reference.identity
    case .released: nil
    }
  }
}

/// `active` is atomic, `serial`, `registration` and `traits` are immutable, `target` and `root` are
/// guarded by the store's lock, and `handler` is atomic, and released as it says.
extension ObservationToken: @unchecked Sendable {}
