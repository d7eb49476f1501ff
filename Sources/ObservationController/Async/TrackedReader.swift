import Observation
import Synchronization

/// Reads a key path of an `Observable` object again when Observation notifies of a change.
///
///     info ──▶ handler ──▶ reader, stream                     strong
///      ▲                    │ ▲ └┄┄▶ actor                    weak
///      │                    │ └┄┄ what waits for a change, tasks  weak
///      └────────────────────┘                                 strong, until it ends
///
/// Observation notifies once for each reading, before the store, on the thread that makes the
/// change. A task on the actor that the object belongs to reads after it: the code that ran there
/// has ended by then. The `deinit` withdraws the notice that waits at the object, which may never
/// change. Pinned by TrackedValuesNoticeTests.
final class TrackedReader<Object: AnyObject, Value: Sendable> {
  private let keyPath: KeyPath<Object, Value>

  /// Lists the observation until it ends.
  let subject = Subject()

  /// Set once, in `init`. Weak, since it may be the observer.
  private weak var actor: (any Actor)?

  /// Number of the reading that waits for a change; one more once it was notified.
  ///
  /// A reading of several properties, changed on several threads at once, may be notified twice;
  /// each notice would begin a chain of readings of its own.
  private let awaited = Atomic<UInt64>(0)

  /// Withdraws the notices of the readings. `nil` where it would notify others: the notice of the
  /// first reading stays at the object until the next change then, and is ignored.
  private let signal = EndSignal.wouldReachOthers ? nil : EndSignal()

  /// Waits at an object that is not retained. Only used on the actor, and in the `deinit`.
  private weak var deallocation: DeallocationNotice?

  init(_ keyPath: KeyPath<Object, Value>, on actor: any Actor) {
    (self.keyPath, self.actor) = (keyPath, actor)
  }

  deinit {
    signal?.send()
    deallocation?.remove(ObjectIdentifier(self))
  }
}

extension TrackedReader {
  private var info: ObservationInfo? { subject.latestInfos.first }

  /// Delivers the current value, and waits for the next change. Only called on the actor.
  fileprivate func read() {
    guard let info, info.isActive else { return }
    guard let object = info.object else { return info.invalidate() }
    // Safe: it is the object of the registration.
    let root = unsafeDowncast(object, to: Object.self)
    // A path may be being evaluated further up the stack, which does not read this object.
    AccessTracker.withoutTracking {
      let number = awaited.wrappingAdd(1, ordering: .relaxed).newValue
      withObservationTracking {
        signal?.read()
        if info.traits.contains(.retaining) {
          _ = root[keyPath: keyPath]
        } else {
          readNoticingDeallocation(of: root)
        }
      } onChange: { [weak self] in
        self?.changes(after: number)
      }
      // Read again, now that Observation would notify: another thread may have made a change in
      // between.
      ObservationDispatcher.deliverDirectly(root[keyPath: keyPath], to: info)
    }
  }

  /// Reads the value after the change that is about to be made.
  private func changes(after number: UInt64) {
    let (isFirst, _) = awaited.compareExchange(
      expected: number, desired: number + 1, ordering: .relaxed)
    guard isFirst else { return }
    guard let actor else {
      info?.invalidate()
      return
    }
    Task { [weak self] in await self?.read(on: actor) }
  }

  private func read(on actor: isolated any Actor) {
    read()
  }

  /// Reads the value, which leaves a notice at an object that is not retained.
  private func readNoticingDeallocation(of root: Object) {
    let (notice, isNew) = DeallocationNotice.waiting(at: root, keyPath)
    notice.add(self)
    deallocation = notice
    guard isNew else {
      _ = root[keyPath: keyPath]
      return
    }
    // Apart from the reading around it, which is withdrawn with its reader.
    withObservationTracking {
      _ = root[keyPath: keyPath]
    } onChange: {
      withExtendedLifetime(notice) {}
    }
  }
}

extension TrackedReader: NoticeReader {
  func endWithObject() {
    guard let info, info.object == nil else { return }
    info.invalidate()
  }
}

/// The object is only used on the actor, `awaited` is atomic, the rest is immutable, key path
/// included.
extension TrackedReader: @unchecked Sendable {}

