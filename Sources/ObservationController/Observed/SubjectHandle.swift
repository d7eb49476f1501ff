/// What the storage of a property holds of its subject: the object's share in it.
///
///     object ──▶ handle ──▶ subject ◀──▶ infos       strong
///        ▲┄┄┄┄┄┄┄┄┘                                   unowned: keeps the address, not the object
///
/// Subject and infos refer to each other, so that either can be used without the other going
/// meanwhile, on whatever thread; the handle ends that when the object goes.
@usableFromInline
final class SubjectHandle {
  @usableFromInline let subject: Subject

  /// Keeps the address of the owner from being used again: a copy of the property's storage may
  /// keep this handle longer than the owner lives, and a subject knows its owner by the address.
  private unowned let owner: AnyObject

  init(owner: AnyObject) {
    self.owner = owner
    subject = Subject(owner: owner)
  }

  deinit {
    subject.ownerWillGo()
  }
}

/// Both references are immutable; `owner` is never dereferenced, and a subject is `Sendable`.
extension SubjectHandle: @unchecked Sendable {}
