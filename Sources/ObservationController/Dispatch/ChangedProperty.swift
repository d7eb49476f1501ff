/// A property that was changed in a transaction.
struct ChangedProperty: ChangedInTransaction {
  /// `nil` once it has ended what it lists, as it has to when its object goes.
  private weak var subject: Subject?

  /// Holds the object.
  private let holder: ObservationInfo.Root

  init(_ subject: Subject, holder: ObservationInfo.Root) {
    self.subject = subject
    self.holder = holder
  }

  func note(id: UInt64) {}

  func updateViews(id: UInt64) {
    let parts = subject?.takeHeldChangeOfViews() ?? []
    guard let reader = parts.first?.infos.first, let object = holder.object,
      let new = reader.read(object)
    else { return }
    var recipient = ObservationRecipient()
    for part in parts {
      withExtendedLifetime((part.old, new)) {
        let delivery = ObservationDelivery(
          old: part.old?.address, new: new.address, kind: .change)
        part.infos.visit { info in
          info.follower?.deliver(delivery, of: object, to: info, recipient: &recipient)
        }
      }
    }
  }

  func enqueue(id: UInt64) -> (() -> Void)? {
    guard let subject, let held = subject.takeHeldChange(), let object = holder.object else {
      return nil
    }
    // Without a reader there are paths alone, which have values of their own.
    guard let value = held.reader.map({ $0.read(object) }) ?? ValueBox(()) else { return nil }
    let begins = subject.enqueue(held, id: id, new: value)
    // The object is kept from here on: a subject must not go while it is being delivered.
    return begins ? { subject.deliverQueued(of: object) } : nil
  }
}

extension ObservationInfo {
  /// Reads the observed property of `object`; `nil` if it is not a property of this object.
  fileprivate func read(_ object: AnyObject) -> ValueBox? {
    if traits.contains(.part) {
      // Safe: the infos of properties of elements have these as their handlers.
      return handler.map { unsafeDowncast($0, to: ElementProperty.self).read(object) }
    }
    let (rootType, valueType) = (type(of: site.keyPath).rootType, type(of: site.keyPath).valueType)
    return read(object, rootType, valueType)
  }

  /// Receives the types of the key path, opened: as `Any`, an optional in an optional would be
  /// unwrapped, and an `Any` be wrapped once more.
  private func read<Object, Value>(
    _ object: AnyObject, _ rootType: Object.Type, _ valueType: Value.Type
  ) -> ValueBox? {
    guard let object = object as? Object else { return nil }
    // Safe: every key path from `Object` to values of this type is a `KeyPath<Object, Value>`.
    let keyPath = unsafeDowncast(site.keyPath, to: KeyPath<Object, Value>.self)
    return ValueBox(object[keyPath: keyPath])
  }
}