/// Following models of the standard library's Observation with a loop.
extension ObservationController {
  /// The value at `keyPath` of an `Observable` object, and the new one after changes from now on.
  ///
  ///     for await title in observations.values(of: document, \.title) {
  ///       window.title = title
  ///     }
  ///
  /// The properties that the key path reads decide how it is followed:
  /// - A property of this library, ``TrackedObserved`` included: each of its changes is an element,
  ///   as for any object. Links that are Observation's alone are not followed then.
  /// - Only properties of Observation, at the call: the value is read again when one of them has
  ///   changed, in the isolation of this call, after what runs there just now. Several changes
  ///   until then are one element, which may equal the element before. Observation does not report
  ///   which properties were read: a key path that reads none of either gives its value, and no
  ///   other.
  ///
  /// No change that is made in that isolation is missed: the last element is the last value. A
  /// change that is made elsewhere, which a `Sendable` object allows, may be noticed only with the
  /// next one: Observation notifies before the store, and not after it. An object that is not
  /// `Sendable` must stay in the isolation as long as it is followed.
  ///
  /// Without an isolation no code is known to run after a store. A key path that reads no property
  /// of this library is then reported as
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``, and the sequence ends at once, as
  /// it does if the observer has been deallocated.
  ///
  /// Each call makes an observation of its own, which ends as that of ``ObservationChanges`` does;
  /// also with the first change after the deallocation of the actor, which it does not keep alive.
  /// If the key path has read properties of other objects, the deallocation of an unretained object
  /// may be noticed only when one of them changes, or when the tables are next used.
  ///
  /// An observation that has ended leaves nothing at a retained object. At one that is not
  /// retained, all of one key path together leave one notice, until a property that it reads
  /// changes. One that begins inside of `withObservationTracking` leaves a notice of its first
  /// reading likewise: withdrawing it would notify the code around the call.
  ///
  /// - Parameters:
  ///   - object: Kept alive until the observation ends, if the controller retains.
  ///   - keyPath: Read by this call, and twice for each element. Its values have to be `Sendable`.
  ///   - bufferingPolicy: Policy for values that the loop has not taken yet.
  ///   - isolation: Isolation that the object is used in, filled in by the compiler.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A sequence for one loop.
  /// - Complexity: Each element costs a task on `isolation`.
  public func values<Object: AnyObject & Observable, Value: Sendable>(
    of object: Object, _ keyPath: KeyPath<Object, Value>,
    bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    isolation: isolated (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> ObservationValues<Value> {
    values(
      of: object, keyPath, trackedOn: actor(tracking: object, keyPath, on: isolation),
      bufferingPolicy, file: file, line: line)
  }

  /// The isolation that is to follow a key path by Observation; `nil` if it reads properties of
  /// this library.
  func actor<Object: AnyObject, Value>(
    tracking object: Object, _ keyPath: KeyPath<Object, Value>, on isolation: (any Actor)?
  ) -> (any Actor)? {
    isolation.flatMap { isolation in
      AccessTracker.track({ _ = object[keyPath: keyPath] }).all.isEmpty ? isolation : nil
    }
  }

  /// The value at `keyPath`, and the new one after changes from now on.
  ///
  /// - Parameters:
  ///   - actor: Where Observation tracks the key path; `nil` if it reads properties of this
  ///     library.
  ///   - owner: Retained until the observation ends.
  func values<Object: AnyObject, Value: Sendable>(
    of object: Object, _ keyPath: KeyPath<Object, Value>, trackedOn actor: (any Actor)?,
    _ bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy, file: String, line: UInt,
    retaining owner: AnyObject? = nil
  ) -> ObservationValues<Value> {
    ObservationValues(
      stream: stream(of: .reading(keyPath), .initial, bufferingPolicy, file: file, line: line) {
        request, send in
        guard let actor else {
          return register(object, request, isolation: nil) {
            (_, _, change: ObservedChange<Value>) in
            withExtendedLifetime(owner) { send(change.newValue) }
          }
        }
        let reader = TrackedReader(keyPath, on: actor)
        let info = register(object, request, in: reader.subject, nil) { (_, value: Value) in
          withExtendedLifetime((reader, owner)) { send(value) }
        }
        reader.read()
        return info
      })
  }
}
