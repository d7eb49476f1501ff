/// Mutating the item of a key in place: `groups["a"]?.append(1)`, `counts["a", default: 0] += 1`.
///
///     paths act ─▶ item leaves `storage` ─▶ user code ─▶ it is back ─▶ recorded ─▶ delivered
///
/// As with an `ObservableArray`, the item is out of the table while user code has it, so that a
/// collection in it stays uniquely referenced, and whatever finds the table one item short traps.
extension KeyedCollection {
  /// Takes an item out of `storage`; `takeBack` puts it back.
  @inlinable
  func lend(_ key: Table.Key) -> Table.Item? {
    let item = storage.setItem(nil, for: key)
    lent = LentItem(key, wasThere: item != nil)
    isPlain = false
    return item
  }

  @inlinable
  func takeBack(_ item: Table.Item?, for key: Table.Key) {
    lent = nil
    if let item { _ = storage.setItem(item, for: key) }
  }

  /// Begins an access in place of a collection that is observed, read by a path, or a live view.
  @usableFromInline
  func beginAccess(to key: Table.Key) -> KeyedAccess<Self> {
    let access = KeyedAccess<Self>(isOfView: link != nil)
    guard !access.isOfView else { return access }
    if lent != nil { failAsLent(for: .access) }
    if ThreadActivity.isAnyInTransaction { joinTransaction() }
    guard let subject else { return access }
    let isInBatch = batch != nil
    let change = announce([key])
    if !isInBatch { access.change = change }
    // Behind handlers, which may edit the collection, and begin observations.
    batch?.beginRecording()
    if subject.needsOld, !isInBatch { access.table = storage }
    // Without observers and recordings nothing asks for the old item, and a collection that it
    // holds is not copied.
    if subject.isObserved || isInBatch && subject.isFollowedUp {
      access.old = storage.item(for: key)
    }
    if !isInBatch, subject.isObserved {
      // Changes of items wait, and an observation that would begin finds it.
      let batch = KeyedBatch(of: self)
      (self.batch, access.batch) = (batch, batch)
    }
    if subject.isRead { subject.beginMutation(of: self) }
    if let place = places?.subject(for: key), place.isRead { place.beginMutation(of: self) }
    return access
  }

  /// Ends an access in place: the item is back.
  ///
  /// - Parameters:
  ///   - access: `nil` for a collection that was plain when the access began, and has been read by
  ///     a path since.
  ///   - wasThere: Whether there was an item.
  @usableFromInline
  func endAccess(_ access: KeyedAccess<Self>?, to key: Table.Key, wasThere: Bool) {
    version &+= 1
    if access?.batch != nil { batch = nil }
    guard let subject, isFollowedUp || access?.change != nil else { return }
    let new = storage.item(for: key)
    guard wasThere || new != nil else { return endIdleAccess(access, to: key, on: subject) }
    let entry = Entry(key, from: access?.old, to: new)
    if batch != nil { return recordInBatch([entry]) }
    let kind: KeyedKind = !wasThere ? .insertion : new == nil ? .removal : .update
    finish(
      KeyedChange(kind, [entry], table: storage, before: access?.table), of: [key],
      after: access?.change, with: access?.batch?.waiting ?? [])
  }

  /// Ends an access that has found nothing, and left nothing there: what has waited is delivered.
  private func endIdleAccess(
    _ access: KeyedAccess<Self>?, to key: Table.Key, on subject: Subject
  ) {
    let collector = SubjectChange()
    collector.add(markPlaces([key]))
    if subject.isRead { collector.add(subject.markAndCollect()) }
    subject.finishSilently(collector.dependents, of: self)
    subject.didEdit(self, nil, after: access?.change, with: access?.batch?.waiting ?? [])
  }

  /// Traps if the item of a key is being mutated in place.
  @usableFromInline
  func checkNotLent(_ key: Table.Key) {
    if let lent, lent.key == key { failAsLent(for: .reading) }
  }

  @usableFromInline
  func failAsLent(for use: LentElementUse) -> Never {
    let collection = "An \(Self.self)"
    let item = "its value for \(lent.map { "\($0.key)" } ?? "a key") was being mutated in place"
    switch use {
    case .edit:
      fatalError(
        """
        \(collection) was edited while \(item), which would be lost. Don't edit a collection in a \
        mutating method of its value: edit it afterwards, or change a copy of the value, and set that
        """)
    case .reading:
      fatalError(
        """
        \(collection) was read while \(item): that key has no value until the mutation ends. Its count \
        and its other values can be read one by one; read everything, or observe it, before or \
        afterwards; or change a copy of the value, and set that
        """)
    case .access:
      fatalError(
        """
        A value of an \(Self.self) was to be mutated in place while \(item): one at a time. Change a \
        copy of one of them, and set that
        """)
    }
  }
}

/// What an access in place notes for its end. Of a collection that is plain there is none.
@usableFromInline
final class KeyedAccess<Collection: KeyedCollection> {
  /// Whether a copy of the item is mutated, which the view does not take.
  @usableFromInline let isOfView: Bool

  /// The item before, if something asks for it.
  var old: Collection.Table.Item?

  /// The table before, if an observation asked for it.
  var table: Collection.Table?

  /// The change that paths have noted.
  var change: SubjectChange?

  /// Holds changes of items that are made meanwhile; `nil` in a batch, which does so itself.
  var batch: KeyedBatch<Collection>?

  init(isOfView: Bool) { self.isOfView = isOfView }
}
