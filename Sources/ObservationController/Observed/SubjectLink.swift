/// A subject as that which it lists refers to it.
///
/// Not counted, so that a subject goes with the last storage that holds it. Safe because a subject
/// that goes first takes off itself whatever it lists, under the lock of each registry; and because a
/// link is only followed under that lock, while the subject lists what the link is of. Until it does,
/// whoever makes the link holds the subject.
struct SubjectLink {
  unowned(unsafe) let subject: Subject

  init(_ subject: Subject) {
    self.subject = subject
  }
}
