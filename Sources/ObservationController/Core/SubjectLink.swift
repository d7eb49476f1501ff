/// A subject as that which it lists refers to it.
///
/// Not counted, so that a subject goes with the last storage that holds it. Safe because a subject
/// that goes first takes off itself whatever it lists, under the lock of each store; and because a
/// link is only followed under that lock, or under that of the follower, while the subject lists what
/// the link is of. Until it does, whoever makes the link holds the subject.
///
/// Not even while it is followed: on another thread the subject may be going, and does not wait for
/// who has taken the last info off it; and it must not go here, where it would take the same lock
/// again. A variable, `unowned(unsafe)` ones included, counts a reference each time it is read.
/// Pinned by SubjectThreadTests.
struct SubjectLink: Hashable {
  private let address: UnsafeMutableRawPointer

  init(_ subject: Subject) {
    address = Unmanaged.passUnretained(subject).toOpaque()
  }

  func isTo(_ subject: Subject) -> Bool {
    address == Unmanaged.passUnretained(subject).toOpaque()
  }

  var isAtomic: Bool { with { $0.isAtomic } }

  var owner: ObjectIdentifier? { with { $0.owner } }

  var identity: ObjectIdentifier { with { ObjectIdentifier($0) } }

  func insert(_ info: ObservationInfo) {
    with { $0.insert(info) }
  }

  /// Takes `info` off the subject, which may be gone when this returns.
  ///
  /// - Returns: As `Subject.remove(_:)`.
  func remove(_ info: ObservationInfo) -> Bool {
    with { $0.remove(info) }
  }

  /// What a derived property keeps for `info`, which is about to be removed, to be freed outside of every lock.
  func takeRemains(of info: ObservationInfo) -> Any? {
    with { subject in
      subject.derived?.takeRemains(of: info, isLast: subject.latestInfos.isOnly(info))
    }
  }

  private func with<Result>(_ body: (Subject) -> Result) -> Result {
    Unmanaged<Subject>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
  }
}
