import Observation
import Synchronization

/// Reads a key path of an `Observable` object again when Observation tells that it changes.
///
///     info ──▶ reader ──▶ source                      strong
///      ▲        ┆ ▲ └┄┄▶ actor                        weak
///      └┄┄┄┄┄┄┄┄┘ └┄┄ what waits for a change, tasks  weak
///
/// Observation tells once for each reading, before the store, on the thread that makes the change. A task
/// on the actor that the object belongs to reads after it: what was running there has ended by then.
/// Nothing takes an unneeded notice back: it waits at the object for the next change, and is ignored.
final class TrackedReader<Object: AnyObject, Value: Sendable> {
  private let keyPath: KeyPath<Object, Value>

  /// Set once, in `init`.
  private weak var info: ObservationInfo?

  /// Set once, in `init`. Not kept alive: it may be the observer.
  private weak var actor: (any Actor)?

  private let source: StreamSource<Value>

  /// The reading that has not been told of a change yet, by its number; 0 if it has.
  ///
  /// A reading of several properties, changed on several threads at once, may be told twice; each notice
  /// would begin a chain of readings of its own.
  private let awaited = Atomic<UInt64>(0)

  /// How many readings there have been. Only used on the actor.
  private var count: UInt64 = 0

  init(
    _ keyPath: KeyPath<Object, Value>, of info: ObservationInfo, on actor: any Actor,
    sendingTo source: StreamSource<Value>
  ) {
    (self.keyPath, self.source) = (keyPath, source)
    (self.info, self.actor) = (info, actor)
  }

  /// Safe as `ObservationHandler.invocation` is; what is delivered is a value of the key path.
  static var invocation: ObservationInvocation {
    { handler, _, _, _, delivery in
      unsafeDowncast(handler, to: Self.self).source.send(
        delivery.new.assumingMemoryBound(to: Value.self).pointee)
    }
  }
}

extension TrackedReader {
  /// Sends the current value, and waits for the next change. On the actor only.
  func read() {
    guard let info, info.isActive else { return }
    guard let object = info.registration.store.object(of: info) else { return info.invalidate() }
    // Safe: it is the object of the registration.
    let root = unsafeDowncast(object, to: Object.self)
    // A path further up may be being evaluated, which reads none of this.
    AccessTracker.withoutTracking {
      count += 1
      let number = count
      awaited.store(number, ordering: .relaxed)
      let notice = TrackingNotice { [weak self] in self?.isForgotten(number) }
      withObservationTracking {
        _ = root[keyPath: keyPath]
      } onChange: { [weak self] in
        withExtendedLifetime(notice) { self?.changes(after: number) }
      }
      // Again, now that a change would be told: another thread may have made one in between.
      let value = root[keyPath: keyPath]
      withUnsafePointer(to: value) { ObservationDispatcher.deliverDirectly($0, to: info) }
    }
  }

  /// Has the value be read when the change that is about to be made is over.
  private func changes(after number: UInt64) {
    guard awaited.compareExchange(expected: number, desired: 0, ordering: .relaxed).exchanged
    else { return }
    guard let actor else {
      info?.invalidate()
      return
    }
    Task { [weak self] in await self?.read(on: actor) }
  }

  private func read(on actor: isolated any Actor) {
    read()
  }

  /// Ends the observation if the object has gone, of which nothing else tells: it let go of what waited
  /// there. Not where it does so because of a change, which is behind a lock of Observation's.
  private func isForgotten(_ number: UInt64) {
    guard awaited.load(ordering: .relaxed) == number, let info,
      info.registration.store.object(of: info) == nil
    else { return }
    info.invalidate()
  }
}

/// Goes with the closure that waits for a change, and tells so.
private final class TrackingNotice: Sendable {
  private let whenItGoes: @Sendable () -> Void

  init(whenItGoes: @escaping @Sendable () -> Void) {
    self.whenItGoes = whenItGoes
  }

  deinit { whenItGoes() }
}

/// `count` and the object are only used on the actor, `awaited` is atomic, the rest is immutable, key path
/// included.
extension TrackedReader: @unchecked Sendable {}
