import Observation

/// Withdraws the notices of a reading from the objects that it has read.
///
/// Observation has no call for that, but it withdraws all notices of one
/// `withObservationTracking` when any of the properties has changed. So each reading reads this
/// property too, which has no value and changes when nobody waits for the others any more.
final class EndSignal: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  private var end: Void { () }

  /// Adds the notices of the reading that is under way. Called inside of its
  /// `withObservationTracking`.
  func read() {
    registrar.access(self, keyPath: \.end)
  }

  /// Withdraws the notices, which calls the `onChange` of the reading, with no lock held.
  func send() {
    registrar.willSet(self, keyPath: \.end)
  }
}

// MARK: - Readings around this one

extension EndSignal {
  /// Whether the caller runs inside of some `withObservationTracking`, which would be notified by a
  /// signal that was read there: what is read in an inner one is read in the outer ones.
  static var wouldReachOthers: Bool {
    AccessMark.whereTracked().object != nil
  }
}

/// An object with a property for each mark, to find out whether Observation tracks accesses.
private final class AccessMark: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  private subscript(mark: Mark) -> Void { () }

  /// Identifies a property, whose key path retains it.
  private final class Mark: Hashable, Sendable {
    static func == (left: Mark, right: Mark) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// Reads a property.
  ///
  /// - Returns: Its mark, which is alive if a list of accesses has kept its key path.
  @inline(never)
  static func whereTracked() -> WeakReference {
    let (reader, mark) = (AccessMark(), Mark())
    reader.registrar.access(reader, keyPath: \.[mark])
    return WeakReference(mark)
  }
}
