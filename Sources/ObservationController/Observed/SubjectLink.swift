/// A subject as that which it lists refers to it.
///
/// Not counted, so that a subject goes with the last storage that holds it. Safe because a subject
/// that goes first takes off itself whatever it lists, under the lock of each registry; and because a
/// link is only followed under that lock, while the subject lists what the link is of. Until it does,
/// whoever makes the link holds the subject.
struct SubjectLink {
  private let reference: Unmanaged<Subject>

  init(_ subject: Subject) {
    reference = .passUnretained(subject)
  }

  /// Under the lock, as said above.
  var subject: Subject { reference.takeUnretainedValue() }

  /// Whether it leads to `subject`. Needs no lock, and may find another one at the address of one that
  /// has gone.
  func leads(to subject: Subject) -> Bool {
    reference.toOpaque() == Unmanaged.passUnretained(subject).toOpaque()
  }
}

extension SubjectLink: Hashable {
  static func == (left: Self, right: Self) -> Bool {
    left.reference.toOpaque() == right.reference.toOpaque()
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(reference.toOpaque())
  }
}
